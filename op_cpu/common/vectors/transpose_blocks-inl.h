// SPDX-License-Identifier: Apache-2.0
// Transposition of squares that are loaded in blocks of 16 bytes. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_TRANSPOSE_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_TRANSPOSE_BLOCKS_INL_H_
#undef AVO_OP_CPU_COMMON_TRANSPOSE_BLOCKS_INL_H_
#else
#define AVO_OP_CPU_COMMON_TRANSPOSE_BLOCKS_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/vectors/of_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

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
      rows[i] = OfBlocks(d, [&](int number) HWY_ATTR { return block(number * kSize + i, first); });
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

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
