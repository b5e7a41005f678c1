// SPDX-License-Identifier: Apache-2.0
// The windows of pooling over (N, C, H, W) images of any strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

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

// Sums are divided by rows[row of the window] * columns[its column].
struct WindowDivisors {
  std::vector<int64_t> rows, columns;
};

// Rows of the image, `dilation` apart, that lie inside a row of windows.
struct WindowRows {
  int64_t first, count;
};

struct Windows {
  Tensor in, out;
  WindowAxis rows, columns;
  WindowDivisors divisors;

  std::vector<WindowRows> Rows() const {
    std::vector<WindowRows> result(out.shape[2]);
    for (int64_t y = 0; y < out.shape[2]; ++y) {
      const int64_t first = rows.First(y);
      result[y] = {rows.Start(y) + first * rows.dilation, std::max<int64_t>(0, rows.Last(y) - first)};
    }
    return result;
  }

  // Elements that a line of windows of one image is the first to touch.
  int64_t Touched() const { return std::min(rows.kernel, rows.stride) * in.shape[3] + out.shape[3]; }
  // Whether there is one window, over the whole of each image, without padding.
  bool Whole() const {
    return out.shape[2] == 1 && out.shape[3] == 1 && rows.padding == 0 && columns.padding == 0 &&
           rows.dilation == 1 && columns.dilation == 1 && rows.kernel >= rows.size &&
           columns.kernel >= columns.size;
  }
  // Whether the rows of an image follow each other in memory.
  bool Dense() const { return in.strides[2] == in.shape[3] * in.strides[3]; }
  // The same for images that are whole and dense, as images of one column.
  Windows Column() const {
    Windows result = *this;
    const int64_t size = in.shape[2] * in.shape[3];
    result.in.shape[2] = size;
    result.in.shape[3] = 1;
    result.in.strides[2] = in.strides[3];
    result.rows = {size, size, 1, 0, 1};
    result.columns = {1, 1, 1, 0, 1};
    return result;
  }
};

}  // namespace avo
