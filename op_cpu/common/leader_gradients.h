// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme: an element that leads receives the gradients of the places it leads.
#pragma once

#include <array>

#include "op_cpu/common/lines.h"

namespace avo {

// tensors: gradients of T and N - 1 more, of E. leads(elements of these at a place, place): whether the
// element there leads. backward: sums run from the last position of `axis` to the first, against the scan.
template <typename T, typename E, size_t N, typename Leads>
void SumOfLeaders(const std::array<const Tensor *, N> &tensors, const Tensor &out, int64_t axis,
                  bool backward, const ParallelFor &parallel_for, const Leads &leads) {
  constexpr int64_t kWidest = 64;
  std::array<const Tensor *, N + 1> all{};
  std::copy(tensors.begin(), tensors.end(), all.begin());
  all[N] = &out;
  const auto body = [&](const LineBlock<N + 1> &block) {
    std::array<int64_t, N + 1> strides{};
    for (size_t t = 0; t <= N && out.rank() > 0; ++t) strides[t] = all[t]->strides[axis];
    const int64_t length = out.rank() == 0 ? 1 : out.shape[axis];
    const auto &steps = block.steps;
    const auto walk = [&](int64_t first, int64_t lines) {
      double sums[kWidest] = {};
      for (int64_t k = 0; k < length; ++k) {
        const int64_t place = backward ? length - 1 - k : k;
        const auto at = [&](size_t t, int64_t j) {
          return block.offsets[t] + place * strides[t] + (first + j) * steps[t];
        };
        for (int64_t j = 0; j < lines; ++j) {
          std::array<E, N - 1> elements;
          for (size_t t = 1; t < N; ++t) elements[t - 1] = static_cast<const E *>(all[t]->data)[at(t, j)];
          sums[j] += Widen(static_cast<const T *>(all[0]->data)[at(0, j)]);
          const bool takes = leads(elements, place);
          const double sum = takes ? sums[j] : 0.0;
          static_cast<T *>(out.data)[at(N, j)] = Narrow<T>(static_cast<Compute<T>>(sum));
          sums[j] = takes ? 0.0 : sums[j];
        }
      }
    };
    if (block.side_by_side) return walk(0, block.lines);
    for (int64_t j = 0; j < block.lines; ++j) walk(j, 1);
  };
  ForLines<N + 1>(all, axis, kWidest, parallel_for, body);
}

}  // namespace avo
