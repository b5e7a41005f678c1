// SPDX-License-Identifier: Apache-2.0
// Lists in contexts.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace gert {

// A list whose element type is known to the reader alone.
class ContinuousVector {
 public:
  ContinuousVector() = default;
  ContinuousVector(const void *values, size_t count, size_t bytes) : bytes_(count * bytes), count_(count) {
    if (!bytes_.empty()) std::memcpy(bytes_.data(), values, bytes_.size());
  }

  const void *GetData() const { return bytes_.data(); }
  void *MutableData() { return bytes_.data(); }
  size_t GetSize() const { return count_; }
  size_t GetCapacity() const { return count_; }

 private:
  std::vector<unsigned char> bytes_;
  size_t count_ = 0;
};

template <typename T>
class TypedContinuousVector : public ContinuousVector {
 public:
  TypedContinuousVector() = default;
  TypedContinuousVector(const T *values, size_t count) : ContinuousVector(values, count, sizeof(T)) {}

  const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
  T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
};

}  // namespace gert
