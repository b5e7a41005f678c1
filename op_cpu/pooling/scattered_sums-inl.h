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

// Places count from the first plane of the block to the others, `pitch` apart; the place behind them all
// stands for no place. That is for pixels of other bands, and for windows without an element.
template <typename T>
class PixelPlaces {
 public:
  using Tag = hn::RebindToUnsigned<ComputeTag<T>>;
  using Pixel = hn::TFromD<Tag>;

  // pixels: how many a plane of the band has.
  PixelPlaces(int64_t pixels, int64_t pitch)
      : pixels_(static_cast<Pixel>(pixels)), pitch_(static_cast<Pixel>(pitch)) {}

  Pixel None() const { return static_cast<Pixel>(PlaneTile<T>::kBlock * pitch_); }

  // The places of pixels that count from the first one of the band, in plane c and those behind it. Pixels
  // above the band are large unsigned numbers.
  HWY_INLINE hn::Vec<Tag> In(int64_t c, hn::Vec<Tag> pixels) const {
    const Tag tag;
    const auto planes = hn::Mul(hn::Iota(tag, c), hn::Set(tag, pitch_));
    const auto inside = hn::Lt(pixels, hn::Set(tag, pixels_));
    return hn::IfThenElse(inside, hn::Add(pixels, planes), hn::Set(tag, None()));
  }

 private:
  Pixel pixels_, pitch_;
};

// Sums the gradients at the places of the maxima. The windows of a plane come in row-major order, and for
// each the planes of the block.
template <typename T>
class ScatteredSums {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  static constexpr int64_t kBlock = PlaneTile<T>::kBlock, kLanes = hn::MaxLanes(D());

 public:
  using PixelTag = typename PixelPlaces<T>::Tag;
  using Pixel = typename PixelPlaces<T>::Pixel;
  static constexpr int64_t kFarthest = 1 << 27;  // from plane to plane, so that places are numbers of 32 bits

  explicit ScatteredSums(const WindowGradients &windows)
      : windows_(windows),
        width_(windows.columns.size),
        count_(windows.grad.shape[3]),
        once_(windows.rows.Apart(windows.grad.shape[2]) && windows.columns.Apart(count_)),
        runs_of_grads_(windows.grad.strides[3] == 1 &&
                       (windows.grad.strides[2] == count_ || windows.grad.shape[2] == 1)),
        few_(std::is_same_v<T, BFloat16> && !once_ &&
             windows.out.strides[1] == windows.out.shape[2] * width_ &&
             8 * windows.grad.shape[2] * count_ <= windows.out.shape[2] * width_),
        direct_(windows.out.strides[2] == width_ && windows.out.strides[1] <= kFarthest && FitsLastCache() &&
                windows.rows.HaveElements(windows.grad.shape[2]) && windows.columns.HaveElements(count_) &&
                (std::is_same_v<T, C> || (once_ && runs_of_grads_) || few_)) {}

  // Selects rows of the result, for which `lines` rows of the image are read.
  void Select(const TileRows &at, int64_t lines) {
    at_ = at;
    in_place_ = direct_ && at.last - at.first == windows_.out.shape[2];
    pitch_ = in_place_ ? windows_.out.strides[1] : (at.last - at.first) * width_;
    cleared_ =
        hwy::RoundUpTo(CeilDiv(kBlock * (at.last - at.first) * width_, std::max<int64_t>(1, lines)), kBlock);
  }

  PixelPlaces<T> Places() const { return {(at_.last - at_.first) * width_, pitch_}; }

  // Results that are summed in place are cleared bit by bit while maxima are found, as memory is idle then.
  void Start(int64_t n, int64_t channel, int64_t channels) {
    if (!in_place_) return;
    T *planes = PlaneOf<T>(windows_.out, n, channel);
    const int64_t stride = windows_.out.strides[1], size = windows_.out.shape[2] * width_;
    if (stride == size) {
      next_cleared_ = planes;
      uncleared_ = channels * size;
      return;
    }
    for (int64_t c = 0; c < channels; ++c) Clear(planes + c * stride, size);
  }

  // Clears the share of a row of the image.
  HWY_INLINE void ClearMore() { ClearMore(cleared_); }

