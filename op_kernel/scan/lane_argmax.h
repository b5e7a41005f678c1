// SPDX-License-Identifier: Apache-2.0
// The largest key that each lane has met so far, and the index at which it met it. Lanes come in repeats
// of 64. The kernel hands over one key for each lane at a time:
//
//   lane               0   1   2   3  …
//   best, index        5@0 7@2 2@1 9@0       before
//   key at index 3     6   7   1   9
//   kept, first wins   0   1   1   1         a mask: the lanes that keep their best
//   best, index        6@3 7@2 2@1 9@0       after
#pragma once

#include "argmax_buffers.h"
#include "key_planes.h"

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
    if constexpr (kWhole) {
      AscendC::Duplicate(best_.template Get<Key>(), Key(0), static_cast<int32_t>(buffers.best.bytes / 4));
    }
  }
  // Masks have a buffer of their own, so that they may lie far from the best: instructions that write one of
  // the two and read the other would wait if both were in one bank.
  __aicore__ inline void InitMasks(const LaneArgmaxBuffers &buffers, AscendC::TPipe *pipe) {
    pipe->InitBuffer(bits_, buffers.bits.bytes);
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
  }
  // Begins anew with the element at `index` of every line. Keys: KeyPlanes, or another class whose Plane(i)
  // is a tensor; all 64 keys of a repeat count.
  template <typename Keys>
  __aicore__ inline void Begin(Keys &keys, const KeyRepeats &at, int32_t index) {
    for (uint32_t p = 0; p < kPlanes; ++p) {
      const auto key = keys.Plane(p)[at.offset];
      AscendC::Max(Best(p), key, key, uint64_t{kRepeat}, static_cast<uint8_t>(at.repeats),
                   {1, 1, 1, 8, at.stride, at.stride});
    }
    AscendC::Duplicate(Indices(), index, at.repeats * kRepeat);
  }

  // Hands the element at `index` of every line to its lane, which keeps the larger one. nans: whether keys
  // may be NaN. Where they must not, but are, the best of a lane still becomes NaN, but its index is wrong.
  template <typename Keys>
  __aicore__ inline void KeepLarger(Keys &keys, const KeyRepeats &at, int32_t index, bool nans = true) {
    MarkKeptOf(keys, at, nans);
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
    MarkKeptOf(keys, at, true);
    const auto indices = Indices().template ReinterpretCast<float>();
    AscendC::Select(indices, Bits(0), indices, found[at.offset].template ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{at.lanes},
                    static_cast<uint8_t>(at.repeats), KeySecond(at));
    KeepMaxima(keys, at);
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
  __aicore__ inline void MarkKeptOf(Keys &keys, const KeyRepeats &at, bool nans) {
    const auto key = keys.Plane(0)[at.offset];
    if constexpr (!kWhole) {
      MarkKeptFloats(key, at, nans);
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

  // A lane keeps its best unless the key is larger, or equal where the last one wins. Comparisons with NaN
  // are false, so a NaN key wins; a best that is NaN stays.
  __aicore__ inline void MarkKeptFloats(const AscendC::LocalTensor<Key> &key, const KeyRepeats &at,
                                        bool nans) {
    const auto keep = Words(0), is_nan = Words(1);
    AscendC::Compare(Bits(0), key, Best(0), last_ ? AscendC::CMPMODE::LT : AscendC::CMPMODE::LE,
                     uint64_t{kRepeat}, static_cast<uint8_t>(at.repeats), KeyFirst(at));
    if (!nans) return;
    AscendC::CompareScalar(Bits(1), Best(0), -__builtin_inff(), AscendC::CMPMODE::GE, at.repeats * kRepeat);
    AscendC::Not(is_nan, is_nan, WordCount(at));
    AscendC::Or(keep, keep, is_nan, WordCount(at));
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
};

}  // namespace avo
