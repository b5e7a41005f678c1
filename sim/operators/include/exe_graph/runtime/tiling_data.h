// SPDX-License-Identifier: Apache-2.0
// The buffer that a tiling function fills for the kernel.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "graph/ge_error_codes.h"

namespace gert {

class TilingData {
 public:
  explicit TilingData(size_t capacity) : bytes_(capacity) {}

  size_t GetCapacity() const { return bytes_.size(); }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  void *GetData() { return bytes_.data(); }
  const void *GetData() const { return bytes_.data(); }
  // Returns the place of `size` more bytes, or nullptr where there is no room for them.
  void *Expand(size_t size) {
    if (size > bytes_.size() - size_) return nullptr;
    void *place = bytes_.data() + size_;
    size_ += size;
    return place;
  }
  template <typename T>
  ge::graphStatus Append(const T &value) {
    void *place = Expand(sizeof(value));
    if (place == nullptr) return ge::GRAPH_FAILED;
    std::memcpy(place, &value, sizeof(value));
    return ge::GRAPH_SUCCESS;
  }

 private:
  std::vector<unsigned char> bytes_;
  size_t size_ = 0;
};

}  // namespace gert
