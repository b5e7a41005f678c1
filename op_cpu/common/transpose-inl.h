// SPDX-License-Identifier: Apache-2.0
// Matrices turned in registers, and what rests on it: images to channels-last memory and tiles of a result
// from it.
#if defined(AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#undef AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#else
#define AVO_OP_CPU_COMMON_TRANSPOSE_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of a square of Lanes(d) x Lanes(d) become its columns.
template <class D>
HWY_INLINE void Transpose(D d, hn::Vec<D> (&rows)[hn::MaxLanes(D())]) {
  constexpr size_t kSide = hn::MaxLanes(D());
  for (size_t step = 1; step < kSide; step *= 2) {
    hn::Vec<D> mixed[kSide];
#pragma GCC unroll 16
    for (size_t i = 0; i < kSide / 2; ++i) {
      mixed[2 * i] = hn::InterleaveWholeLower(d, rows[i], rows[i + kSide / 2]);
      mixed[2 * i + 1] = hn::InterleaveWholeUpper(d, rows[i], rows[i + kSide / 2]);
    }
#pragma GCC unroll 32
    for (size_t i = 0; i < kSide; ++i) rows[i] = mixed[i];
  }
}

// Elements of any type as bits, as many as there are lanes of what they are computed in.
template <typename T>
using ComputeTag = hn::ScalableTag<Compute<T>>;
template <typename T>
using BitsTag = hn::Rebind<hwy::UnsignedFromSize<sizeof(T)>, ComputeTag<T>>;

// `pixels` neighbours of all channels, channels `stride` apart, as pixels of `channels` neighbours each,
// `to_stride` apart.
template <typename T>
void ToChannelsLast(const T *from, int64_t stride, int64_t channels, int64_t pixels, T *to,
                    int64_t to_stride) {
  const BitsTag<T> d;
  using Bits = hn::TFromD<decltype(d)>;
  constexpr int64_t kSide = hn::MaxLanes(d);
  const int64_t whole = pixels / kSide * kSide, deep = channels / kSide * kSide;
  for (int64_t p = 0; p < whole; p += kSide) {
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
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t p = c < deep ? whole : 0; p < pixels; ++p) to[p * to_stride + c] = from[c * stride + p];
  }
}

// Pixels of `channels` neighbours each, `stride` apart, to a row of an image: channel c of pixel p goes to
// to[c * to_channel + p * to_pixel]. Reads whole vectors of channels.
template <typename T>
void FromChannelsLast(const Compute<T> *from, int64_t stride, int64_t channels, int64_t pixels, T *to,
                      int64_t to_channel, int64_t to_pixel) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(d);
  if (to_channel == 1) {
    for (int64_t p = 0; p < pixels; ++p, from += stride, to += to_pixel) {
      int64_t c = 0;
      for (; c + kSide <= channels; c += kSide) StoreFloat(hn::LoadU(d, from + c), d, to + c);
      for (; c < channels; ++c) to[c] = Narrow<T>(from[c]);
    }
  } else if (to_pixel == 1 && pixels >= kSide) {
    // The last square overlaps the one before it.
    for (int64_t next = 0; next < pixels; next += kSide) {
      const int64_t p = std::min(next, pixels - kSide);
      for (int64_t c = 0; c < channels; c += kSide) {
        hn::Vec<decltype(d)> rows[kSide];
#pragma GCC unroll 16
        for (int64_t i = 0; i < kSide; ++i) rows[i] = hn::LoadU(d, from + (p + i) * stride + c);
        Transpose(d, rows);
        T *row = to + c * to_channel + p;
        const int64_t count = std::min(kSide, channels - c);
        for (int64_t i = 0; i < count; ++i) StoreFloat(rows[i], d, row + i * to_channel);
      }
    }
  } else {
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t p = 0; p < pixels; ++p)
        to[c * to_channel + p * to_pixel] = Narrow<T>(from[p * stride + c]);
    }
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
