// SPDX-License-Identifier: Apache-2.0
// Blocks of channels of images as vectors of channels, and back. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#undef AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#else
#define AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/common/vectors/transpose_blocks-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels of a block: a vector of the widest instruction set, or a few vectors.
template <typename T>
constexpr int64_t kPixelBlock = 64 / sizeof(Compute<T>);

// Words that squares are made of: one element of float32 or float64, or two neighbouring ones of a half type.
template <typename T>
using WordTag = hn::RebindToUnsigned<ComputeTag<T>>;
template <typename T>
constexpr int64_t kWord = sizeof(Compute<T>) / sizeof(T);

// Gives element `i` of each word.
template <typename T>
HWY_INLINE hn::Vec<ComputeTag<T>> OfWords(hn::Vec<WordTag<T>> words, int64_t i) {
  const ComputeTag<T> d;
  if constexpr (kWord<T> == 1) {
    return hn::BitCast(d, words);
  } else {
    const WordTag<T> tag;
    return WidenBits(d, i == 0 ? hn::And(words, hn::Set(tag, 0xffffu)) : hn::ShiftRight<16>(words), T{});
  }
}

// Calls body(p, count) for squares of `side` pixels that cover [0, pixels). The last one overlaps the one
// before it, or has fewer pixels where there are no more.
template <class Body>
HWY_INLINE void ForSquares(int64_t side, int64_t pixels, const Body &body) {
  for (int64_t next = 0; next < pixels; next += side) {
    const int64_t p = std::max<int64_t>(0, std::min(next, pixels - side));
    body(p, std::min(side, pixels - p));
  }
}

// Calls put(places[p] + c, vector) for the pixels p of a run, and the vectors of channels from c on. Channels
// behind the last one have any value. stride: elements from channel to channel; pixels are neighbours.
template <typename T, class Put>
void LoadRun(const T *from, int64_t stride, int64_t channels, int64_t pixels, const int64_t *places,
             const Put &put) {
  const WordTag<T> d;
  using Word = hn::TFromD<WordTag<T>>;
  constexpr int64_t kLanes = hn::MaxLanes(WordTag<T>()), kSide = kLanes * kWord<T>;
  const hn::CappedTag<Word, 16 / sizeof(Word)> block;
  // The last elements of a run that is shorter than a square, with room behind them.
  T ends[kLanes][kSide];
  for (int64_t c = 0; c < kPixelBlock<T>; c += kLanes) {
    const T *lines[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) lines[i] = from + std::min(c + i, channels - 1) * stride;
    if (pixels < kSide) {
      for (int64_t i = 0; i < kLanes; ++i) lines[i] = std::copy_n(lines[i], pixels, ends[i]) - pixels;
    }
    ForSquares(kSide, pixels, [&](int64_t p, int64_t count) HWY_ATTR {
      hn::Vec<WordTag<T>> columns[kLanes];
      const auto load = [&](int row, int word) HWY_ATTR {
        return hn::LoadU(block, reinterpret_cast<const Word *>(lines[row] + p) + word);
      };
      TransposeBlocks(d, load, columns);
      if (count == kSide) {
#pragma GCC unroll 32
        for (int64_t i = 0; i < kSide; ++i) {
          put(places[p + i] + c, OfWords<T>(columns[i / kWord<T>], i % kWord<T>));
        }
      } else {
        for (int64_t i = 0; i < count; ++i) {
          put(places[p + i] + c, OfWords<T>(columns[i / kWord<T>], i % kWord<T>));
        }
      }
    });
  }
}

// Does the same with pixels and channels at any strides.
template <typename T, class Put>
void LoadPoints(const T *from, int64_t stride, int64_t channels, int64_t pixels, int64_t step,
                const int64_t *places, const Put &put) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(ComputeTag<T>());
  T some[kSide] = {};
  for (int64_t p = 0; p < pixels; ++p, from += step) {
    for (int64_t c = 0; c < kPixelBlock<T>; c += kSide) {
      if (stride == 1) {
        put(places[p] + c, LoadUpTo(d, from + c, channels - c));
      } else {
        for (int64_t i = 0; i < std::min(kSide, channels - c); ++i) some[i] = from[(c + i) * stride];
        put(places[p] + c, LoadFloat(d, some));
      }
    }
  }
}

