// SPDX-License-Identifier: Apache-2.0
// Rows of tensors of any rank and strides. A row lies along the last dimension. Rows are numbered through all
// other dimensions in row-major order, so rows of one number belong together in tensors of one shape:
//
//   shape (2, 3, L):   row 0 is [0, 0, :], row 1 is [0, 1, :], row 2 is [0, 2, :], row 3 is [1, 0, :], ...
//
// A tensor of rank 0 is one row of one element.
#pragma once

#include <cstdint>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

template <typename T>
struct StridedRow {
  T *data;
  int64_t stride;  // elements from one to the next
  int64_t length;  // elements

  T &operator[](int64_t i) const { return data[i * stride]; }
};

// Row `row` of a tensor whose elements are T.
template <typename T>
StridedRow<T> RowOf(const Tensor &tensor, int64_t row) {
  T *data = static_cast<T *>(tensor.data);
  const int64_t last = tensor.rank() - 1;
  if (last < 0) return {data, 1, 1};
  for (int64_t d = last - 1; d >= 0; --d) {
    data += row % tensor.shape[d] * tensor.strides[d];
    row /= tensor.shape[d];
  }
  return {data, tensor.strides[last], tensor.shape[last]};
}

// Calls body(row) with the number of each row of a tensor, on all threads; never for a tensor without
// elements.
template <typename Body>
void ForEachRow(const Tensor &tensor, const ParallelFor &parallel_for, const Body &body) {
  const int64_t length = tensor.rank() == 0 ? 1 : tensor.shape.back();
  if (tensor.numel() == 0) return;
  parallel_for(tensor.numel() / length, GrainOf(length), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(row);
  });
}

}  // namespace avo
