// SPDX-License-Identifier: Apache-2.0
// Gradients of pooling windows over (N, C, H, W) images of any strides: a plane's windows one after the
// other.
#pragma once

#include <vector>

#include "op_cpu/common/element.h"
#include "op_cpu/common/parallel.h"
#include "op_cpu/common/windows.h"

namespace avo {

template <typename T>
struct Plane {
  T *data;
  int64_t row, column;  // strides
  T &At(int64_t y, int64_t x) const { return data[y * row + x * column]; }
};

template <typename T>
Plane<T> PlaneOf(const Tensor &tensor, int64_t plane) {
  const int64_t n = plane / tensor.shape[1], c = plane % tensor.shape[1];
  return {static_cast<T *>(tensor.data) + n * tensor.strides[0] + c * tensor.strides[1], tensor.strides[2],
          tensor.strides[3]};
}

// add(plane of the input, row and column of a window, its gradient, sums) adds to the sums of a plane's
// elements, which are float64 and dense.
template <typename T, typename Add>
void ForWindowGradients(const Tensor &grad, const Tensor &input, const Tensor &out,
                        const ParallelFor &parallel_for, const Add &add) {
  const int64_t height = out.shape[2], width = out.shape[3];
  parallel_for(out.shape[0] * out.shape[1], 1, [&](int64_t begin, int64_t end) {
    std::vector<double> sums(height * width);
    for (int64_t plane = begin; plane < end; ++plane) {
      const auto grads = PlaneOf<const T>(grad, plane), image = PlaneOf<const T>(input, plane);
      const auto result = PlaneOf<T>(out, plane);
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t y = 0; y < grad.shape[2]; ++y) {
        for (int64_t x = 0; x < grad.shape[3]; ++x) add(image, y, x, Widen(grads.At(y, x)), sums.data());
      }
      for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) {
          result.At(y, x) = Narrow<T>(static_cast<Compute<T>>(sums[y * width + x]));
        }
      }
    }
  });
}

}  // namespace avo
