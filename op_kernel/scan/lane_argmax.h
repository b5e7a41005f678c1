// SPDX-License-Identifier: Apache-2.0
// The largest key that each lane has met so far, and the index at which it met it. Lanes come in repeats
// of 64. The kernel hands over one key for each lane at a time, or a tile of them. For one key:
//
//   lane               0   1   2   3  …
//   best, index        5@0 7@2 2@1 9@0       before
//   key at index 3     6   7   1   9
//   kept, first wins   0   1   1   1         a mask: the lanes that keep their best
//   best, index        6@3 7@2 2@1 9@0       after
#pragma once

#include "argmax_buffers.h"
#include "key_planes.h"
#include "mask_bits.h"

namespace avo {

// Where one key for each lane lies in a plane.
struct KeyRepeats {
  uint32_t offset;  // of the first key
  uint8_t stride;   // data blocks from one repeat to the next one
  uint32_t repeats;
  uint32_t lanes;  // keys of each repeat that count; all 64 are read
};

// Keys in planes, some of which were not made by KeyPlanes.
template <typename Key>
struct StoredPlanes {
  AscendC::LocalTensor<Key> keys;
  uint32_t plane;  // keys from plane to plane
  __aicore__ inline AscendC::LocalTensor<Key> Plane(uint32_t i) const { return keys[i * plane]; }
};

// A tile of keys of one plane: its lanes are whole repeats.
struct KeyTile {
  uint32_t pitch;  // keys from one position to the next one
  uint32_t positions, repeats;
};

template <typename T>
class LaneArgmax {
 public:
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr bool kWhole = KeyPlanes<T>::kWhole;
  static constexpr uint32_t kRepeat = ArgmaxFormat::kRepeat;

