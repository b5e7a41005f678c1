// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of a plane, where the pixel of each maximum is known. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_SCATTERED_PLANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_SCATTERED_PLANE_INL_H_
#undef AVO_OP_CPU_POOLING_SCATTERED_PLANE_INL_H_
#else
#define AVO_OP_CPU_POOLING_SCATTERED_PLANE_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Adds the gradient of each window to its pixel, one after the other: windows with many taps take no longer
// than others, and no line is transposed.
template <typename T>
class ScatteredPlane {
  using C = Compute<T>;

 public:
  using Pixel = hn::TFromD<hn::RebindToUnsigned<hn::ScalableTag<C>>>;

  // rows: the most that are computed at once.
  ScatteredPlane(const WindowGradients &windows, int64_t rows)
      : windows_(windows),
        direct_(std::is_same_v<T, C> && windows.out.strides[2] == windows.out.shape[3] &&
                HaveElements(windows.rows, windows.grad.shape[2]) &&
                HaveElements(windows.columns, windows.grad.shape[3])),
        sums_(rows * windows.out.shape[3] + 1) {
    if (rows > 0) grads_.resize(windows.grad.shape[2] * windows.grad.shape[3]);
  }

  // Computes rows of a channel of image n. found: the pixels of its windows, `step` numbers apart, counted
  // from the first of the rows; the number behind their last pixel stands for none.
  void Scatter(int64_t n, int64_t channel, const TileRows &at, const Pixel *found, int64_t step) {
    const int64_t width = windows_.out.shape[3], height = at.last - at.first;
    const int64_t count = std::max<int64_t>(0, at.bottom - at.top) * windows_.grad.shape[3];
    const int64_t row = windows_.out.strides[2];
    T *to = PlaneOf<T>(windows_.out, n, channel) + at.first * row;
    C *sums = sums_.data();
    const bool direct = direct_ && height == windows_.out.shape[2];
    if constexpr (std::is_same_v<T, C>) {
      if (direct) sums = to;
    }
    std::fill_n(sums, height * width, C{0});
    const C *grads = Grads(PlaneOf<const T>(windows_.grad, n, channel), at);
    for (int64_t i = 0; i < count; ++i, found += step) sums[*found] += grads[i];
    if (direct) return;
    if (row == width) return ConvertLine(sums, height * width, to);
    for (int64_t y = 0; y < height; ++y) ConvertLine(sums + y * width, width, to + y * row);
  }

 private:
  // Whether each window of an axis has a tap inside the image.
  static bool HaveElements(const WindowAxis &axis, int64_t windows) {
    for (int64_t w = 0; w < windows; ++w) {
      if (axis.FirstTap(w) >= axis.EndTap(w)) return false;
    }
    return true;
  }

  // The gradients of the windows, one behind the other.
  const C *Grads(const T *plane, const TileRows &at) {
    const int64_t width = windows_.grad.shape[3];
    const Shape &strides = windows_.grad.strides;
    const T *from = plane + at.top * strides[2];
    const int64_t rows = std::max<int64_t>(0, at.bottom - at.top);
    const bool dense = strides[3] == 1 && strides[2] == width;
    if constexpr (std::is_same_v<T, C>) {
      if (dense) return from;
    }
    C *to = grads_.data();
    if (dense) {
      ConvertLine(from, rows * width, to);
      return to;
    }
    for (int64_t y = 0; y < rows; ++y, from += strides[2], to += width) {
      if (strides[3] == 1) {
        ConvertLine(from, width, to);
      } else {
        for (int64_t x = 0; x < width; ++x) to[x] = Widen(from[x * strides[3]]);
      }
    }
    return grads_.data();
  }

  const WindowGradients &windows_;
  // Whether a whole plane is summed where its result lies, as no window adds to the place behind its last
  // pixel.
  const bool direct_;
  AlignedVector<C> sums_, grads_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
