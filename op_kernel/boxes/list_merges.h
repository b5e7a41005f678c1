// SPDX-License-Identifier: Apache-2.0
// Merges sorted lists of (score, index) pairs in UB. They lie one behind the other, each from a data block
// on.
#pragma once

#include "../common/copies/row_copy.h"
#include "score_sort_buffers.h"

namespace avo {

constexpr uint32_t kPairFloats = kPairBytes / sizeof(float);  // a score and the bits of its index
constexpr uint32_t kBlockFloats = kBlockBytes / sizeof(float);

// Elements of a list in UB, with what is free behind it.
__aicore__ inline uint32_t Filled(uint32_t pairs) { return RoundUp(pairs * kPairFloats, kBlockFloats); }

// Merges `count` lists of these lengths that lie in UB one behind the other, from element `read` of `from`
// on. Moves `read` behind them, and returns how many pairs they have.
__aicore__ inline uint32_t MergeInUb(const AscendC::LocalTensor<float> &to,
                                     const AscendC::LocalTensor<float> &from, uint32_t &read,
                                     const uint32_t *lengths, uint32_t count) {
  AscendC::LocalTensor<float> source[kMergeLists] = {from[read], from[read], from[read], from[read]};
  AscendC::MrgSort4Info info;
  uint32_t total = 0;
  for (uint32_t i = 0; i < count; ++i) {
    source[i] = from[read];
    info.elementLengths[i] = static_cast<uint16_t>(lengths[i]);
    read += Filled(lengths[i]);
    total += lengths[i];
  }
  if (count == 1) {
    auto bits = source[0].ReinterpretCast<uint16_t>();
    AscendC::Or(to.ReinterpretCast<uint16_t>(), bits, bits, static_cast<int32_t>(2 * Filled(total)));
    return total;
  }
  info.ifExhaustedSuspension = false;
  info.validBit = static_cast<uint16_t>((1U << count) - 1);
  AscendC::MrgSort(to, {source[0], source[1], source[2], source[3]}, info);
  return total;
}

// Merges `lists` lists, as many as the lengths there are, until one is left. Returns the memory that
// holds it, one of the two; lengths[0] is then its length.
__aicore__ inline AscendC::LocalTensor<float> MergeAllInUb(AscendC::LocalTensor<float> from,
                                                           AscendC::LocalTensor<float> to, uint32_t *lengths,
                                                           uint32_t lists) {
  while (lists > 1) {
    uint32_t groups = 0, read = 0, written = 0;
    for (uint32_t first = 0; first < lists; first += kMergeLists, ++groups) {
      const uint32_t own = MinRemaining(lists - first, kMergeLists);
      const uint32_t total = MergeInUb(to[written], from, read, lengths + first, own);
      written += Filled(total);
      lengths[groups] = total;
    }
    lists = groups;
    const auto merged = to;
    to = from;
    from = merged;
  }
  return from;
}

}  // namespace avo
