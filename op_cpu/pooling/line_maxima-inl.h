// SPDX-License-Identifier: Apache-2.0
// Maxima of windows over a block of planes, row by row of the image first. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_POOLING_LINE_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_LINE_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_LINE_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_LINE_MAXIMA_INL_H_
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

// The lanes of a vector are planes. For each row of the image, the maximum of what each window has there is
// found, and for each row of windows the maximum of its rows: windows that share rows share these maxima.
// Rows that no window reads are left out.
template <typename T>
class LineMaxima {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  using PixelTag = typename ScatteredSums<T>::PixelTag;
  using Pixel = typename ScatteredSums<T>::Pixel;
  static constexpr int64_t kBlock = PlaneTile<T>::kBlock, kLanes = hn::MaxLanes(D());

 public:
  // count: windows of a row.
  LineMaxima(const Tensor &images, const WindowAxis &rows, const WindowAxis &columns, int64_t count)
      : rows_(rows),
        columns_(columns),
        width_(columns_.size),
        count_(count),
        chunk_(std::clamp<int64_t>(kChunk / width_, 1, rows_.size)),
        kept_(std::min(rows_.size, rows_.Reach() + chunk_)),
        lines_(kept_ * 2 * count_ * kBlock),
        tile_(images, chunk_ * width_) {
    for (int64_t x = 0; x < count_; ++x) {
      const int64_t first = columns_.FirstTap(x), end = columns_.EndTap(x);
      taps_.push_back({first < end ? columns_.Start(x) + first * columns_.dilation : 0, end - first});
    }
  }

  // Selects rows of the result. Returns how many steps there are.
  int64_t SelectRows(const TileRows &at) {
    at_ = at;
    // Rows of the image that no window reads are left out, unless they are shorter than what is transposed
    // at once.
    line_of_row_.assign(at_.in_last - at_.in_first, kNone);
    for (int64_t row = at_.top; row < at_.bottom; ++row) {
      for (int64_t i = rows_.FirstTap(row); i < rows_.EndTap(row); ++i) {
        const int64_t y = rows_.Start(row) + i * rows_.dilation;
        line_of_row_[y - at_.in_first] = y % kept_ * 2 * count_ * kBlock;
      }
    }
    chunks_.clear();
    for (int64_t y = at_.in_first; y < at_.in_last; ++y) {
      if (width_ >= kBlock && line_of_row_[y - at_.in_first] == kNone) continue;
      const bool follows = !chunks_.empty() && chunks_.back().first + chunks_.back().count == y;
      if (!follows || chunks_.back().count == chunk_) chunks_.push_back({y, 0});
      chunks_.back().count += 1;
    }
    return line_of_row_.size() - std::count(line_of_row_.begin(), line_of_row_.end(), kNone);
  }

  // Finds the places of the maxima of all windows of the selected rows. Calls step() at each step. image: the
  // first plane of the block.
  template <class Step>
  void operator()(const T *image, int64_t channels, const PixelPlaces<T> &places, Pixel *to,
                  const Step &step) {
    // 0 stands for all numbers of taps that there is no code for.
    WithConstant<1, 2, 3, 4, 5, 0>(columns_.kernel, [&](auto taps) HWY_ATTR {
      FindMaxima<decltype(taps)::value>(image, channels, places, to, step);
    });
  }

 private:
  static constexpr int64_t kChunk = 160;  // pixels of the image that are transposed at once: the first cache
  static constexpr int64_t kNone = -1;

  template <int64_t kTaps, class Step>
  void FindMaxima(const T *image, int64_t channels, const PixelPlaces<T> &places, Pixel *to,
                  const Step &step) {
    bool finite = true;
    auto chunk = chunks_.begin();
    for (int64_t row = at_.top; row < at_.bottom; ++row, to += count_ * kBlock) {
      const int64_t first = rows_.FirstTap(row), lines = std::max<int64_t>(0, rows_.EndTap(row) - first);
      const int64_t y = rows_.Start(row) + first * rows_.dilation;
      for (; lines > 0 && chunk != chunks_.end() && chunk->first <= y + (lines - 1) * rows_.dilation;
           ++chunk) {
        finite &= tile_.Load(image, *chunk, channels);
        finite ? FindLines<false, kTaps>(*chunk, step) : FindLines<true, 0>(*chunk, step);
      }
      const int64_t *taps = line_of_row_.data() + y - at_.in_first;
      finite ? CombineLines<false>(taps, lines, places, to) : CombineLines<true>(taps, lines, places, to);
    }
  }

