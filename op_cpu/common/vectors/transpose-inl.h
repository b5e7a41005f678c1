// SPDX-License-Identifier: Apache-2.0
// Transposition in registers, and copies of images that use it: to channels-last memory, and from there to a
// result.
#if defined(AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#undef AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#else
#define AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_host/common/tensors/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Transposes a square of Lanes(d) x Lanes(d) elements. First transposes the squares within blocks of 16
// bytes, where each vector takes one instruction for each step; then the blocks.
template <class D>
HWY_INLINE void Transpose(D d, hn::Vec<D> (&rows)[hn::MaxLanes(D())]) {
  constexpr size_t kSide = hn::MaxLanes(D());
  constexpr size_t kBlock = HWY_MIN(kSide, 16 / sizeof(hn::TFromD<D>)), kBlocks = kSide / kBlock;
  static_assert(kBlocks <= 4);
  using V = hn::Vec<D>;
#pragma GCC unroll 4
  for (size_t step = 1; step < kBlock; step *= 2) {
    V mixed[kSide];
#pragma GCC unroll 16
    for (size_t i = 0; i < kSide / 2; ++i) {
      const size_t row = i / (kBlock / 2) * kBlock + i % (kBlock / 2);
      mixed[2 * i] = hn::InterleaveLower(d, rows[row], rows[row + kBlock / 2]);
      mixed[2 * i + 1] = hn::InterleaveUpper(d, rows[row], rows[row + kBlock / 2]);
    }
#pragma GCC unroll 16
    for (size_t i = 0; i < kSide; ++i) rows[i] = mixed[i];
  }
  if constexpr (kBlocks == 2) {
#pragma GCC unroll 8
    for (size_t i = 0; i < kBlock; ++i) {
      const V low = rows[i], high = rows[kBlock + i];
      rows[i] = hn::ConcatLowerLower(d, high, low);
      rows[kBlock + i] = hn::ConcatUpperUpper(d, high, low);
    }
  } else if constexpr (kBlocks == 4) {
#pragma GCC unroll 4
    for (size_t i = 0; i < kBlock; ++i) {
      const V r0 = rows[i], r1 = rows[kBlock + i], r2 = rows[2 * kBlock + i], r3 = rows[3 * kBlock + i];
      const V even01 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(r1), r0);
      const V odd01 = hn::OddEvenBlocks(r1, hn::SwapAdjacentBlocks(r0));
      const V even23 = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(r3), r2);
      const V odd23 = hn::OddEvenBlocks(r3, hn::SwapAdjacentBlocks(r2));
      rows[i] = hn::ConcatLowerLower(d, even23, even01);
      rows[kBlock + i] = hn::ConcatLowerLower(d, odd23, odd01);
      rows[2 * kBlock + i] = hn::ConcatUpperUpper(d, even23, even01);
      rows[3 * kBlock + i] = hn::ConcatUpperUpper(d, odd23, odd01);
    }
  }
}

// ComputeTag: lanes of what elements of T are computed in. BitsTag: as many elements of T, as bits.
template <typename T>
using ComputeTag = hn::ScalableTag<Compute<T>>;
template <typename T>
using BitsTag = hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, ComputeTag<T>>;

// Whether it is worth while to transpose a square with `count` rows or columns. With few of them, one element
// after the other takes less time.
template <class D>
constexpr bool WorthSquare(D, int64_t count) {
  return 4 * count >= static_cast<int64_t>(hn::MaxLanes(D()));
}

// Transposes a square of `channels` x `pixels` elements, at most as many of each as a vector has lanes.
template <typename T>
HWY_INLINE void PartOfSquare(const T *from, int64_t stride, int64_t channels, int64_t pixels, T *to,
                             int64_t to_stride) {
  const BitsTag<T> d;
  using Bits = hn::TFromD<decltype(d)>;
  constexpr int64_t kSide = hn::MaxLanes(d);
  hn::Vec<decltype(d)> rows[kSide];
  for (int64_t i = 0; i < kSide; ++i) {
    const auto *row = reinterpret_cast<const Bits *>(from + i * stride);
    rows[i] = i >= channels ? hn::Zero(d) : pixels < kSide ? hn::LoadN(d, row, pixels) : hn::LoadU(d, row);
  }
  Transpose(d, rows);
  for (int64_t i = 0; i < pixels; ++i) {
    auto *pixel = reinterpret_cast<Bits *>(to + i * to_stride);
    if (channels < kSide) {
      hn::StoreN(rows[i], d, pixel, channels);
    } else {
      hn::StoreU(rows[i], d, pixel);
    }
  }
}

