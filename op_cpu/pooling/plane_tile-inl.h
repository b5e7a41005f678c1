// SPDX-License-Identifier: Apache-2.0
// Some rows of a block of planes with the planes as lanes. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PLANE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PLANE_TILE_INL_H_
#undef AVO_OP_CPU_POOLING_PLANE_TILE_INL_H_
#else
#define AVO_OP_CPU_POOLING_PLANE_TILE_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "op_cpu/common/copies/widen_plane-inl.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/transpose_blocks-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
class PlaneTile {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  static constexpr int64_t kBlock = kPlaneBlock<T>;  // planes of a block

  // pixels: the most of a plane that a tile has.
  PlaneTile(const Tensor &images, int64_t pixels)
      : images_(images), planes_((pixels + kBlock) * kBlock), tile_(planes_.size()) {}

  // Row i of the tile: kBlock elements for each pixel.
  const C *Row(int64_t i) const { return tile_.data() + i * images_.shape[3] * kBlock; }

  // Transposes some rows of the image. Returns whether all of them are finite.
  bool Load(const T *image, const WindowRows &chunk, int64_t channels) {
    const Shape &strides = images_.strides;
    const int64_t pixels = chunk.count * images_.shape[3];
    const T *from = image + chunk.first * strides[2];
    if (strides[3] == 1 && strides[2] == images_.shape[3]) {
      if constexpr (std::is_same_v<T, C>) {
        if (pixels >= kBlock) {
          return Transpose<true>(from, strides[1], channels, pixels);
        }
      }
      const bool finite = Copy(from, strides[1], pixels, channels, planes_.data());
      Transpose<false>(planes_.data(), pixels, channels, pixels);
      return finite;
    }
    for (int64_t c = 0; c < channels; ++c) {
      WidenPlane(from + c * strides[1], strides[2], strides[3], chunk.count, images_.shape[3],
                 planes_.data() + c * pixels);
    }
    return Transpose<true>(planes_.data(), pixels, channels, pixels);
  }

 private:
  // Transposes runs of pixels, of planes `stride` elements apart, to the tile. With kCheck, returns whether
  // all of them are finite: the product of NaN or infinity with zero is NaN. Vectors of 32 bytes take half of
  // the time of longer ones, because two of their shuffles start in a cycle.
  template <bool kCheck>
  bool Transpose(const C *from, int64_t stride, int64_t channels, int64_t pixels) {
    using Word = hwy::MakeUnsigned<C>;
    const hn::CappedTag<Word, 32 / sizeof(Word)> words;
    const hn::CappedTag<Word, 16 / sizeof(Word)> block;
    const hn::RebindToFloat<decltype(words)> d;
    constexpr int64_t kSide = hn::MaxLanes(d);
    // Several sums, as each addition waits for the one before it.
    hn::Vec<decltype(d)> sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for (int64_t c = 0; c < kBlock; c += kSide) {
      const C *planes[kSide];
      for (int64_t i = 0; i < kSide; ++i) planes[i] = from + std::min(c + i, channels - 1) * stride;
      // The last square overlaps the one before it, or has fewer pixels where there are no more.
      for (int64_t next = 0; next < pixels; next += kSide) {
        const int64_t p = std::max<int64_t>(0, std::min(next, pixels - kSide));
        hn::Vec<decltype(words)> columns[kSide];
        const auto load = [&](int row, int word) HWY_ATTR {
          return hn::LoadU(block, reinterpret_cast<const Word *>(planes[row] + p) + word);
        };
        TransposeBlocks(words, load, columns);
        C *to = tile_.data() + p * kBlock + c;
#pragma GCC unroll 8
        for (int64_t i = 0; i < kSide; ++i) {
          const auto column = hn::BitCast(d, columns[i]);
          if (kCheck) sums[i % 4] = hn::MulAdd(column, hn::Zero(d), sums[i % 4]);
          hn::Store(column, d, to + i * kBlock);
        }
      }
    }
    const auto all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
    return hn::AllTrue(d, hn::Eq(all, hn::Zero(d)));
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

  const Tensor &images_;
  AlignedVector<C> planes_, tile_;  // elements that are converted, and those that are transposed
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
