// SPDX-License-Identifier: Apache-2.0
// The windows of pooling over (N, C, H, W) images of any strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

namespace avo {

// Planes that are computed together as lanes: a vector of the widest instruction set, or a few vectors.
template <typename T>
constexpr int64_t kPlaneBlock = 64 / sizeof(Compute<T>);

// Windows [first, end) along an axis.
struct WindowSpan {
  int64_t first, end;

  bool operator==(const WindowSpan &other) const { return first == other.first && end == other.end; }
};

// The windows along one axis. Window w has the taps 0, 1, … kernel - 1, and tap k lies at position Start(w) +
// k * dilation of the image, or beside the image.
struct WindowAxis {
  int64_t size;  // of the image
  int64_t kernel, stride, padding, dilation;

  // Axis `i`, 0 for rows and 1 for columns, of windows over `image`.
  static WindowAxis Of(const Tensor &image, int i, const Shape &kernel, const Shape &stride,
                       const Shape &padding, const Shape &dilation) {
    return {image.shape[2 + i], kernel[i], stride[i], padding[i], dilation[i]};
  }

  // Positions from the first tap of a window to the one behind its last tap.
  int64_t Reach() const { return (kernel - 1) * dilation + 1; }
  // From the first window that a position is in to the one behind the last: the most there are.
  int64_t Holding() const { return CeilDiv(Reach(), stride); }
  // Whether no two of `windows` windows have positions in common.
  bool Apart(int64_t windows) const { return windows == 1 || stride >= Reach(); }
  // Whether most of the image is in no window.
  bool FarApart() const { return stride > 4 * Reach(); }
  int64_t Start(int64_t window) const { return window * stride - padding; }
  // The taps [FirstTap, EndTap) of a window lie inside the image.
  int64_t FirstTap(int64_t window) const {
    const int64_t start = Start(window);
    return start < 0 ? std::min(kernel, CeilDiv(-start, dilation)) : 0;
  }
  int64_t EndTap(int64_t window) const {
    const int64_t left = size - Start(window);
    return left <= 0 ? 0 : std::min(kernel, CeilDiv(left, dilation));
  }
  // Whether each of `windows` windows has a tap inside the image.
  bool HaveElements(int64_t windows) const {
    for (int64_t w = 0; w < windows; ++w) {
      if (FirstTap(w) >= EndTap(w)) return false;
    }
    return true;
  }
  // The axis of the same `windows` windows without taps that lie beside the image in all of them, and without
  // a stride that leads beyond a single window. What kernels allocate then grows with the image, and not with
  // the numbers of the caller.
  WindowAxis Trimmed(int64_t windows) const {
    WindowAxis result = *this;
    const int64_t first = std::min({FirstTap(windows - 1), padding / dilation, kernel - 1});
    result.kernel = std::max<int64_t>(1, EndTap(0) - first);
    result.padding -= first * dilation;
    if (windows == 1) result.stride = std::min(stride, result.Reach());
    return result;
  }
  // The windows, of `windows`, whose taps all lie inside the image.
  WindowSpan Inner(int64_t windows) const {
    const int64_t last = size + padding - Reach();
    return {std::min(windows, CeilDiv(padding, stride)), last < 0 ? 0 : std::min(windows, last / stride + 1)};
  }
  // The windows, of `windows`, that a position is in where there is no dilation.
  WindowSpan WindowsAt(int64_t position, int64_t windows) const {
    const int64_t end = position + padding, first = end < kernel ? 0 : (end - kernel) / stride + 1;
    const int64_t last = std::min(windows, end / stride + 1);
    return first < last ? WindowSpan{first, last} : WindowSpan{0, 0};
  }
  // Taps of a window without dilation that a mean counts: inside the image, or inside it or its padding.
  int64_t Counted(int64_t window, bool include_pad) const {
    return include_pad ? std::min(kernel, size + padding - Start(window)) : EndTap(window) - FirstTap(window);
  }
};

// A mean is the sum of its window, divided by rows[row of the window] * columns[column of the window].
struct WindowDivisors {
  std::vector<int64_t> rows, columns;

