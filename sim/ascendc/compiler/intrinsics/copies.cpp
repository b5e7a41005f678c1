// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "copies.h"

#include "../../include/sim/copy.h"
#include "global_protocols.h"

using namespace sim;

// CANN's headers add the offset to the address of a GlobalTensor with CACHE_MODE_DISABLE, where they are
// compiled with L2_CACHE_HINT. The name is theirs.
struct OpSystemRunCfg {
  uint64_t l2Cacheoffset;
};
extern OpSystemRunCfg g_opSystemRunCfg;
OpSystemRunCfg g_opSystemRunCfg{kBypassesL2};

void copy_gm_to_ubuf(void *dst, void *src, uint8_t, uint16_t nBurst, uint16_t lenBurst, uint16_t srcGap,
                     uint16_t dstGap) {
  CopyBlocks("DataCopy", Side("dst", OnChip<uint8_t>(Space::UB, dst), dstGap),
             Side("src", InGm<uint8_t>(src), srcGap), {nBurst, lenBurst, srcGap, dstGap}, Unplaced());
}

void copy_ubuf_to_gm(void *dst, void *src, uint8_t, uint16_t nBurst, uint16_t lenBurst, uint16_t srcGap,
                     uint16_t dstGap) {
  if (HasCounted()) return;
  CopyBlocks("DataCopy", Side("dst", InGm<uint8_t>(dst), dstGap),
             Side("src", OnChip<uint8_t>(Space::UB, src), srcGap), {nBurst, lenBurst, srcGap, dstGap},
             Unplaced());
  MeetAfterCounting();
}

void copy_ubuf_to_ubuf(void *dst, void *src, uint8_t, uint16_t nBurst, uint16_t lenBurst, uint16_t srcGap,
                       uint16_t dstGap) {
  CopyBlocks("DataCopy", Side("dst", OnChip<uint8_t>(Space::UB, dst), dstGap),
             Side("src", OnChip<uint8_t>(Space::UB, src), srcGap), {nBurst, lenBurst, srcGap, dstGap},
             Unplaced());
}

// A copy does not tell where its padding comes from. Once a kernel has set the register of the padding value,
// by SetPadValue or by a DataCopyPad with isPad, it holds for all later copies.
#define SIM_ALIGNED_COPIES(bits)                                                                             \
  void copy_gm_to_ubuf_align_b##bits(void *dst, void *src, uint8_t, uint16_t nBurst, uint32_t lenBurst,      \
                                     uint8_t leftPaddingNum, uint8_t rightPaddingNum, uint32_t srcGap,       \
                                     uint32_t dstGap) {                                                      \
    using T = uint##bits##_t;                                                                                \
    CopyPadIn("DataCopyPad", OnChip<T>(Space::UB, dst), InGm<T>(src), {nBurst, lenBurst, srcGap, dstGap, 0}, \
              {false, leftPaddingNum, rightPaddingNum, 0}, Unplaced());                                      \
  }                                                                                                          \
  void copy_ubuf_to_gm_align_b##bits(void *dst, void *src, uint8_t, uint16_t nBurst, uint32_t lenBurst,      \
                                     uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap) {                   \
    using T = uint##bits##_t;                                                                                \
    CopyPadOut("DataCopyPad", InGm<T>(dst), OnChip<T>(Space::UB, src),                                       \
               {nBurst, lenBurst, srcGap, dstGap, 0}, Unplaced());                                           \
  }
SIM_ALIGNED_COPIES(8)
SIM_ALIGNED_COPIES(16)
SIM_ALIGNED_COPIES(32)
