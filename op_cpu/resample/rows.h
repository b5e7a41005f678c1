// SPDX-License-Identifier: Apache-2.0
// Rows of (N, C, L) tensors with any strides.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

template <typename T>
struct Row {
  T *data;
  int64_t stride;
  T &operator[](int64_t i) const { return data[i * stride]; }
};

// Returns row `row` of a tensor: channel row % C of signal row / C.
template <typename T>
Row<T> RowAt(const Tensor &tensor, int64_t row) {
  const int64_t channels = tensor.shape[1];
  return {
      static_cast<T *>(tensor.data) + row / channels * tensor.strides[0] + row % channels * tensor.strides[1],
      tensor.strides[2]};
}

// Calls body(row of in, row of out) for all rows.
template <typename T, typename Body>
void ForRows(const Tensor &in, const Tensor &out, const ParallelFor &parallel_for, const Body &body) {
  const int64_t length = std::max(in.shape[2], out.shape[2]);
  parallel_for(in.shape[0] * in.shape[1], GrainOf(length), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(RowAt<const T>(in, row), RowAt<T>(out, row));
  });
}

}  // namespace avo
