// SPDX-License-Identifier: Apache-2.0
// The window walk of pooling over (N, C, H, W) images of any strides. Windows are separable: the rows of one
// line of windows are combined first, element by element, and then the columns of each window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "op_cpu/common/element.h"
#include "op_cpu/common/parallel.h"
#include "op_host/common/math.h"
#include "op_host/common/tensor.h"

namespace avo {

struct WindowAxis {
  int64_t size, kernel, stride, padding, dilation;

  int64_t Start(int64_t window) const { return window * stride - padding; }
  // Elements [first, last) of a window that lie inside the image.
  int64_t First(int64_t window) const {
    const int64_t start = Start(window);
    return start < 0 ? std::min(kernel, CeilDiv(-start, dilation)) : 0;
  }
  int64_t Last(int64_t window) const {
    const int64_t rest = size - Start(window);
    return rest <= 0 ? 0 : std::min(kernel, CeilDiv(rest, dilation));
  }
  // Elements of a window, not dilated, that a mean counts: those inside the image, or inside its padding too.
  int64_t Counted(int64_t window, bool include_pad) const {
    return include_pad ? std::min(kernel, size + padding - Start(window)) : Last(window) - First(window);
  }
};

// combine(a, b) starts from `identity`; finish(result, row, column of the window) gives what is rounded.
template <typename T, typename Combine, typename Finish>
void ForWindows(const Tensor &in, const Tensor &out, const WindowAxis &rows, const WindowAxis &columns,
                const ParallelFor &parallel_for, Compute<T> identity, const Combine &combine,
                const Finish &finish) {
  // Below this many elements a thread costs more than it computes.
  constexpr int64_t kGrainElements = 16384;
  const int64_t channels = out.shape[1], out_rows = out.shape[2], out_columns = out.shape[3];
  const int64_t work = columns.size * rows.kernel + out_columns * columns.kernel;
  const auto walk = [&](int64_t begin, int64_t end) {
    std::vector<Compute<T>> combined(columns.size), values(out_columns);
    for (int64_t line = begin; line < end; ++line) {
      const int64_t row = line % out_rows, plane = line / out_rows;
      const int64_t n = plane / channels, c = plane % channels;
      const T *image = static_cast<const T *>(in.data) + n * in.strides[0] + c * in.strides[1];
      T *result = static_cast<T *>(out.data) + n * out.strides[0] + c * out.strides[1] + row * out.strides[2];

      std::fill(combined.begin(), combined.end(), identity);
      for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
        const T *source = image + (rows.Start(row) + i * rows.dilation) * in.strides[2];
        // Dense rows apart, so that the compiler makes a vector loop of them.
        if (in.strides[3] == 1) {
          for (int64_t x = 0; x < columns.size; ++x) combined[x] = combine(combined[x], Widen(source[x]));
        } else {
          for (int64_t x = 0; x < columns.size; ++x) {
            combined[x] = combine(combined[x], Widen(source[x * in.strides[3]]));
          }
        }
      }
      // One element of all windows at a time: those that lie inside the image.
      std::fill(values.begin(), values.end(), identity);
      for (int64_t j = 0; j < columns.kernel; ++j) {
        const int64_t start = j * columns.dilation - columns.padding;
        const int64_t first = start < 0 ? CeilDiv(-start, columns.stride) : 0;
        const int64_t last = start < columns.size ? CeilDiv(columns.size - start, columns.stride) : 0;
        for (int64_t column = first; column < std::min(last, out_columns); ++column) {
          values[column] = combine(values[column], combined[column * columns.stride + start]);
        }
      }
      for (int64_t column = 0; column < out_columns; ++column) {
        result[column * out.strides[3]] = Narrow<T>(finish(values[column], row, column));
      }
    }
  };
  parallel_for(out.shape[0] * channels * out_rows, std::max<int64_t>(1, kGrainElements / work), walk);
}

}  // namespace avo
