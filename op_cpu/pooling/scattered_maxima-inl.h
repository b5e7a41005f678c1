// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of planes: the pixel of each maximum is found, and the gradient added there. Compiled
// once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_SCATTERED_MAXIMA_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/pooling/pixel_squares-inl.h"
#include "op_cpu/pooling/sparse_planes-inl.h"
#include "op_cpu/pooling/stream-inl.h"
#include "op_cpu/pooling/tile_rows.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Finds the largest element of windows, one vector of windows at a time, and its pixel. Elements come in
// row-major order: a larger one takes the place of the one before, and so does NaN.
template <bool kNaN, class V, class Pixels>
HWY_INLINE void TakeLarger(V value, Pixels pixel, V &best, Pixels &found) {
  const hn::DFromV<Pixels> pixels;
  auto larger = hn::Gt(value, best);
  if constexpr (kNaN) {
    larger = hn::Or(larger, hn::IsNaN(value));
    best = hn::IfThenElse(larger, value, best);
  } else {
    best = hn::Max(best, value);
  }
  found = hn::IfThenElse(hn::RebindMask(pixels, larger), pixel, found);
}

// A block of planes is computed together, a few rows of the result at a time. The lanes of a vector are
// planes, so that rows of any length and windows at any distances fill vectors:
//   1. the rows of the image that these rows' windows reach are transposed,
//   2. for each row of the image, the maximum of what each window has there is found, and for each row of
//      windows the maximum of its rows: windows that share rows share these maxima,
//   3. each window adds its gradient to the pixel of its maximum, in row-major order of the windows.
// Taps beside the image are left out, so that no element stands for them.
template <typename T>
class ScatteredMaxima {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  using PixelTag = hn::RebindToUnsigned<D>;
  using Pixel = hn::TFromD<PixelTag>;
  static constexpr int64_t kBlock = kPixelBlock<T>, kLanes = hn::MaxLanes(D());

 public:
  explicit ScatteredMaxima(const WindowGradients &windows)
      : windows_(windows),
        rows_(windows.rows),
        columns_(windows.columns),
        width_(columns_.size),
        count_(windows.grad.shape[3]),
        band_(Band(windows)),
        once_(Apart(rows_, windows.grad.shape[2]) && Apart(columns_, count_)),
        runs_of_grads_(windows.grad.strides[3] == 1 &&
                       (windows.grad.strides[2] == count_ || windows.grad.shape[2] == 1)),
        few_(std::is_same_v<T, BFloat16> && !once_ &&
             windows.out.strides[1] == windows.out.shape[2] * width_ &&
             8 * windows.grad.shape[2] * count_ <= windows.out.shape[2] * width_),
        direct_(windows.out.strides[2] == width_ && windows.out.strides[1] <= kFarthest &&
                !OutgrowsCaches(windows.out) && HaveElements(rows_, windows.grad.shape[2]) &&
                HaveElements(columns_, count_) &&
                (std::is_same_v<T, C> || (once_ && runs_of_grads_) || few_)),
        chunk_(std::clamp<int64_t>(kChunk / width_, 1, rows_.size)),
        kept_(std::min(rows_.size, rows_.Reach() + chunk_)),
        lines_(kept_ * 2 * count_ * kBlock),
        planes_((chunk_ * width_ + kBlock) * kBlock),
        tile_(planes_.size()) {
    const int64_t window_rows =
        std::min(windows.grad.shape[2], (band_ + rows_.Reach() - 2) / rows_.stride + 2);
    found_.resize(window_rows * count_ * kBlock);
    for (int64_t x = 0; x < count_; ++x) {
      const int64_t first = columns_.FirstTap(x), end = columns_.EndTap(x);
      taps_.push_back({first < end ? columns_.Start(x) + first * columns_.dilation : 0, end - first});
    }
  }

  // Whether the channels of the result are planes, and places in a block of them fit a number of 32 bits.
  static bool Suit(const WindowGradients &windows) {
    return windows.out.strides[3] == 1 && windows.out.strides[1] != 1 &&
           Band(windows) * windows.columns.size <= kFarthest;
  }

  // Computes rows [first, last) of channels [channel, channel + channels) of image n of the result.
  void operator()(int64_t n, int64_t channel, int64_t channels, int64_t first, int64_t last) {
    for (; first < last; first += band_) {
      SelectBand(first, std::min(first + band_, last));
      const T *image = PlaneOf<const T>(windows_.in, n, channel);
      if (in_place_) StartClearing(PlaneOf<T>(windows_.out, n, channel), channels);
      Dispatch([&](auto taps) { FindMaxima<decltype(taps)::value>(image, channels); });
      Give(n, channel, channels);
    }
  }

