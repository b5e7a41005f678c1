// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of images whose channels are neighbours in memory, right where these lie; or of images
// of any layout, channel by channel. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PIXEL_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PIXEL_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_PIXEL_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_PIXEL_MAXIMA_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/sparse_planes-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/window_operations-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels are lanes. For each window, in row-major order, the maximum is found, and then the first tap that
// is equal to it adds the gradient to the sum of its pixel, in each lane:
//
//   taps        3 5   7 5   7 2      of two channels
//   maximum     7 5
//   adds        . g   g .   . .
//
// Sums lie in the result itself; those of half types in a band of rows, which is rounded once.
template <typename T>
class PixelMaxima {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr bool kInPlace = std::is_same_v<T, C>;

 public:
  // channels: how many an image has; one, or all of them, which must be neighbours.
  PixelMaxima(const WindowGradients &windows, int64_t channels)
      : windows_(windows),
        columns_(windows.columns.size),
        channels_(channels),
        block_(std::min(
            channels, AlignUp<int64_t>(std::max<int64_t>(1, kBand / (windows.rows.Reach() * columns_)), 64))),
        band_(RowsTogether(windows.rows, kBand / (columns_ * block_))),
        sums_(kInPlace ? 0 : band_ * columns_ * block_) {}

  // Computes rows [first, last) of the image of the result that begins with a channel of image n.
  void operator()(int64_t n, int64_t channel, int64_t first, int64_t last) {
    for (channel_ = channel; channel_ < channel + channels_; channel_ += block_) {
      count_ = std::min(block_, channel + channels_ - channel_);
      T *out = PlaneOf<T>(windows_.out, n, channel_);
      if constexpr (kInPlace) {
        row_ = windows_.out.strides[2];
        pixel_ = windows_.out.strides[3];
        ComputeBand(n, first, last, out + first * row_);
      } else {
        pixel_ = count_;
        row_ = columns_ * pixel_;
        for (int64_t begin = first; begin < last; begin += band_) {
          const int64_t end = std::min(begin + band_, last);
          ComputeBand(n, begin, end, sums_.data());
          for (int64_t row = begin; row < end; ++row) {
            RoundRow(sums_.data() + (row - begin) * row_, out + row * windows_.out.strides[2]);
          }
        }
      }
    }
  }

 private:
  // Elements of a row of windows of a block of channels, which then stays in the second cache.
  static constexpr int64_t kBand = 1 << 16;

  // Elements from the start of a window to a tap, in the image and in the sums.
  struct Tap {
    int64_t in, sum;
  };

  void RoundRow(const C *sums, T *to) const {
    const int64_t stride = windows_.out.strides[3];
    if (stride == count_) return ConvertLine(sums, columns_ * count_, to);
    for (int64_t x = 0; x < columns_; ++x) ConvertLine(sums + x * count_, count_, to + x * stride);
  }

  void ClearRow(C *row) const {
    if (pixel_ == count_) return Clear(row, columns_ * count_);
    for (int64_t x = 0; x < columns_; ++x) Clear(row + x * pixel_, count_);
  }

  // Computes the sums of rows [first, last), the first of which lies at `sums`.
  void ComputeBand(int64_t n, int64_t first, int64_t last, C *sums) {
    const TileRows at = TileRows::Of(windows_.rows, windows_.grad.shape[2], first, last);
    int64_t cleared = first;
    const auto clear = [&](int64_t end) {
      for (; cleared < std::min(end, last); ++cleared) ClearRow(sums + (cleared - first) * row_);
    };
    for (int64_t row = at.top; row < at.bottom; ++row) {
      clear(windows_.rows.Start(row) + windows_.rows.Reach());
      GiveRow(n, row, first, last, sums);
    }
    clear(last);
  }

