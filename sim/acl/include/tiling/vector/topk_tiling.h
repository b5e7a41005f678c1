// SPDX-License-Identifier: Apache-2.0
// Where TopK puts what it works on, as CANN's own kernel functions read it out of the tiling. The unit of
// offsets and sizes is an element; a pair of a value and its index takes 8 bytes.
//
//   one long row         | pairs | pairs, merged | indices |
//   many groups of 32    | pairs | negated values | masks of GatherMask | indices |
#pragma once

#include <algorithm>
#include <cstdint>

#include "work_units.h"

namespace sim {

constexpr int32_t kTopKMaskBytes = 64;  // of two masks

// Whether TopK has rows of this length: groups have 32 elements, other rows a multiple of that.
inline bool TopKMayHave(int32_t inner, int32_t outter, AscendC::TopKMode mode) {
  if (mode == AscendC::TopKMode::TOPK_NSMALL && inner != 32) return false;
  return inner > 0 && inner % 32 == 0 && outter > 0;
}

// `count` ones, `distance` bits from each other.
inline uint32_t SpreadOnes(int32_t count, int32_t distance) {
  uint32_t bits = 0;
  for (int32_t one = 0; one < count; ++one) bits |= uint32_t{1} << one * distance;
  return bits;
}

// `counting`: the function makes the indices, which lie behind all.
template <typename Tiling>
void PlaceTopKOfRow(Tiling &t, int32_t inner, int32_t k, int32_t size, bool counting) {
  const int32_t pair = 8 / size;
  t.innerDataSize = inner * pair;
  t.tmpLocalSize = 2 * inner * pair;
  if (counting) {
    t.srcIndexOffset = t.tmpLocalSize;
    t.tmpLocalSize += inner * 4 / size;
  }
  t.copyUbToUbBlockCount = static_cast<uint32_t>(inner * 8 / 32);
  t.sortRepeat = static_cast<uint32_t>(inner / 32);
  t.mrgSortRepeat = inner / 4;
  t.mrgSortSrc1offset = t.mrgSortTwoQueueSrc1Offset = pair;
  t.mrgSortSrc2offset = 2 * pair;
  t.mrgSortSrc3offset = 3 * pair;
  t.mrgFourQueueTailPara1 = 2 * inner;
  t.mrgFourQueueTailPara2 = 4 / size;
  t.kAlignTwoBytes = static_cast<int32_t>(RoundUp(static_cast<uint32_t>(k), 16));
  t.maskVreducev2FourBytes = 2 * k;
  t.maskVreducev2TwoBytes = 4 * k;
}

// The bits choose the first k of 32 pairs: their indices, and their values of 4 or 2 bytes.
template <typename Tiling>
void ChooseTopKOfGroups(Tiling &t, int32_t k, int32_t size) {
  const int32_t first = std::min(k, 16), rest = std::max(k - 16, 0);
  t.vreduceIdxMask0 = SpreadOnes(first, 2) << 1;
  t.vreduceIdxMask1 = SpreadOnes(rest, 2) << 1;
  if (size == 4) {
    t.vreduceValMask0 = SpreadOnes(first, 2);
    t.vreduceValMask1 = SpreadOnes(rest, 2);
    return;
  }
  const auto four = [k](int32_t before) {
    return static_cast<uint16_t>(SpreadOnes(std::clamp(k - before, 0, 4), 4));
  };
  t.vreducehalfValMask0 = four(0);
  t.vreducehalfValMask1 = four(4);
  t.vreducehalfValMask2 = four(8);
  t.vreducehalfValMask3 = four(12);
  t.vreducehalfValMask4 = four(16);
  t.vreducehalfValMask5 = four(20);
  t.vreducehalfValMask6 = four(24);
  t.vreducehalfValMask7 = four(28);
}

template <typename Tiling>
void PlaceTopKOfGroups(Tiling &t, int32_t k, int32_t size, bool counting, bool negates) {
  t.innerDataSize = t.allDataSize * 8 / size;
  t.topkMrgSrc1MaskSizeOffset = t.innerDataSize + (negates ? t.allDataSize : 0);
  t.tmpLocalSize = t.topkMrgSrc1MaskSizeOffset + kTopKMaskBytes / size;
  if (counting) {
    t.topkNSmallSrcIndexOffset = t.tmpLocalSize;
    t.tmpLocalSize += t.allDataSize * 4 / size;
  }
  ChooseTopKOfGroups(t, k, size);
}

}  // namespace sim