  template <bool kNaN, int64_t kTaps, class Step>
  void FindLines(const WindowRows &chunk, const Step &step) {
    for (int64_t i = 0; i < chunk.count; ++i) {
      const int64_t line = line_of_row_[chunk.first + i - at_.in_first];
      if (line != kNone) {
        step();
        FindLine<kNaN, kTaps>(chunk.first + i, tile_.Row(i), lines_.data() + line);
      }
    }
  }

  // Finds the maxima of what the windows have in row y of the image: a line of values, then one of pixels.
  // kTaps: how many taps most windows have in a row, or 0 where the compiler does not know it.
  template <bool kNaN, int64_t kTaps>
  void FindLine(int64_t y, const C *from, C *line) const {
    const PixelTag pixels;
    // Pixels above the band are large unsigned numbers.
    const Pixel row = static_cast<Pixel>((y - at_.first) * width_);
    for (int64_t x = 0; x < count_; ++x) {
      const auto [first, taps] = taps_[x];
      const C *window = from + first * kBlock;
      const auto pixel = hn::Set(pixels, row + static_cast<Pixel>(first));
      for (int64_t c = 0; c < kBlock; c += kLanes) {
        C *to = line + x * kBlock + c;
        if (kTaps != 0 && HWY_LIKELY(taps == kTaps)) {
          FindWindow<kNaN, kTaps>(window + c, kTaps, pixel, to);
        } else {
          FindWindow<kNaN, 0>(window + c, taps, pixel, to);
        }
      }
    }
  }

  template <bool kNaN, int64_t kTaps>
  HWY_INLINE void FindWindow(const C *window, int64_t taps, hn::Vec<PixelTag> pixel, C *to) const {
    const D d;
    const PixelTag pixels;
    const int64_t step = columns_.dilation * kBlock;
    V best = hn::Load(d, window);
    auto found = hn::Zero(pixels);
    if constexpr (kTaps != 0) taps = kTaps;
#pragma GCC unroll 6
    for (int64_t j = 1; j < taps; ++j) {
      const auto here = hn::Set(pixels, static_cast<Pixel>(j * columns_.dilation));
      TakeLarger<kNaN>(hn::Load(d, window + j * step), here, best, found);
    }
    hn::Store(best, d, to);
    hn::Store(hn::Add(found, pixel), pixels, reinterpret_cast<Pixel *>(to + count_ * kBlock));
  }

  // Finds the maxima of a row of windows from those of its lines. They become places.
  template <bool kNaN>
  void CombineLines(const int64_t *taps, int64_t lines, const PixelPlaces<T> places, Pixel *to) const {
    const D d;
    const PixelTag pixels;
    const int64_t pixels_at = count_ * kBlock;
    for (int64_t c = 0; c < kBlock; c += kLanes) {
      for (int64_t x = 0; x < count_; ++x) {
        const int64_t i = x * kBlock + c;
        auto place = hn::Set(pixels, places.None());
        if (lines > 0) {
          const C *line = lines_.data() + taps[0] + i;
          auto best = hn::Load(d, line);
          auto found = hn::BitCast(pixels, hn::Load(d, line + pixels_at));
          for (int64_t r = 1; r < lines; ++r) {
            line = lines_.data() + taps[r * rows_.dilation] + i;
            TakeLarger<kNaN>(hn::Load(d, line), hn::BitCast(pixels, hn::Load(d, line + pixels_at)), best,
                             found);
          }
          place = places.In(c, found);
        }
        hn::Store(place, pixels, to + i);
      }
    }
    for (int64_t x = 0; x < count_; ++x) {
      if (taps_[x].count <= 0) std::fill_n(to + x * kBlock, kBlock, places.None());
    }
  }

  const WindowAxis rows_, columns_;
  const int64_t width_;               // of the image
  const int64_t count_;               // windows of a row
  const int64_t chunk_;               // the most rows of the image that are transposed at once
  const int64_t kept_;                // rows of the image whose maxima are kept
  std::vector<WindowRows> chunks_;    // the rows of the image that windows read
  std::vector<int64_t> line_of_row_;  // where the maxima of a row of the image lie in lines_
  std::vector<WindowRows> taps_;      // columns of each window of a row: the first one, and how many
  AlignedVector<C> lines_;
  PlaneTile<T> tile_;
  TileRows at_{};
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