  // windows: shape (N, C, rows, columns). Divisors are the taps that count, or `override` unless it is 0.
  static WindowDivisors Of(const Shape &windows, const WindowAxis &rows, const WindowAxis &columns,
                           bool include_pad, int64_t override) {
    WindowDivisors result{std::vector<int64_t>(windows[2], 1), std::vector<int64_t>(windows[3], override)};
    if (override != 0) return result;
    for (int64_t y = 0; y < windows[2]; ++y) result.rows[y] = rows.Counted(y, include_pad);
    for (int64_t x = 0; x < windows[3]; ++x) result.columns[x] = columns.Counted(x, include_pad);
    return result;
  }
};

// The plane of channel `c` of image `n`, or plane n * channels + c.
template <typename T>
T *PlaneOf(const Tensor &images, int64_t n, int64_t c) {
  return static_cast<T *>(images.data) + n * images.strides[0] + c * images.strides[1];
}
template <typename T>
T *PlaneOf(const Tensor &images, int64_t plane) {
  return PlaneOf<T>(images, plane / images.shape[1], plane % images.shape[1]);
}

// The rows of the image that a row of windows combines: `count` of them, `dilation` apart, from `first` on.
struct WindowRows {
  int64_t first, count;
};

// Makes one image of all channels of each of `all`, where images follow each other as channels do in all of
// them. All must have as many images and channels. Returns whether it does.
inline bool MergeImages(std::initializer_list<Tensor *> all) {
  for (const Tensor *images : all) {
    if (images->shape[1] != 1 && images->strides[0] != images->shape[1] * images->strides[1]) return false;
  }
  for (Tensor *images : all) {
    if (images->shape[1] == 1) images->strides[1] = images->strides[0];
    images->shape[1] *= images->shape[0];
    images->shape[0] = 1;
  }
  return true;
}

struct Windows {
  Tensor in, out;
  WindowAxis rows, columns;
  WindowDivisors divisors;  // of means

  // For each row of windows.
  std::vector<WindowRows> Rows() const {
    std::vector<WindowRows> result(out.shape[2]);
    for (int64_t y = 0; y < out.shape[2]; ++y) {
      const int64_t first = rows.FirstTap(y);
      result[y] = {rows.Start(y) + first * rows.dilation, std::max<int64_t>(0, rows.EndTap(y) - first)};
    }
    return result;
  }

  // Elements that a row of windows of one plane is the first to touch.
  int64_t Touched() const { return std::min(rows.kernel, rows.stride) * in.shape[3] + out.shape[3]; }
  // Whether there is one window, over the whole of each plane, without padding.
  bool Whole() const {
    return out.shape[2] == 1 && out.shape[3] == 1 && rows.padding == 0 && columns.padding == 0 &&
           rows.dilation == 1 && columns.dilation == 1 && rows.kernel >= rows.size &&
           columns.kernel >= columns.size;
  }
  // Whether the rows of a plane follow each other in memory.
  bool Dense() const { return in.strides[2] == in.shape[3] * in.strides[3]; }
  // The same windows over one image with all planes, where these follow each other at equal distances.
  Windows Merged() const {
    Windows result = *this;
    MergeImages({&result.in, &result.out});
    return result;
  }
  // The same windows over images of one column. The windows must be whole and the planes dense.
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

// Whether maxima of images whose channels are neighbours are found fastest with channels as lanes. windows:
// shape (N, C, rows, columns). Few channels take less time in planes, and so do windows of many taps, which
// share there what they have in common; unless a pixel is in few windows: channels as lanes are then 1.3 to 4
// x as fast.
template <typename T>
bool MaximaSuitChannels(const Shape &windows, const WindowAxis &rows, const WindowAxis &columns) {
  constexpr int64_t kFewest = 32 / sizeof(Compute<T>), kMostTaps = 32;
  const int64_t taps = rows.kernel * columns.kernel;
  const bool share_little = 2 * taps * windows[2] * windows[3] <= 5 * rows.size * columns.size;
  return windows[1] >= kFewest && (taps <= kMostTaps || share_little);
}

struct WindowGradients {
  Tensor grad, in, out;  // the gradient of the windows, the forward input, its gradient
  WindowAxis rows, columns;
  WindowDivisors divisors;  // of means

  // The same gradients over one image with all channels, where images follow each other as channels do and
  // that fills blocks of `block` channels better.
  WindowGradients Merged(int64_t block) const {
    WindowGradients result = *this;
    if (in.shape[1] % block != 0) MergeImages({&result.grad, &result.in, &result.out});
    return result;
  }

  // Whether the elements of all three along dimension `d` are neighbours in memory.
  bool AreNeighbours(int d) const {
    return in.strides[d] == 1 && grad.strides[d] == 1 && out.strides[d] == 1;
  }
};

}  // namespace avo