// Stores the vectors of channels at from + places[p] as the pixels p of a run, whose pixels are neighbours.
template <typename T>
void StoreRun(const Compute<T> *from, const int64_t *places, int64_t channels, int64_t pixels, T *to,
              int64_t stride) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(ComputeTag<T>());
  for (int64_t c = 0; c < channels; c += kSide) {
    T *lines[kSide];
    for (int64_t i = 0; i < kSide; ++i) lines[i] = to + (c + i) * stride;
    const int64_t left = channels - c;
    ForSquares(kSide, pixels, [&](int64_t p, int64_t count) HWY_ATTR {
      hn::Vec<ComputeTag<T>> rows[kSide];
      if (count == kSide) {
#pragma GCC unroll 16
        for (int64_t i = 0; i < kSide; ++i) rows[i] = hn::Load(d, from + places[p + i] + c);
        Transpose(d, rows);
#pragma GCC unroll 16
        for (int64_t i = 0; i < kSide; ++i) {
          if (HWY_UNLIKELY(i == left)) break;
          StoreFloat(rows[i], d, lines[i] + p);
        }
      } else {
        for (int64_t i = 0; i < kSide; ++i) {
          rows[i] = i < count ? hn::Load(d, from + places[p + i] + c) : hn::Zero(d);
        }
        Transpose(d, rows);
        for (int64_t i = 0; i < std::min(left, kSide); ++i) {
          StoreFirst(rows[i], d, lines[i] + p, count);
        }
      }
    });
  }
}

// Does the same with pixels and channels at any strides.
template <typename T>
void StorePoints(const Compute<T> *from, const int64_t *places, int64_t channels, int64_t pixels, T *to,
                 int64_t stride, int64_t step) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(ComputeTag<T>());
  for (int64_t p = 0; p < pixels; ++p, to += step) {
    const Compute<T> *pixel = from + places[p];
    if (stride == 1) {
      for (int64_t c = 0; c < channels; c += kSide) {
        StoreUpTo(hn::Load(d, pixel + c), d, to + c, channels - c, false);
      }
    } else {
      for (int64_t c = 0; c < channels; ++c) to[c * stride] = Narrow<T>(pixel[c]);
    }
  }
}

// Calls put as LoadRun does for rows [first, last) of a block of channels of image n.
template <typename T, class Put>
void LoadPixels(const Tensor &images, int64_t n, int64_t channel, int64_t channels, int64_t first,
                int64_t last, const int64_t *places, const Put &put) {
  const Shape &strides = images.strides;
  const int64_t width = images.shape[3];
  const T *from = PlaneOf<const T>(images, n, channel) + first * strides[2];
  if (strides[3] == 1 && strides[2] == width) {
    return LoadRun(from, strides[1], channels, (last - first) * width, places, put);
  }
  for (; first < last; ++first, from += strides[2], places += width) {
    if (strides[3] == 1 && strides[1] != 1) {
      LoadRun(from, strides[1], channels, width, places, put);
    } else {
      LoadPoints(from, strides[1], channels, width, strides[3], places, put);
    }
  }
}

// Stores the same rows.
template <typename T>
void StorePixels(const Compute<T> *from, const int64_t *places, const Tensor &images, int64_t n,
                 int64_t channel, int64_t channels, int64_t first, int64_t last) {
  const Shape &strides = images.strides;
  const int64_t width = images.shape[3];
  T *to = PlaneOf<T>(images, n, channel) + first * strides[2];
  if (strides[3] == 1 && strides[2] == width) {
    return StoreRun(from, places, channels, (last - first) * width, to, strides[1]);
  }
  for (; first < last; ++first, to += strides[2], places += width) {
    if (strides[3] == 1 && strides[1] != 1) {
      StoreRun(from, places, channels, width, to, strides[1]);
    } else {
      StorePoints(from, places, channels, width, to, strides[1], strides[3]);
    }
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
