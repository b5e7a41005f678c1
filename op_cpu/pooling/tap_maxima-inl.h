// SPDX-License-Identifier: Apache-2.0
// Maxima of windows of few taps over a block of planes, straight from these taps. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_TAP_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_TAP_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_TAP_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_TAP_MAXIMA_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/with_constant-inl.h"
#include "op_cpu/pooling/plane_tile-inl.h"
#include "op_cpu/pooling/scattered_sums-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/window_operations-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The lanes of a vector are planes. The taps of a window stay in registers: the largest of them is found,
// then the first one that is equal to it. Measured at AVX-512, this takes 0.85 x the time of
// line_maxima-inl.h for 3 x 3 windows of float64, and 0.95 x for those of float32; half types gain nothing,
// as converting them takes longer than finding maxima.
template <typename T>
class TapMaxima {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  using PixelTag = typename ScatteredSums<T>::PixelTag;
  using Pixel = typename ScatteredSums<T>::Pixel;
  static constexpr int64_t kBlock = PlaneTile<T>::kBlock, kLanes = hn::MaxLanes(D());

 public:
  static bool Suit(const WindowAxis &rows, const WindowAxis &columns) {
    return sizeof(T) >= 4 && rows.kernel * columns.kernel <= kMostTaps &&
           2 * rows.Reach() * columns.size <= kTile &&
           (rows.stride == 1 || (rows.dilation == 1 && rows.stride <= rows.kernel));
  }

  // count: windows of a row.
  TapMaxima(const Tensor &images, const WindowAxis &rows, const WindowAxis &columns, int64_t count)
      : rows_(rows),
        columns_(columns),
        width_(columns_.size),
        count_(count),
        together_(std::max<int64_t>(1, (kTile / width_ - rows_.Reach()) / rows_.stride + 1)),
        tile_(images, std::min(rows_.size, (together_ - 1) * rows_.stride + rows_.Reach()) * width_) {
    for (int64_t i = 0; i < rows_.kernel; ++i) {
      for (int64_t j = 0; j < columns_.kernel; ++j) {
        const int64_t pixel = i * rows_.dilation * width_ + j * columns_.dilation;
        taps_.push_back({pixel * kBlock, static_cast<Pixel>(pixel)});
      }
    }
    for (int64_t x = 0; x < count_; ++x) {
      const int64_t first = columns_.FirstTap(x);
      column_taps_.push_back({first, columns_.EndTap(x) - first});
    }
  }

  // Selects rows of the result. Returns how many steps there are.
  int64_t SelectRows(const TileRows &at) {
    at_ = at;
    row_taps_.clear();
    for (int64_t row = at.top; row < at.bottom; ++row) {
      const int64_t first = rows_.FirstTap(row);
      row_taps_.push_back({first, rows_.EndTap(row) - first});
    }
    return at.bottom - at.top;
  }

  // Finds the places of the maxima of all windows of the selected rows. Calls step() at each step. image: the
  // first plane of the block.
  template <class Step>
  void operator()(const T *image, int64_t channels, const PixelPlaces<T> &places, Pixel *to,
                  const Step &step) {
    bool finite = true;
    for (int64_t row = at_.top; row < at_.bottom;) {
      const int64_t end = std::min(at_.bottom, row + together_);
      const int64_t first = std::max<int64_t>(0, rows_.Start(row));
      const int64_t last = std::min(rows_.size, rows_.Start(end - 1) + rows_.Reach());
      if (first < last) finite &= tile_.Load(image, {first, last - first}, channels);
      for (; row < end; ++row, to += count_ * kBlock) {
        step();
        const C *from = tile_.Row(rows_.Start(row) - first);
        // 0 stands for all numbers of taps that there is no code for.
        const int64_t taps = row_taps_[row - at_.top].count * columns_.kernel;
        WithConstant<2, 3, 4, 6, 9, 0>(finite ? taps : 0, [&](auto constant) HWY_ATTR {
          finite ? FindRow<false, decltype(constant)::value>(row, from, places, to)
                 : FindRow<true, 0>(row, from, places, to);
        });
      }
    }
  }

