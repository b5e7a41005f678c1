// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme: an element that leads receives the gradients of the places it leads.
#pragma once

#include <array>

#include "op_cpu/common/scan.h"

namespace avo {

// tensors: gradients of T and N - 1 more, of E. leads(elements of these at a place, place): whether the
// element there leads. backward: sums run from the last position of `axis` to the first, against the scan.
template <typename T, typename E, size_t N, typename Leads>
void SumOfLeaders(const std::array<const Tensor *, N> &tensors, const Tensor &out, int64_t axis,
                  bool backward, const ParallelFor &parallel_for, const Leads &leads) {
  std::array<const Tensor *, N + 1> all{};
  std::copy(tensors.begin(), tensors.end(), all.begin());
  all[N] = &out;
  const auto body = [&](const auto &offsets, const auto &steps, int64_t lines, int64_t length) {
    std::array<int64_t, N + 1> strides{};
    for (size_t t = 0; t <= N && out.rank() > 0; ++t) strides[t] = all[t]->strides[axis];
    const T *grads = static_cast<const T *>(all[0]->data) + offsets[0];
    T *results = static_cast<T *>(out.data) + offsets[N];
    double sums[kLineBlock] = {};
    for (int64_t k = 0; k < length; ++k) {
      const int64_t place = backward ? length - 1 - k : k;
      for (int64_t j = 0; j < lines; ++j) {
        std::array<E, N - 1> elements;
        for (size_t t = 1; t < N; ++t) {
          elements[t - 1] =
              static_cast<const E *>(all[t]->data)[offsets[t] + place * strides[t] + j * steps[t]];
        }
        const T grad = grads[place * strides[0] + j * steps[0]];
        sums[j] += Widen(grad);
        const bool takes = leads(elements, place);
        const double sum = takes ? sums[j] : 0.0;
        results[place * strides[N] + j * steps[N]] = Narrow<T>(static_cast<Compute<T>>(sum));
        sums[j] = takes ? 0.0 : sums[j];
      }
    }
  };
  ForLines<N + 1>(all, axis, parallel_for, body);
}

}  // namespace avo