// Transposes (channels, pixels) to (pixels, channels). Channels start `stride` elements apart in `from`,
// pixels start `to_stride` elements apart in `to`; all other strides are 1.
template <typename T>
void ToChannelsLast(const T *from, int64_t stride, int64_t channels, int64_t pixels, T *to,
                    int64_t to_stride) {
  const BitsTag<T> d;
  using Bits = hn::TFromD<decltype(d)>;
  constexpr int64_t kSide = hn::MaxLanes(d);
  const int64_t deep = pixels < kSide ? 0 : channels / kSide * kSide;
  // The last square overlaps the one before it.
  for (int64_t next = 0; deep > 0 && next < pixels; next += kSide) {
    const int64_t p = std::min(next, pixels - kSide);
    for (int64_t c = 0; c < deep; c += kSide) {
      hn::Vec<decltype(d)> rows[kSide];
#pragma GCC unroll 16
      for (int64_t i = 0; i < kSide; ++i) {
        rows[i] = hn::LoadU(d, reinterpret_cast<const Bits *>(from + (c + i) * stride + p));
      }
      Transpose(d, rows);
#pragma GCC unroll 16
      for (int64_t i = 0; i < kSide; ++i) {
        hn::StoreU(rows[i], d, reinterpret_cast<Bits *>(to + (p + i) * to_stride + c));
      }
    }
  }
  for (int64_t c = deep; c < channels; c += kSide) {
    const int64_t count = std::min(kSide, channels - c);
    for (int64_t p = 0; p < pixels; p += kSide) {
      const int64_t width = std::min(kSide, pixels - p);
      if (WorthSquare(d, count) && WorthSquare(d, width)) {
        PartOfSquare(from + c * stride + p, stride, count, width, to + p * to_stride + c, to_stride);
        continue;
      }
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t x = p; x < p + width; ++x) to[x * to_stride + c + i] = from[(c + i) * stride + x];
      }
    }
  }
}

// Does the same for pixels of a row of an (N, C, H, W) image with any strides.
template <typename T>
void RowToChannelsLast(const T *from, const Shape &strides, int64_t channels, int64_t pixels, T *to,
                       int64_t to_stride) {
  if (strides[3] == 1) return ToChannelsLast(from, strides[1], channels, pixels, to, to_stride);
  for (int64_t p = 0; p < pixels; ++p) {
    for (int64_t c = 0; c < channels; ++c) to[p * to_stride + c] = from[p * strides[3] + c * strides[1]];
  }
}

// Strides of an image, in elements.
struct PixelStrides {
  int64_t channel, row, column;
};

// Transposes a square of `pixels` pixels of a row (at most 16, 8 or 4) by as many channels as a vector has
// lanes, and stores its first `count` channels. With `stream`, stores all channels past the caches.
template <typename T, class D = ComputeTag<T>>
HWY_INLINE void StoreSquare(const Compute<T> *from, int64_t stride, int64_t pixels, int64_t count, T *to,
                            int64_t to_channel, bool stream) {
  const D d;
  constexpr int64_t kSide = hn::MaxLanes(D());
  hn::Vec<D> rows[kSide];
  if (pixels < kSide) {
    for (int64_t i = 0; i < kSide; ++i) rows[i] = i < pixels ? hn::LoadU(d, from + i * stride) : hn::Zero(d);
  } else {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kSide; ++i) rows[i] = hn::LoadU(d, from + i * stride);
  }
  Transpose(d, rows);
  if (pixels < kSide) {
    for (int64_t i = 0; i < std::min(count, kSide); ++i) StoreFirst(rows[i], d, to + i * to_channel, pixels);
    return;
  }
  if (stream) {
#pragma GCC unroll 16
    for (int64_t i = 0; i < kSide; ++i) StreamFloat(rows[i], d, to + i * to_channel);
    return;
  }
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) {
    if (i < count) StoreFloat(rows[i], d, to + i * to_channel);
  }
}

// Stores a rectangle of pixels (rows, columns, channels), which start `stride` elements apart, to an image.
// Reads whole vectors of channels. With `stream`, stores past the caches where this is possible; then the
// caller must call hwy::FlushStream.
template <typename T>
void FromChannelsLast(const Compute<T> *from, int64_t stride, int64_t channels, int64_t rows, int64_t columns,
                      T *to, const PixelStrides &strides, bool stream = false) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(d);
  if (strides.channel != 1 && strides.column == 1 && strides.row == columns && rows > 1) {
    // The rows follow each other, so they are one row.
    return FromChannelsLast(from, stride, channels, 1, rows * columns, to, strides, stream);
  }
  if (strides.channel == 1) {
    for (int64_t y = 0; y < rows; ++y) {
      T *pixel = to + y * strides.row;
      for (int64_t x = 0; x < columns; ++x, from += stride, pixel += strides.column) {
        int64_t c = 0;
        for (; c + kSide <= channels; c += kSide) StoreFloat(hn::LoadU(d, from + c), d, pixel + c);
        for (; c < channels; ++c) pixel[c] = Narrow<T>(from[c]);
      }
    }
  } else if (strides.column == 1 && WorthSquare(d, columns)) {
    constexpr int64_t kBytes = kSide * sizeof(T);
    stream = stream && reinterpret_cast<uintptr_t>(to) % kBytes == 0 && strides.channel % kSide == 0 &&
             (rows == 1 || strides.row % kSide == 0);
    // Squares are transposed in registers: 1.25 x for a whole modulated_deform_conv2d of 64 channels of 50
    // x 76. All pixels of some channels come before the next channels, as they share pages of the image.
    for (int64_t c = 0; c < channels; c += kSide) {
      for (int64_t y = 0; y < rows; ++y) {
        // The last square overlaps the one before it.
        for (int64_t next = 0; next < columns; next += kSide) {
          const int64_t x = std::max<int64_t>(std::min(next, columns - kSide), 0);
          StoreSquare<T>(from + (y * columns + x) * stride + c, stride, columns, channels - c,
                         to + c * strides.channel + y * strides.row + x, strides.channel,
                         stream && x == next && c + kSide <= channels);
        }
      }
    }
  } else {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < rows * columns; ++p) {
        to[c * strides.channel + p / columns * strides.row + p % columns * strides.column] =
            Narrow<T>(from[p * stride + c]);
      }
    }
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
