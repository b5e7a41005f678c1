// SPDX-License-Identifier: Apache-2.0
// Vectors that are put together from blocks of 16 bytes. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_OF_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_OF_BLOCKS_INL_H_
#undef AVO_OP_CPU_COMMON_OF_BLOCKS_INL_H_
#else
#define AVO_OP_CPU_COMMON_OF_BLOCKS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Makes a vector of blocks of 16 bytes: block(b) gives number b.
template <class D, class Block>
HWY_INLINE hn::Vec<D> OfBlocks(D d, const Block &block) {
  constexpr size_t kBlocks = hn::MaxLanes(d) * sizeof(hn::TFromD<D>) / 16;
  auto blocks = hn::ResizeBitCast(d, block(0));
  if constexpr (kBlocks >= 2) blocks = hn::InsertBlock<1>(blocks, block(1));
  if constexpr (kBlocks == 4) {
    blocks = hn::InsertBlock<2>(blocks, block(2));
    blocks = hn::InsertBlock<3>(blocks, block(3));
  }
  return blocks;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