 private:
  static constexpr int64_t kMostTaps = 9;
  static constexpr int64_t kTile = 512;  // pixels of the image that are transposed at once

  // A tap lies `from` elements of the tile, and `distance` pixels, behind the first tap of its window.
  struct Tap {
    int64_t from;
    Pixel distance;
  };

  // Finds the places of a row of windows, whose first row lies at `from`. kTaps: how many taps of them are
  // inside the image, but for those beside its columns; or 0 where the compiler does not know it.
  template <bool kNaN, int64_t kTaps>
  void FindRow(int64_t row, const C *from, const PixelPlaces<T> places, Pixel *to) const {
    const PixelTag pixels;
    const WindowRows rows = row_taps_[row - at_.top];
    const Tap *all = taps_.data() + rows.first * columns_.kernel;
    // The compiler keeps a local copy of few taps in registers.
    Tap taps[kTaps + 1];
    std::copy_n(all, kTaps, taps);
    const int64_t start = (rows_.Start(row) - at_.first) * width_ - columns_.padding;
    from -= columns_.padding * kBlock;
    for (int64_t x = 0; x < count_; ++x, to += kBlock) {
      const int64_t column = x * columns_.stride;
      const auto place = hn::Set(pixels, static_cast<Pixel>(start + column));
      const C *window = from + column * kBlock;
      const WindowRows columns = column_taps_[x];
      for (int64_t c = 0; c < kBlock; c += kLanes) {
        auto found = hn::Set(pixels, places.None());
        if (kTaps > 0 && HWY_LIKELY(columns.count == columns_.kernel)) {
          found = FindTaps<kTaps>(window + c, taps);
        } else if (rows.count > 0 && columns.count > 0) {
          found = FindSomeTaps<kNaN>(window + c, all + columns.first, rows.count, columns.count);
        } else {
          hn::Store(found, pixels, to + c);
          continue;
        }
        hn::Store(places.In(c, hn::Add(found, place)), pixels, to + c);
      }
    }
  }

  // Gives the distance to the first of the largest taps of each window.
  template <int64_t kTaps>
  static HWY_INLINE hn::Vec<PixelTag> FindTaps(const C *window, const Tap *taps) {
    const D d;
    const PixelTag pixels;
    V values[kTaps + 1];
#pragma GCC unroll 9
    for (int64_t k = 0; k < kTaps; ++k) values[k] = hn::Load(d, window + taps[k].from);
    V best = values[0];
#pragma GCC unroll 9
    for (int64_t k = 1; k < kTaps; ++k) best = hn::Max(best, values[k]);
    auto found = hn::Set(pixels, taps[std::max<int64_t>(kTaps - 1, 0)].distance);
#pragma GCC unroll 9
    for (int64_t k = kTaps - 2; k >= 0; --k) {
      const auto here = hn::RebindMask(pixels, hn::Eq(values[k], best));
      found = hn::IfThenElse(here, hn::Set(pixels, taps[k].distance), found);
    }
    return found;
  }

  // The same for `rows` rows of `columns` taps, some of those of a window.
  template <bool kNaN>
  HWY_INLINE hn::Vec<PixelTag> FindSomeTaps(const C *window, const Tap *taps, int64_t rows,
                                            int64_t columns) const {
    const D d;
    const PixelTag pixels;
    V best = hn::Load(d, window + taps->from);
    auto found = hn::Set(pixels, taps->distance);
    for (int64_t i = 0; i < rows; ++i, taps += columns_.kernel) {
      for (int64_t j = 0; j < columns; ++j) {
        const V value = hn::Load(d, window + taps[j].from);
        TakeLarger<kNaN>(value, hn::Set(pixels, taps[j].distance), best, found);
      }
    }
    return found;
  }

  const WindowAxis rows_, columns_;
  const int64_t width_;                  // of the image
  const int64_t count_;                  // windows of a row
  const int64_t together_;               // rows of windows whose image is transposed at once
  std::vector<Tap> taps_;                // all taps of a window
  std::vector<WindowRows> column_taps_;  // the columns of taps that a window of a row has in the image
  std::vector<WindowRows> row_taps_;     // the rows of taps that a selected row of windows has there
  PlaneTile<T> tile_;
  TileRows at_{};
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