 private:
  static constexpr int64_t kPixels = 2048;       // of the result that are computed at once: the second cache
  static constexpr int64_t kChunk = 160;         // of the image that are transposed at once: the first cache
  static constexpr int64_t kFarthest = 1 << 27;  // from plane to plane
  static constexpr int64_t kNone = -1;

  // The most rows of the result that are computed at once.
  static int64_t Band(const WindowGradients &windows) {
    return std::min(windows.rows.size, std::max(kPixels / windows.columns.size, 4 * windows.rows.Reach()));
  }

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

  void SelectBand(int64_t first, int64_t last) {
    if (first == at_.first && last == at_.last) return;
    at_ = TileRows::Of(rows_, windows_.grad.shape[2], first, last);
    in_place_ = direct_ && last - first == rows_.size;
    pitch_ = in_place_ ? windows_.out.strides[1] : (last - first) * width_;
    // Rows of the image that no window reads are left out, unless they are shorter than what is transposed
    // at once.
    line_of_row_.assign(at_.in_last - at_.in_first, kNone);
    for (int64_t row = at_.top; row < at_.bottom; ++row) {
      for (int64_t i = rows_.FirstTap(row); i < rows_.EndTap(row); ++i) {
        const int64_t y = rows_.Start(row) + i * rows_.dilation;
        line_of_row_[y - at_.in_first] = y % kept_ * 2 * count_ * kBlock;
      }
    }
    const int64_t lines = line_of_row_.size() - std::count(line_of_row_.begin(), line_of_row_.end(), kNone);
    cleared_ = hwy::RoundUpTo(CeilDiv(kBlock * rows_.size * width_, std::max<int64_t>(1, lines)), kBlock);
    chunks_.clear();
    for (int64_t y = at_.in_first; y < at_.in_last; ++y) {
      if (width_ >= kBlock && line_of_row_[y - at_.in_first] == kNone) continue;
      const bool follows = !chunks_.empty() && chunks_.back().first + chunks_.back().count == y;
      if (!follows || chunks_.back().count == chunk_) chunks_.push_back({y, 0});
      chunks_.back().count += 1;
    }
  }

  // Results that are summed in place are cleared bit by bit while maxima are found, as memory is idle then.
  void StartClearing(T *planes, int64_t channels) {
    const int64_t stride = windows_.out.strides[1], size = rows_.size * width_;
    if (stride == size) {
      next_cleared_ = planes;
      uncleared_ = channels * size;
      return;
    }
    for (int64_t c = 0; c < channels; ++c) Clear(planes + c * stride, size);
  }

  void ClearMore(int64_t count) {
    count = std::min(count, uncleared_);
    Clear(next_cleared_, count);
    next_cleared_ += count;
    uncleared_ -= count;
  }

