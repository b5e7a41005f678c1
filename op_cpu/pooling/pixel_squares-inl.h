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

// Transposes a square of words, where block(i, b) loads block b of 16 bytes of row i. Reading the blocks of a
// vector one by one spares half of the shuffles of a square in registers.
template <class D, class Block>
HWY_INLINE void TransposeBlocks(D d, const Block &block, hn::Vec<D> (&columns)[hn::MaxLanes(D())]) {
  constexpr int kSide = hn::MaxLanes(D()), kSize = 16 / sizeof(hn::TFromD<D>);
#pragma GCC unroll 4
  for (int first = 0; first < kSide; first += kSize) {
    hn::Vec<D> rows[4];
#pragma GCC unroll 4
    for (int i = 0; i < kSize; ++i) {
      rows[i] = hn::ResizeBitCast(d, block(i, first));
      if constexpr (kSide >= 2 * kSize) rows[i] = hn::InsertBlock<1>(rows[i], block(kSize + i, first));
      if constexpr (kSide == 4 * kSize) {
        rows[i] = hn::InsertBlock<2>(rows[i], block(2 * kSize + i, first));
        rows[i] = hn::InsertBlock<3>(rows[i], block(3 * kSize + i, first));
      }
    }
    if constexpr (kSize == 2) {
      columns[first] = hn::InterleaveLower(d, rows[0], rows[1]);
      columns[first + 1] = hn::InterleaveUpper(d, rows[0], rows[1]);
    } else {
      const auto low_even = hn::InterleaveLower(d, rows[0], rows[2]);
      const auto low_odd = hn::InterleaveLower(d, rows[1], rows[3]);
      const auto high_even = hn::InterleaveUpper(d, rows[0], rows[2]);
      const auto high_odd = hn::InterleaveUpper(d, rows[1], rows[3]);
      columns[first] = hn::InterleaveLower(d, low_even, low_odd);
      columns[first + 1] = hn::InterleaveUpper(d, low_even, low_odd);
      columns[first + 2] = hn::InterleaveLower(d, high_even, high_odd);
      columns[first + 3] = hn::InterleaveUpper(d, high_even, high_odd);
    }
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

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
