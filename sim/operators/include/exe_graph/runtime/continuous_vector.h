// SPDX-License-Identifier: Apache-2.0
// Lists in contexts.
#pragma once

#include <cstddef>
#include <vector>

namespace gert {

template <typename T>
class TypedContinuousVector {
 public:
  TypedContinuousVector() = default;
  TypedContinuousVector(const T *values, size_t count) : values_(values, values + count) {}

  const T *GetData() const { return values_.data(); }
  T *MutableData() { return values_.data(); }
  size_t GetSize() const { return values_.size(); }
  size_t GetCapacity() const { return values_.size(); }

 private:
  std::vector<T> values_;
};

}  // namespace gert
