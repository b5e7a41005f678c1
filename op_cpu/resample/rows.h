// SPDX-License-Identifier: Apache-2.0
// Rows of (N, C, L) tensors with any strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

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

// Returns the elements from each row to the next one, where that is the same everywhere.
inline std::optional<int64_t> RowStep(const Tensor &tensor) {
  const Shape &shape = tensor.shape, &strides = tensor.strides;
  if (shape[1] == 1) return strides[0];
  if (shape[0] == 1 || strides[0] == shape[1] * strides[1]) return strides[1];
  return {};
}

// Calls body(row of in, row of out) for rows [begin, end). Only the first row is looked up, because the
// divisions take longer than a row of a few elements.
template <typename T, typename Body>
void ForRows(const Tensor &in, const Tensor &out, int64_t begin, int64_t end, const Body &body) {
  const int64_t channels = in.shape[1];
  auto from = RowAt<const T>(in, begin);
  auto to = RowAt<T>(out, begin);
  for (int64_t row = begin, channel = begin % channels; row < end; ++row) {
    body(from, to);
    from.data += in.strides[1];
    to.data += out.strides[1];
    if (++channel < channels) continue;
    channel = 0;
    from.data += in.strides[0] - channels * in.strides[1];
    to.data += out.strides[0] - channels * out.strides[1];
  }
}

}  // namespace avo
