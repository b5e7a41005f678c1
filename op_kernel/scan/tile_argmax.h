// SPDX-License-Identifier: Apache-2.0
// The largest key of each lane in a tile of positions, and its index, where no key is NaN. A position takes
// three instructions, one that finds the maxima of the tile, and two that find where they are:
//
//   lane             0   1   2   3
//   position 5       3   8   2   4
//   position 6       9   8   1   4
//   largest          9   8   2   4
//   found            6   6   6   6       the position behind, then, towards the first one,
//                    6   5   5   5       each position where its key is the largest
#pragma once

#include "../common/vectors/bits.h"
#include "key_planes.h"

namespace avo {

// A tile of keys.
struct KeyTile {
  uint32_t pitch;  // keys from one position to the next one
  uint32_t positions;
  uint32_t lanes;  // whole repeats
};

// Key: float or int32_t.
template <typename Key>
class TileArgmax {
  using Keys = AscendC::LocalTensor<Key>;
  static constexpr bool kWhole = std::is_same_v<Key, int32_t>;

 public:
  // The first position of the tile has the index `begin`. last: of equal keys the last one wins. mask:
  // scratch, a bit for each lane.
  static __aicore__ inline void Find(const Keys &rows, const KeyTile &tile, int32_t begin, bool last,
                                     const Keys &largest, const AscendC::LocalTensor<int32_t> &found,
                                     const AscendC::LocalTensor<uint8_t> &mask) {
    const int32_t lanes = static_cast<int32_t>(tile.lanes);
    AscendC::Max(largest, rows, rows[tile.positions > 1 ? tile.pitch : 0], lanes);
    for (uint32_t p = 2; p < tile.positions; ++p) {
      AscendC::Max(largest, largest, rows[p * tile.pitch], lanes);
    }
    // Of equal keys the one that is visited last wins.
    const uint32_t behind = tile.positions - 1;
    AscendC::Duplicate(found, begin + static_cast<int32_t>(last ? 0 : behind), lanes);
    const auto numbers = found.ReinterpretCast<float>();
    for (uint32_t i = 1; i <= behind; ++i) {
      const uint32_t p = last ? i : behind - i;
      MarkOthers(rows[p * tile.pitch], largest, tile.lanes, mask);
      AscendC::Select(numbers, mask, numbers, FloatWithBits(begin + static_cast<int32_t>(p)),
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, tile.lanes);
    }
  }

  // Whether a key is NaN. scratch: of so many keys; lanes: whole repeats.
  static __aicore__ inline bool AnyNan(const Keys &keys, uint32_t lanes, const Keys &scratch,
                                       const AscendC::LocalTensor<uint8_t> &mask, AscendC::TPipe *pipe) {
    constexpr uint32_t kRepeat = 64, kFewLanes = 256;
    auto maxima = keys;
    while (lanes > kFewLanes) {
      const uint32_t part = RoundUp(lanes / 2, kRepeat);
      AscendC::Max(scratch, maxima, maxima[lanes - part], static_cast<int32_t>(part));
      maxima = scratch;
      lanes = part;
    }
    AscendC::Compare(mask, maxima, maxima, AscendC::CMPMODE::EQ, lanes);
    return !AllBitsSet(mask, lanes, pipe);
  }

 private:
  // Sets the bits of lanes whose key is not the largest one.
  static __aicore__ inline void MarkOthers(const Keys &keys, const Keys &largest, uint32_t lanes,
                                           const AscendC::LocalTensor<uint8_t> &mask) {
    AscendC::Compare(mask, keys, largest, kWhole ? AscendC::CMPMODE::EQ : AscendC::CMPMODE::LT, lanes);
    if constexpr (kWhole) {
      const auto words = mask.ReinterpretCast<uint16_t>();
      AscendC::Not(words, words, static_cast<int32_t>(lanes / 16));
    }
  }
};

}  // namespace avo
