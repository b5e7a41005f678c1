// SPDX-License-Identifier: Apache-2.0
// The shape of a tensor, as host functions of the high-level API take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "types.h"

namespace ge {

class Shape {
 public:
  Shape() = default;
  explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

  size_t GetDimNum() const { return dims_.size(); }
  int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
  bool SetDim(size_t i, int64_t value) {
    if (i >= dims_.size()) return false;
    dims_[i] = value;
    return true;
  }
  std::vector<int64_t> GetDims() const { return dims_; }
  // As CANN has it: a shape without dimensions has no elements.
  int64_t GetShapeSize() const {
    int64_t size = dims_.empty() ? 0 : 1;
    for (const int64_t dim : dims_) size *= dim;
    return size;
  }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace ge

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

}  // namespace AscendC