  // Adds the gradients to what was found, in place or in sums_, which are then copied.
  void Give(int64_t n, int64_t channel, int64_t channels, const Pixel *found) {
    found_ = found;
    const int64_t size = (at_.last - at_.first) * width_, row = windows_.out.strides[2];
    const int64_t planes = windows_.out.strides[1];
    T *to = PlaneOf<T>(windows_.out, n, channel) + at_.first * row;
    if (!in_place_ || few_) sums_.resize(std::max<size_t>(sums_.size(), kBlock * size + 1));
    if (in_place_) {
      ClearMore(uncleared_);
      if constexpr (!std::is_same_v<T, C>) {
        if (!once_) return ScatterRounded(n, channel, channels, to);
      }
      return Scatter(n, channel, channels, to);
    }
    Clear(sums_.data(), channels * size);
    Scatter(n, channel, channels, sums_.data());
    const bool dense = row == width_ && planes == size;
    const int64_t length = dense ? channels * size : row == width_ ? size : width_;
    const bool stream = std::is_same_v<T, C> && OutgrowsCaches(windows_.out);
    for (int64_t c = 0; c < (dense ? 1 : channels); ++c) {
      for (int64_t x = 0; x < (dense ? length : size); x += length) {
        T *run = to + c * planes + x / width_ * row;
        const C *sums = sums_.data() + c * size + x;
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
  // Whether the last cache holds the result: then summing in place takes 0.8 x the time of storing around it.
  bool FitsLastCache() const {
    constexpr int64_t kMostBytes = 32 << 20;
    return windows_.out.numel() * static_cast<int64_t>(sizeof(T)) <= kMostBytes;
  }

  HWY_INLINE void ClearMore(int64_t count) {
    count = std::min(count, uncleared_);
    // Behind the block may be memory that has no page yet. There a masked store takes 100 ns, even of
    // nothing.
    if (count == 0) return;
    Clear(next_cleared_, count);
    next_cleared_ += count;
    uncleared_ -= count;
  }

  // Adds the gradients of the windows to `sums`, or stores them there if no windows share a pixel.
  template <typename Sum>
  void Scatter(int64_t n, int64_t channel, int64_t channels, Sum *sums) {
    const Tensor &grad = windows_.grad;
    const int64_t windows = std::max<int64_t>(0, at_.bottom - at_.top) * count_;
    const T *from = PlaneOf<const T>(grad, n, channel) + at_.top * grad.strides[2];
    if constexpr (std::is_same_v<T, Sum>) {
      if (runs_of_grads_) return ScatterRuns(from, grad.strides[1], windows, channels, sums);
    }
    if constexpr (std::is_same_v<C, Sum>) {
      ScatterRuns(Gradients(from, windows, channels), windows, windows, channels, sums);
    }
  }

  // Rounds only those sums of half types that windows add to.
  void ScatterRounded(int64_t n, int64_t channel, int64_t channels, T *to) {
    const D d;
    const hn::RebindToSigned<D> indices;
    const int64_t count = (at_.bottom - at_.top) * count_ * kBlock;
    for (int64_t i = 0; i < count; ++i) sums_[found_[i]] = 0;
    Scatter(n, channel, channels, sums_.data());
    T rounded[kLanes];
    for (int64_t i = 0; i < count; i += kLanes) {
      const auto found = hn::BitCast(indices, hn::Load(PixelTag(), found_ + i));
      StoreFloat(hn::GatherIndex(d, sums_.data(), found), d, rounded);
      const int64_t lanes = std::min(kLanes, channels - i % kBlock);
      for (int64_t c = 0; c < lanes; ++c) to[found_[i + c]] = rounded[c];
    }
  }

  // The gradients of the windows of the band as they are computed with, plane by plane.
  const C *Gradients(const T *from, int64_t windows, int64_t channels) {
    const Shape &strides = windows_.grad.strides;
    grads_.resize(std::max<size_t>(grads_.size(), windows * channels));
    C *to = grads_.data();
    if (runs_of_grads_) {
      WidenPlane(from, strides[1], 1, channels, windows, to);
    } else {
      for (int64_t c = 0; c < channels; ++c) {
        WidenPlane(from + c * strides[1], strides[2], strides[3], windows / count_, count_, to + c * windows);
      }
    }
    return to;
  }

  template <typename G, typename Sum>
  void ScatterRuns(const G *grads, int64_t step, int64_t windows, int64_t channels, Sum *sums) const {
    const Pixel *found = found_;
    for (int64_t i = 0; i < windows; ++i, found += kBlock) {
      const G *next = grads + i;
      if (channels == kBlock) {
#pragma GCC unroll 16
        for (int64_t c = 0; c < kBlock; ++c, next += step) AddTo(sums[found[c]], *next);
      } else {
        for (int64_t c = 0; c < channels; ++c, next += step) AddTo(sums[found[c]], *next);
      }
    }
  }

  const WindowGradients &windows_;
  const int64_t width_;       // of the image
  const int64_t count_;       // windows of a row
  const bool once_;           // whether no windows share a pixel
  const bool runs_of_grads_;  // whether all gradients of a plane follow each other
  const bool few_;            // whether most pixels of a dense plane receive nothing
  const bool direct_;         // whether a whole plane may be summed where its result lies
  TileRows at_{};
  bool in_place_ = false;  // whether the band is
  int64_t cleared_ = 0;    // elements that are cleared with each row of the image
  T *next_cleared_ = nullptr;
  int64_t uncleared_ = 0;         // elements from there on
  int64_t pitch_ = 0;             // from plane to plane of what is summed
  const Pixel *found_ = nullptr;  // the places of maxima
  AlignedVector<C> sums_, grads_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
