// SPDX-License-Identifier: Apache-2.0
// The tensor of contracts, tiling and CPU kernels. It depends on no framework.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace avo {

// The values are those of aclDataType, so that the border to the C interface converts by a cast.
enum class DType : int32_t {
  kFloat32 = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 6,
  kInt64 = 9,
  kFloat64 = 11,
  kBool = 12,
  kBFloat16 = 27,
};

std::string DTypeName(DType dtype);  // "float32", …; "dtype 5" for one outside the enum
int64_t DTypeSize(DType dtype);      // bytes of an element; 0 for one outside the enum

using Shape = std::vector<int64_t>;

// The product wraps around where no int64 holds it: the borders refuse such a shape, unless one of its sizes
// is 0.
inline int64_t NumElements(const Shape &shape) {
  return static_cast<int64_t>(
      std::accumulate(shape.begin(), shape.end(), uint64_t{1}, std::multiplies<uint64_t>()));
}

// Row-major strides, in elements, of a dense tensor.
Shape ContiguousStrides(const Shape &shape);
// Strides of dense images of shape (N, C, H, W) whose channels are neighbours in memory.
Shape ChannelsLastStrides(const Shape &shape);

// A view of memory. `data` points at element [0, …, 0]; strides count elements and may be zero or negative.
struct Tensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  Shape strides;
  void *data = nullptr;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t numel() const { return NumElements(shape); }
};

}  // namespace avo
