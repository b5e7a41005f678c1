// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of a block of planes, where the place of each maximum is known. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_SCATTERED_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_SCATTERED_SUMS_INL_H_
#undef AVO_OP_CPU_POOLING_SCATTERED_SUMS_INL_H_
#else
#define AVO_OP_CPU_POOLING_SCATTERED_SUMS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/copies/stream_run-inl.h"
#include "op_cpu/common/copies/widen_plane-inl.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/plane_tile-inl.h"
#include "op_cpu/pooling/sparse_planes-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Places count from the first plane of the block to the others, `Pitch` apart; the place behind them all
// stands for no place. The windows of a plane come in row-major order, and for each the planes of the block.
template <typename T>
class ScatteredSums {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  static constexpr int64_t kBlock = PlaneTile<T>::kBlock, kLanes = hn::MaxLanes(D());

 public:
  using PixelTag = hn::RebindToUnsigned<D>;
  using Pixel = hn::TFromD<PixelTag>;
  static constexpr int64_t kFarthest = 1 << 27;  // from plane to plane, so that places are numbers of 32 bits

  explicit ScatteredSums(const WindowGradients &windows)
      : windows_(windows),
        width_(windows.columns.size),
        count_(windows.grad.shape[3]),
        once_(Apart(windows.rows, windows.grad.shape[2]) && Apart(windows.columns, count_)),
        in_place_(windows.out.strides[2] == width_ && windows.out.strides[1] <= kFarthest &&
                  windows.out.numel() * static_cast<int64_t>(sizeof(T)) <= kMostBytes &&
                  HaveElements(windows.rows, windows.grad.shape[2]) &&
                  HaveElements(windows.columns, count_) &&
                  (std::is_same_v<T, C> || (once_ && windows.grad.strides[3] == 1))) {}

  // Selects rows of the result.
  void Select(const TileRows &at) {
    at_ = at;
    whole_ = in_place_ && at.last - at.first == windows_.out.shape[2];
    pitch_ = whole_ ? windows_.out.strides[1] : (at.last - at.first) * width_;
  }

  int64_t Pitch() const { return pitch_; }

  // Starts the selected rows of channels [channel, channel + channels) of image n.
  void Start(int64_t n, int64_t channel, int64_t channels) {
    const Shape &strides = windows_.grad.strides;
    channels_ = channels;
    cleared_ = at_.first;
    result_ = PlaneOf<T>(windows_.out, n, channel) + at_.first * windows_.out.strides[2];
    if (!whole_) sums_.resize(std::max<size_t>(sums_.size(), kBlock * pitch_ + 1));
    given_ = PlaneOf<const T>(windows_.grad, n, channel) + at_.top * strides[2];
    if (IsGiven()) return;
    const int64_t rows = std::max<int64_t>(0, at_.bottom - at_.top);
    grads_.resize(std::max<size_t>(grads_.size(), rows * count_ * channels));
    if (strides[1] == rows * strides[2] && strides[2] == count_ * strides[3]) {
      return WidenPlane(given_, strides[1], strides[3], channels, rows * count_, grads_.data());
    }
    for (int64_t c = 0; c < channels; ++c) {
      WidenPlane(given_ + c * strides[1], strides[2], strides[3], rows, count_,
                 grads_.data() + c * rows * count_);
    }
  }

  // Adds the gradients of a row of windows to what was found. The windows before it lie above it.
  void AddRow(int64_t row, const Pixel *found) {
    const int64_t end = std::min(at_.last, windows_.rows.Start(row) + windows_.rows.Reach());
    if (end > cleared_) ClearTo(std::min(at_.last, std::max(end, cleared_ + kCleared / width_)));
    row -= at_.top;
    const T *given = given_ + row * windows_.grad.strides[2];
    const int64_t step = windows_.grad.strides[1];
    if constexpr (std::is_same_v<T, C>) {
      C *sums = whole_ ? result_ : sums_.data();
      if (IsGiven()) return AddWindows(given, step, found, sums);
      AddWidened(row, found, sums);
    } else {
      if (whole_) return AddWindows(given, step, found, result_);
      AddWidened(row, found, sums_.data());
    }
  }