  void GiveRow(int64_t n, int64_t row, int64_t first, int64_t last, C *sums) {
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    const int64_t start = rows.Start(row), top = rows.FirstTap(row), bottom = rows.EndTap(row);
    const auto taps_before = [&](int64_t end) {
      int64_t y = top;
      while (y < bottom && start + y * rows.dilation < end) ++y;
      return y - top;
    };
    const int64_t given = taps_before(first), end = taps_before(last);
    const T *in = PlaneOf<const T>(windows_.in, n, channel_);
    const T *grad = PlaneOf<const T>(windows_.grad, n, channel_) + row * windows_.grad.strides[2];
    int64_t left = 0, right = 0;  // the taps of a row of the window that taps_ has
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x, grad += windows_.grad.strides[3]) {
      if (x == 0 || left != columns.FirstTap(x) || right != columns.EndTap(x)) {
        left = columns.FirstTap(x);
        right = columns.EndTap(x);
        MakeTaps(top, bottom, left, right);
      }
      if (taps_.empty()) continue;
      const Shape &s = windows_.in.strides;
      const int64_t column = columns.Start(x), width = right - left;
      GiveWindow(in + start * s[2] + column * s[3], grad, sums + (start - first) * row_ + column * pixel_,
                 given * width, end * width);
    }
  }

  void MakeTaps(int64_t top, int64_t bottom, int64_t left, int64_t right) {
    taps_.clear();
    for (int64_t i = top; i < bottom; ++i) {
      for (int64_t j = left; j < right; ++j) {
        const int64_t y = i * windows_.rows.dilation, x = j * windows_.columns.dilation;
        taps_.push_back({y * windows_.in.strides[2] + x * windows_.in.strides[3], y * row_ + x * pixel_});
      }
    }
  }

  // Taps [first, last) lie in rows that are computed.
  void GiveWindow(const T *in, const T *grad, C *sums, int64_t first, int64_t last) const {
    int64_t c = 0;
    for (; c + kLanes <= count_; c += kLanes) GiveLanes(in + c, grad + c, sums + c, first, last, kLanes);
    if (c < count_) GiveLanes(in + c, grad + c, sums + c, first, last, count_ - c);
  }

  HWY_INLINE void GiveLanes(const T *in, const T *grad, C *sums, int64_t first, int64_t last,
                            int64_t lanes) const {
    const D d;
    const Tap *taps = taps_.data(), *end = taps + taps_.size();
    V largest = LoadUpTo(d, in + taps->in, lanes), zero = hn::Mul(largest, hn::Zero(d));
    for (const Tap *tap = taps + 1; tap < end; ++tap) {
      const V value = LoadUpTo(d, in + tap->in, lanes);
      largest = hn::Max(largest, value);
      zero = hn::MulAdd(value, hn::Zero(d), zero);  // NaN where a value is not finite
    }
    if (!hn::AllFalse(d, hn::IsNaN(zero))) return GiveNumbered(in, grad, sums, first, last, lanes);
    const V up = LoadUpTo(d, grad, lanes);
    auto open = hn::Not(hn::MaskFalse(d));
    for (const Tap *tap = taps; tap < taps + last; ++tap) {
      const auto here = hn::MaskedEq(open, LoadUpTo(d, in + tap->in, lanes), largest);
      open = hn::AndNot(here, open);
      if (tap >= taps + first) AddWhere(here, up, sums + tap->sum, lanes);
    }
  }

  // The same for any values: of equal maxima the first one counts, and of NaN the last one.
  HWY_NOINLINE void GiveNumbered(const T *in, const T *grad, C *sums, int64_t first, int64_t last,
                                 int64_t lanes) const {
    const D d;
    const hn::RebindToUnsigned<D> numbers;
    using Number = hn::TFromD<decltype(numbers)>;
    const auto count = static_cast<int64_t>(taps_.size());
    V largest = LoadUpTo(d, in + taps_[0].in, lanes);
    auto found = hn::Zero(numbers);
    for (int64_t k = 1; k < count; ++k) {
      const auto number = hn::Set(numbers, static_cast<Number>(k));
      TakeLarger<true>(LoadUpTo(d, in + taps_[k].in, lanes), number, largest, found);
    }
    const V up = LoadUpTo(d, grad, lanes);
    for (int64_t k = first; k < last; ++k) {
      const auto here = hn::Eq(found, hn::Set(numbers, static_cast<Number>(k)));
      AddWhere(hn::RebindMask(d, here), up, sums + taps_[k].sum, lanes);
    }
  }

  static HWY_INLINE void AddWhere(hn::Mask<D> here, V gradient, C *sums, int64_t lanes) {
    const D d;
    const V sum = LoadUpTo(d, sums, lanes);
    StoreUpTo(hn::MaskedAddOr(sum, here, sum, gradient), d, sums, lanes, false);
  }

  const WindowGradients &windows_;
  const int64_t columns_;            // of the image
  const int64_t channels_;           // of an image
  const int64_t block_;              // channels that are computed together
  const int64_t band_;               // the most rows of sums of half types
  int64_t channel_ = 0, count_ = 0;  // the present block
  int64_t row_ = 0, pixel_ = 0;      // from row to row and from pixel to pixel of the sums
  AlignedVector<C> sums_;
  std::vector<Tap> taps_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
