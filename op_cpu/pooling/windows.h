// SPDX-License-Identifier: Apache-2.0
// The windows of pooling over (N, C, H, W) images of any strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

namespace avo {

struct WindowAxis {
  int64_t size, kernel, stride, padding, dilation;

  // From the first element of a window to behind its last.
  int64_t Reach() const { return (kernel - 1) * dilation + 1; }
  // From the first window that a position is in to behind the last, at most.
  int64_t Holding() const { return CeilDiv(Reach(), stride); }
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

  // Those of `windows`, (N, C, rows, columns): elements that count, or a number that replaces theirs unless
  // 0.
  static WindowDivisors Of(const Shape &windows, const WindowAxis &rows, const WindowAxis &columns,
                           bool include_pad, int64_t override) {
    WindowDivisors result{std::vector<int64_t>(windows[2], 1), std::vector<int64_t>(windows[3], override)};
    if (override != 0) return result;
    for (int64_t y = 0; y < windows[2]; ++y) result.rows[y] = rows.Counted(y, include_pad);
    for (int64_t x = 0; x < windows[3]; ++x) result.columns[x] = columns.Counted(x, include_pad);
    return result;
  }
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

// Of a window that a position of the image is in: which window, and which of its elements the position is.
struct WindowElement {
  int64_t window, element;
};

// For each position along an axis, the windows that it is in.
class WindowCover {
 public:
  WindowCover(const WindowAxis &axis, int64_t windows) : begin_(axis.size + 1) {
    const auto for_each = [&](const auto &body) {
      for (int64_t w = 0; w < windows; ++w) {
        for (int64_t k = axis.First(w); k < axis.Last(w); ++k) body(axis.Start(w) + k * axis.dilation, w, k);
      }
    };
    for_each([&](int64_t position, int64_t, int64_t) { ++begin_[position + 1]; });
    for (int64_t i = 0; i < axis.size; ++i) begin_[i + 1] += begin_[i];
    elements_.resize(begin_[axis.size]);
    std::vector<int64_t> next = begin_;
    for_each([&](int64_t position, int64_t w, int64_t k) { elements_[next[position]++] = {w, k}; });
  }

  // [first, last), by ascending windows.
  std::pair<const WindowElement *, const WindowElement *> Of(int64_t position) const {
    return {elements_.data() + begin_[position], elements_.data() + begin_[position + 1]};
  }

 private:
  std::vector<int64_t> begin_;
  std::vector<WindowElement> elements_;
};

struct WindowGradients {
  Tensor grad, in, out;
  WindowAxis rows, columns;
  WindowDivisors divisors;  // of means
};

}  // namespace avo