  // Finishes the selected rows.
  void Finish() {
    ClearTo(at_.last);
    if (whole_) return;
    const int64_t row = windows_.out.strides[2], planes = windows_.out.strides[1];
    const bool dense = row == width_ && planes == pitch_;
    const int64_t length = dense ? channels_ * pitch_ : row == width_ ? pitch_ : width_;
    const bool stream = std::is_same_v<T, C> && OutgrowsCaches(windows_.out);
    for (int64_t c = 0; c < (dense ? 1 : channels_); ++c) {
      for (int64_t x = 0; x < (dense ? length : pitch_); x += length) {
        T *run = result_ + c * planes + x / width_ * row;
        const C *sums = sums_.data() + c * pitch_ + x;
        if constexpr (std::is_same_v<T, C>) {
          if (stream) {
            StreamRun(sums, length, run);
            continue;
          }
        }
        ConvertLine(sums, length, run);
      }
    }
  }

 private:
  // Results of up to so many bytes are summed in place: the last cache holds them.
  static constexpr int64_t kMostBytes = 32 << 20;
  static constexpr int64_t kCleared = 256;  // the fewest pixels of a plane to clear at once

  // Whether no two windows of an axis reach the same position.
  static bool Apart(const WindowAxis &axis, int64_t windows) {
    return windows == 1 || axis.stride >= axis.Reach();
  }
  // Whether each window of an axis has a tap inside the image.
  static bool HaveElements(const WindowAxis &axis, int64_t windows) {
    for (int64_t w = 0; w < windows; ++w) {
      if (axis.FirstTap(w) >= axis.EndTap(w)) return false;
    }
    return true;
  }

  // Whether gradients are added as they are given.
  bool IsGiven() const { return windows_.grad.strides[3] == 1 && (std::is_same_v<T, C> || whole_); }

  // Clears rows up to `end`, where sums are added to before long.
  void ClearTo(int64_t end) {
    const int64_t from = (cleared_ - at_.first) * width_, count = (end - cleared_) * width_;
    cleared_ = end;
    if (whole_) {
      ClearPlanes(result_ + from, count);
    } else {
      ClearPlanes(sums_.data() + from, count);
    }
  }
  template <typename Sum>
  void ClearPlanes(Sum *to, int64_t count) const {
    if (count == pitch_) return Clear(to, channels_ * count);
    for (int64_t c = 0; c < channels_; ++c, to += pitch_) Clear(to, count);
  }

  void AddWidened(int64_t row, const Pixel *found, C *sums) const {
    AddWindows(grads_.data() + row * count_, (at_.bottom - at_.top) * count_, found, sums);
  }

  // Adds the gradients of a row of windows to `sums`, or stores them there if no windows share a pixel.
  template <typename G>
  void AddWindows(const G *grads, int64_t step, const Pixel *found, G *sums) const {
    for (int64_t x = 0; x < count_; ++x, found += kBlock) {
      const G *next = grads + x;
      if (channels_ == kBlock) {
#pragma GCC unroll 16
        for (int64_t c = 0; c < kBlock; ++c, next += step) AddTo(sums[found[c]], *next);
      } else {
        for (int64_t c = 0; c < channels_; ++c, next += step) AddTo(sums[found[c]], *next);
      }
    }
  }

  static void AddTo(C &sum, C grad) { sum += grad; }
  // A half type is no sum, as no windows share a pixel.
  template <typename Half, std::enable_if_t<sizeof(Half) == 2> * = nullptr>
  static void AddTo(Half &sum, Half grad) {
    sum = SumOfOne(grad);
  }

  const WindowGradients &windows_;
  const int64_t width_;  // of the image
  const int64_t count_;  // windows of a row
  const bool once_;      // whether no windows share a pixel
  const bool in_place_;  // whether whole planes are summed where their results lie
  TileRows at_{};
  bool whole_ = false;        // whether these are whole planes, summed there
  int64_t pitch_ = 0;         // from plane to plane of what is summed
  int64_t channels_ = 0;      // of the present block
  int64_t cleared_ = 0;       // rows up to here
  T *result_ = nullptr;       // the selected rows of the block
  const T *given_ = nullptr;  // the gradients of their windows
  AlignedVector<C> sums_, grads_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