  // Transposes some rows of the image. Returns whether all of them are finite.
  bool Load(const T *image, const WindowRows &chunk, int64_t channels) {
    const Shape &strides = windows_.in.strides;
    const int64_t pixels = chunk.count * width_;
    const T *from = image + chunk.first * strides[2];
    if (strides[3] == 1 && strides[2] == width_) {
      if constexpr (std::is_same_v<T, C>) {
        if (pixels >= kBlock) {
          return Transpose<true>(from, strides[1], channels, pixels);
        }
      }
      const bool finite = Copy(from, strides[1], pixels, channels, planes_.data());
      Transpose<false>(planes_.data(), pixels, channels, pixels);
      return finite;
    }
    C *to = planes_.data();
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < chunk.count; ++y) {
        const T *row = from + c * strides[1] + y * strides[2];
        for (int64_t x = 0; x < width_; ++x) *to++ = Widen(row[x * strides[3]]);
      }
    }
    return Transpose<true>(planes_.data(), pixels, channels, pixels);
  }

  // Transposes runs of pixels, of planes `stride` elements apart, to the tile. With kCheck, returns whether
  // all of them are finite: the product of NaN or infinity with zero is NaN. Vectors of 32 bytes take half of
  // the time of longer ones, because two of their shuffles start in a cycle.
  template <bool kCheck>
  bool Transpose(const C *from, int64_t stride, int64_t channels, int64_t pixels) {
    using Word = hn::TFromD<WordTag<C>>;
    const hn::CappedTag<Word, 32 / sizeof(Word)> words;
    const hn::CappedTag<Word, 16 / sizeof(Word)> block;
    const hn::RebindToFloat<decltype(words)> d;
    constexpr int64_t kSide = hn::MaxLanes(d);
    auto even = hn::Zero(d), odd = even;
    for (int64_t c = 0; c < kBlock; c += kSide) {
      const C *planes[kSide];
      for (int64_t i = 0; i < kSide; ++i) planes[i] = from + std::min(c + i, channels - 1) * stride;
      ForSquares(kSide, pixels, [&](int64_t p, int64_t) HWY_ATTR {
        hn::Vec<decltype(words)> columns[kSide];
        const auto load = [&](int row, int word) HWY_ATTR {
          return hn::LoadU(block, reinterpret_cast<const Word *>(planes[row] + p) + word);
        };
        TransposeBlocks(words, load, columns);
        C *to = tile_.data() + p * kBlock + c;
#pragma GCC unroll 8
        for (int64_t i = 0; i < kSide; i += 2) {
          const auto a = hn::BitCast(d, columns[i]), b = hn::BitCast(d, columns[i + 1]);
          if (kCheck) even = hn::MulAdd(a, hn::Zero(d), even);
          if (kCheck) odd = hn::MulAdd(b, hn::Zero(d), odd);
          hn::Store(a, d, to + i * kBlock);
          hn::Store(b, d, to + (i + 1) * kBlock);
        }
      });
    }
    return hn::AllTrue(d, hn::Eq(hn::Add(even, odd), hn::Zero(d)));
  }

  // Copies runs one behind the other, as what is computed with. Returns whether all elements are finite.
  static bool Copy(const T *from, int64_t stride, int64_t pixels, int64_t channels, C *to) {
    if (stride == pixels) {
      pixels *= channels;
      channels = 1;
    }
    const D d;
    const V zero = hn::Zero(d);
    V sums[4] = {zero, zero, zero, zero};
    for (int64_t i = 0; i < channels; ++i, from += stride, to += pixels) {
      int64_t x = 0;
      for (; x + 4 * kLanes <= pixels; x += 4 * kLanes) {
#pragma GCC unroll 4
        for (int64_t k = 0; k < 4; ++k) {
          const V value = LoadFloat(d, from + x + k * kLanes);
          sums[k] = hn::MulAdd(value, zero, sums[k]);
          hn::StoreU(value, d, to + x + k * kLanes);
        }
      }
      // The last vector overlaps the one before it.
      for (; x < pixels; x += kLanes) {
        const int64_t at = std::max<int64_t>(0, std::min(x, pixels - kLanes));
        const V value = LoadUpTo(d, from + at, pixels - at);
        sums[0] = hn::MulAdd(value, zero, sums[0]);
        StoreUpTo(value, d, to + at, pixels - at, false);
      }
    }
    return hn::AllTrue(d, hn::Eq(hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3])), zero));
  }

  // Calls body with the number of taps of a window in a row, or 0 where there is no code for this number.
  template <class Body>
  void Dispatch(const Body &body) const {
    switch (columns_.kernel) {
      case 1:
        return body(std::integral_constant<int64_t, 1>());
      case 2:
        return body(std::integral_constant<int64_t, 2>());
      case 3:
        return body(std::integral_constant<int64_t, 3>());
      case 4:
        return body(std::integral_constant<int64_t, 4>());
      case 5:
        return body(std::integral_constant<int64_t, 5>());
      default:
        return body(std::integral_constant<int64_t, 0>());
    }
  }

  // Finds where each window of the band adds its gradient.
  template <int64_t kTaps>
  void FindMaxima(const T *image, int64_t channels) {
    Pixel *to = found_.data();
    bool finite = true;
    auto chunk = chunks_.begin();
    for (int64_t row = at_.top; row < at_.bottom; ++row, to += count_ * kBlock) {
      const int64_t first = rows_.FirstTap(row), lines = std::max<int64_t>(0, rows_.EndTap(row) - first);
      const int64_t y = rows_.Start(row) + first * rows_.dilation;
      for (; lines > 0 && chunk != chunks_.end() && chunk->first <= y + (lines - 1) * rows_.dilation;
           ++chunk) {
        finite &= Load(image, *chunk, channels);
        finite ? FindLines<false, kTaps>(*chunk) : FindLines<true, 0>(*chunk);
      }
      const int64_t *taps = line_of_row_.data() + y - at_.in_first;
      finite ? CombineLines<false>(taps, lines, to) : CombineLines<true>(taps, lines, to);
    }
  }

  template <bool kNaN, int64_t kTaps>
  void FindLines(const WindowRows &chunk) {
    for (int64_t i = 0; i < chunk.count; ++i) {
      const int64_t line = line_of_row_[chunk.first + i - at_.in_first];
      if (line != kNone) {
        ClearMore(cleared_);
        FindLine<kNaN, kTaps>(chunk.first + i, tile_.data() + i * width_ * kBlock, lines_.data() + line);
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

  // Finds the maxima of a row of windows from those of its lines. They become places in sums_ or the result.
  template <bool kNaN>
  void CombineLines(const int64_t *taps, int64_t lines, Pixel *to) const {
    const D d;
    const PixelTag pixels;
    // What other bands compute, and windows without an element, go behind the last plane.
    const auto none = hn::Set(pixels, static_cast<Pixel>(kBlock * pitch_));
    const auto size = hn::Set(pixels, static_cast<Pixel>((at_.last - at_.first) * width_));
    const int64_t pixels_at = count_ * kBlock;
    for (int64_t c = 0; c < kBlock; c += kLanes) {
      const auto planes = hn::Mul(hn::Iota(pixels, c), hn::Set(pixels, static_cast<Pixel>(pitch_)));
      for (int64_t x = 0; x < count_; ++x) {
        const int64_t i = x * kBlock + c;
        auto place = none;
        if (lines > 0) {
          const C *line = lines_.data() + taps[0] + i;
          auto best = hn::Load(d, line);
          auto found = hn::BitCast(pixels, hn::Load(d, line + pixels_at));
          for (int64_t r = 1; r < lines; ++r) {
            line = lines_.data() + taps[r * rows_.dilation] + i;
            TakeLarger<kNaN>(hn::Load(d, line), hn::BitCast(pixels, hn::Load(d, line + pixels_at)), best,
                             found);
          }
          place = hn::IfThenElse(hn::Lt(found, size), hn::Add(found, planes), none);
        }
        hn::Store(place, pixels, to + i);
      }
    }
    for (int64_t x = 0; x < count_; ++x) {
      if (columns_.FirstTap(x) >= columns_.EndTap(x)) {
        std::fill_n(to + x * kBlock, kBlock, static_cast<Pixel>(kBlock * pitch_));
      }
    }
  }

  // Adds the gradients to what was found, in place or in sums_, which are then copied.
  void Give(int64_t n, int64_t channel, int64_t channels) {
    const int64_t size = (at_.last - at_.first) * width_, row = windows_.out.strides[2];
    const int64_t planes = windows_.out.strides[1];
    T *to = PlaneOf<T>(windows_.out, n, channel) + at_.first * row;
    if (!in_place_ || few_) sums_.resize(kBlock * band_ * width_ + 1);
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
      const auto found = hn::BitCast(indices, hn::Load(PixelTag(), found_.data() + i));
      StoreFloat(hn::GatherIndex(d, sums_.data(), found), d, rounded);
      const int64_t lanes = std::min(kLanes, channels - i % kBlock);
      for (int64_t c = 0; c < lanes; ++c) to[found_[i + c]] = rounded[c];
    }
  }

  // The gradients of the windows of the band as they are computed with, plane by plane.
  const C *Gradients(const T *from, int64_t windows, int64_t channels) {
    const Shape &strides = windows_.grad.strides;
    grads_.resize(found_.size());
    C *to = grads_.data();
    if (strides[3] == 1 && strides[2] == count_ && strides[1] == windows) {
      ConvertLine(from, channels * windows, to);
      return to;
    }
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t i = 0; i < windows; i += count_, to += count_) {
        const T *line = from + c * strides[1] + i / count_ * strides[2];
        if (strides[3] == 1) {
          ConvertLine(line, count_, to);
        } else {
          for (int64_t x = 0; x < count_; ++x) to[x] = Widen(line[x * strides[3]]);
        }
      }
    }
    return grads_.data();
  }

  template <typename G, typename Sum>
  void ScatterRuns(const G *grads, int64_t step, int64_t windows, int64_t channels, Sum *sums) const {
    const Pixel *found = found_.data();
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

  static void AddTo(C &sum, C grad) { sum += grad; }
  // A half type is no sum, as no windows share a pixel.
  template <typename Half, std::enable_if_t<sizeof(Half) == 2> * = nullptr>
  static void AddTo(Half &sum, Half grad) {
    sum = SumOfOne(grad);
  }

  const WindowGradients &windows_;
  const WindowAxis rows_, columns_;
  const int64_t width_;       // of the image
  const int64_t count_;       // windows of a row
  const int64_t band_;        // the most rows of the result that are computed at once
  const bool once_;           // whether no windows share a pixel
  const bool runs_of_grads_;  // whether all gradients of a plane follow each other
  const bool few_;            // whether most pixels of a dense plane receive nothing
  const bool direct_;         // whether a whole plane may be summed where its result lies
  TileRows at_{};
  bool in_place_ = false;  // whether the band is
  int64_t cleared_ = 0;    // elements that are cleared with each row of the image
  T *next_cleared_ = nullptr;
  int64_t uncleared_ = 0;             // elements from there on
  int64_t pitch_ = 0;                 // from plane to plane of what is summed
  const int64_t chunk_;               // the most rows of the image that are transposed at once
  const int64_t kept_;                // rows of the image whose maxima are kept
  std::vector<WindowRows> chunks_;    // the rows of the image that windows read
  std::vector<int64_t> line_of_row_;  // where the maxima of a row of the image lie in lines_
  std::vector<WindowRows> taps_;      // columns of each window of a row: the first one, and how many
  AlignedVector<C> lines_, planes_, tile_, sums_, grads_;
  AlignedVector<Pixel> found_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
