// SPDX-License-Identifier: Apache-2.0
// Rows of (N, C, L) tensors of any strides.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_cpu/common/parallel.h"
#include "op_host/common/tensor.h"

namespace avo {

template <typename T>
struct Row {
  T *data;
  int64_t stride;
  T &operator[](int64_t i) const { return data[i * stride]; }
};

// Calls body(row of in, row of out) for every n and c.
template <typename T, typename Body>
void ForRows(const Tensor &in, const Tensor &out, const ParallelFor &parallel_for, const Body &body) {
  const int64_t channels = in.shape[1], length = std::max(in.shape[2], out.shape[2]);
  parallel_for(in.shape[0] * channels, GrainOf(length), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / channels, c = row % channels;
      body(Row<const T>{static_cast<const T *>(in.data) + n * in.strides[0] + c * in.strides[1],
                        in.strides[2]},
           Row<T>{static_cast<T *>(out.data) + n * out.strides[0] + c * out.strides[1], out.strides[2]});
    }
  });
}

}  // namespace avo