  // lanes: most lanes. last: of equal keys the last one wins instead of the first. Of NaNs the first one
  // always wins.
  __aicore__ inline void Init(const LaneArgmaxBuffers &buffers, uint32_t lanes, bool last,
                              AscendC::TPipe *pipe) {
    most_lanes_ = lanes;
    last_ = last;
    pipe->InitBuffer(best_, buffers.best.bytes);
    pipe->InitBuffer(indices_, buffers.indices.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    if constexpr (kWhole) {
      AscendC::Duplicate(best_.template Get<Key>(), Key(0), static_cast<int32_t>(buffers.best.bytes / 4));
    }
  }

  // Moves the best keys by a repeat where that avoids bank conflicts. An instruction reads two operands at
  // the same time if they lie in opposite halves of the bank groups. `address`: of keys that will be handed
  // over; positions are whole pairs of repeats apart.
  __aicore__ inline void AvoidBanksOf(uint64_t address) {
    constexpr uint64_t kRepeatBytes = kRepeat * sizeof(Key);
    const uint64_t own = reinterpret_cast<uint64_t>(best_.template Get<Key>().GetPhyAddr());
    skew_ = (own / kRepeatBytes + address / kRepeatBytes) % 2 == 0 ? kRepeat : 0;
  }

  // Begins anew: all lanes have the least key, at index 0.
  __aicore__ inline void Reset(uint32_t repeats) {
    for (uint32_t p = 0; p < kPlanes; ++p) AscendC::Duplicate(Best(p), Least(), repeats * kRepeat);
    AscendC::Duplicate(Indices(), 0, repeats * kRepeat);
    fresh_ = true;
  }

  // Hands the element at `index` of every line to its lane, which keeps the larger one. Keys: KeyPlanes, or
  // another class whose Plane(i) is a tensor.
  template <typename Keys>
  __aicore__ inline void KeepLarger(Keys &keys, const KeyRepeats &at, int32_t index) {
    MarkKeptOf(keys, at);
    const auto indices = Indices().template ReinterpretCast<float>();
    AscendC::Select(indices, Bits(0), indices, FloatWithBits(index),
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{at.lanes},
                    static_cast<uint8_t>(at.repeats), Dense());
    KeepMaxima(keys, at);
  }

  // The same with an index for each lane, which lies in `found` as its key does in `keys`.
  template <typename Keys>
  __aicore__ inline void KeepLarger(Keys &keys, const KeyRepeats &at,
                                    const AscendC::LocalTensor<int32_t> &found) {
    MarkKeptOf(keys, at);
    const auto indices = Indices().template ReinterpretCast<float>();
    AscendC::Select(indices, Bits(0), indices, found[at.offset].template ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{at.lanes},
                    static_cast<uint8_t>(at.repeats), KeySecond(at));
    KeepMaxima(keys, at);
  }

  // Hands over a tile at once; its first position has the index `begin`. No key may be NaN. A position takes
  // three instructions, instead of six: one finds the maxima of the tile, and two find where they are.
  template <typename Keys>
  __aicore__ inline void KeepLargest(Keys &keys, const KeyTile &tile, int32_t begin) {
    const bool first = fresh_;
    fresh_ = false;
    const int32_t lanes = static_cast<int32_t>(tile.repeats * kRepeat);
    const auto rows = keys.Plane(0);
    const auto largest = first ? Best(0) : TileLargest();
    const auto found = first ? Indices() : indices_.template Get<int32_t>()[most_lanes_];
    AscendC::Max(largest, rows, rows[tile.positions > 1 ? tile.pitch : 0], lanes);
    for (uint32_t p = 2; p < tile.positions; ++p) {
      AscendC::Max(largest, largest, rows[p * tile.pitch], lanes);
    }
    // Of equal keys the one that is visited last wins.
    const int32_t behind = static_cast<int32_t>(tile.positions) - 1;
    AscendC::Duplicate(found, begin + (last_ ? 0 : behind), lanes);
    const auto numbers = found.template ReinterpretCast<float>();
    for (int32_t i = 1; i <= behind; ++i) {
      const int32_t p = last_ ? i : behind - i;
      MarkOthers(rows[static_cast<uint32_t>(p) * tile.pitch], largest, tile.repeats);
      AscendC::Select(numbers, Bits(0), numbers, FloatWithBits(begin + p),
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{kRepeat},
                      static_cast<uint8_t>(tile.repeats), Dense());
    }
    if (first) return;
    StoredPlanes<Key> maxima{largest, 0};
    KeepLarger(maxima, {0, kDense, tile.repeats, kRepeat}, found);
  }

  // Whether the best of one of the lanes is NaN.
  __aicore__ inline bool AnyNan(uint32_t repeats, AscendC::TPipe *pipe) {
    if constexpr (kWhole) return false;
    constexpr uint32_t kFewRepeats = 4;
    auto maxima = Best(0);
    while (repeats > kFewRepeats) {
      const uint32_t half = (repeats + 1) / 2;
      AscendC::Max(TileLargest(), maxima, maxima[(repeats - half) * kRepeat],
                   static_cast<int32_t>(half * kRepeat));
      maxima = TileLargest();
      repeats = half;
    }
    AscendC::Compare(Bits(0), maxima, maxima, AscendC::CMPMODE::EQ, repeats * kRepeat);
    return !AllBitsSet(Bits(0), repeats * kRepeat, pipe);
  }

  __aicore__ inline AscendC::LocalTensor<Key> Best(uint32_t plane) {
    return best_.template Get<Key>()[skew_ + (plane == 0 ? best_at_ : plane) * most_lanes_];
  }
  __aicore__ inline AscendC::LocalTensor<int32_t> Indices() { return indices_.template Get<int32_t>(); }

 private:
  static constexpr uint8_t kDense = 8;  // data blocks from one repeat of keys to the next one

  // Repeat strides where all operands are dense, and where the first or the second source is a key.
  static __aicore__ inline AscendC::BinaryRepeatParams Dense() { return {1, 1, 1, 8, 8, 8}; }
  static __aicore__ inline AscendC::BinaryRepeatParams KeyFirst(const KeyRepeats &at) {
    return {1, 1, 1, 8, at.stride, 8};
  }
  static __aicore__ inline AscendC::BinaryRepeatParams KeySecond(const KeyRepeats &at) {
    return {1, 1, 1, 8, 8, at.stride};
  }

  static __aicore__ inline Key Least() {
    if constexpr (kWhole) {
      return -2147483647 - 1;
    } else {
      return -__builtin_inff();
    }
  }

  // Sets mask 0. Of two planes, it also chooses the low one.
  template <typename Keys>
  __aicore__ inline void MarkKeptOf(Keys &keys, const KeyRepeats &at) {
    const auto key = keys.Plane(0)[at.offset];
    if constexpr (!kWhole) {
      MarkKeptFloats(key, at);
    } else if constexpr (kPlanes == 1) {
      MarkKept(0, key, Best(0), last_, at);
    } else {
      MarkKeptPairs(key, keys.Plane(1)[at.offset], at);
    }
  }
  template <typename Keys>
  __aicore__ inline void KeepMaxima(Keys &keys, const KeyRepeats &at) {
    if (kWhole && at.lanes == kRepeat) {
      best_at_ = kPlanes - best_at_;
      return;
    }
    AscendC::Max(Best(0), Best(0), keys.Plane(0)[at.offset], uint64_t{at.lanes},
                 static_cast<uint8_t>(at.repeats), KeySecond(at));
  }

  // The maxima of the best whole keys and of those that are handed over. Where these are whole repeats, they
  // change places with the best.
  __aicore__ inline AscendC::LocalTensor<Key> Larger() {
    return best_.template Get<Key>()[skew_ + (kPlanes - best_at_) * most_lanes_];
  }

  // Mask 0 says which lanes keep their best, masks 1 and 2 are scratch.
  __aicore__ inline AscendC::LocalTensor<uint8_t> Bits(uint32_t mask) {
    return bits_.template Get<uint8_t>()[mask * LaneArgmaxBuffers::MaskBytes(most_lanes_)];
  }
  __aicore__ inline AscendC::LocalTensor<uint16_t> Words(uint32_t mask) {
    return Bits(mask).template ReinterpretCast<uint16_t>();
  }
  // 16-bit words of a mask.
  static __aicore__ inline uint32_t WordCount(const KeyRepeats &at) { return at.repeats * kRepeat / 16; }

  // The maxima of a tile, as far from the keys as the best of the lanes.
  __aicore__ inline AscendC::LocalTensor<Key> TileLargest() {
    return best_.template Get<Key>()[skew_ + LaneArgmaxBuffers::Areas(kPlanes, kWhole) * most_lanes_];
  }

  // Sets the bits of lanes whose key is not the largest one.
  __aicore__ inline void MarkOthers(const AscendC::LocalTensor<Key> &key,
                                    const AscendC::LocalTensor<Key> &largest, uint32_t repeats) {
    constexpr auto kMode = kWhole ? AscendC::CMPMODE::EQ : AscendC::CMPMODE::LT;
    AscendC::Compare(Bits(0), key, largest, kMode, repeats * kRepeat);
    if constexpr (kWhole) {
      AscendC::Not(Words(0), Words(0), static_cast<int32_t>(repeats * kRepeat / 16));
    }
  }

  // A lane keeps its best unless the key is larger, or equal where the last one wins. Comparisons with NaN
  // are false, so a NaN key wins; a best that is NaN stays.
  __aicore__ inline void MarkKeptFloats(const AscendC::LocalTensor<Key> &key, const KeyRepeats &at) {
    const auto keep = Words(0), nans = Words(1);
    AscendC::Compare(Bits(0), key, Best(0), last_ ? AscendC::CMPMODE::LT : AscendC::CMPMODE::LE,
                     uint64_t{kRepeat}, static_cast<uint8_t>(at.repeats), KeyFirst(at));
    AscendC::CompareScalar(Bits(1), Best(0), -__builtin_inff(), AscendC::CMPMODE::GE, at.repeats * kRepeat);
    AscendC::Not(nans, nans, WordCount(at));
    AscendC::Or(keep, keep, nans, WordCount(at));
  }

  // Sets the bits of lanes whose best is larger than the key, or equal unless `last`. Compare knows only
  // equality of int32, so this compares with the maximum of both.
  __aicore__ inline void MarkKept(uint32_t mask, const AscendC::LocalTensor<Key> &key,
                                  const AscendC::LocalTensor<Key> &best, bool last, const KeyRepeats &at) {
    const auto larger = Larger();
    AscendC::Max(larger, best, key, uint64_t{at.lanes}, static_cast<uint8_t>(at.repeats), KeySecond(at));
    if (last) {
      MarkEqual(mask, larger, key, KeySecond(at), at);
      AscendC::Not(Words(mask), Words(mask), WordCount(at));
    } else {
      MarkEqual(mask, larger, best, Dense(), at);
    }
  }

  // Of two planes: a lane keeps its best if that is larger in the high plane, or equal there and kept in the
  // low plane. Also chooses the low plane of the best, because only a maximum chooses the high one.
  __aicore__ inline void MarkKeptPairs(const AscendC::LocalTensor<Key> &high,
                                       const AscendC::LocalTensor<Key> &low, const KeyRepeats &at) {
    const auto keep = Words(0), low_keeps = Words(1), differs = Words(2);
    const uint32_t words = WordCount(at);
    MarkKept(1, low, Best(1), last_, at);
    MarkEqual(2, high, Best(0), KeyFirst(at), at);
    MarkKept(0, high, Best(0), false, at);
    AscendC::Not(differs, differs, words);
    AscendC::Or(low_keeps, low_keeps, differs, words);
    AscendC::And(keep, keep, low_keeps, words);
    // Select takes float and half alone, but it only moves bits.
    const auto best = Best(1).template ReinterpretCast<float>();
    AscendC::Select(best, Bits(0), best, low.template ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{at.lanes},
                    static_cast<uint8_t>(at.repeats), KeySecond(at));
  }

  __aicore__ inline void MarkEqual(uint32_t mask, const AscendC::LocalTensor<Key> &a,
                                   const AscendC::LocalTensor<Key> &b,
                                   const AscendC::BinaryRepeatParams &params, const KeyRepeats &at) {
    AscendC::Compare(Bits(mask), a, b, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                     static_cast<uint8_t>(at.repeats), params);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> best_, indices_, bits_;
  uint32_t most_lanes_ = 0;
  uint32_t skew_ = 0;     // keys that best_ is moved by
  uint32_t best_at_ = 0;  // where the best keys of plane 0 lie: in place 0, or behind all planes
  bool last_ = false;
  bool fresh_ = false;  // nothing was handed over since Reset, by whoever hands over tiles
};

}  // namespace avo
