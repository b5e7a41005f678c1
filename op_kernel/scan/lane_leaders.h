// SPDX-License-Identifier: Apache-2.0
// The largest element that each lane has been offered, and the place it was offered at: comparisons give
// bits, and bits choose between places. Lanes come in repeats of 64.
#pragma once

#include "key_planes.h"

namespace avo {

template <typename T>
class LaneLeaders {
 public:
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr bool kWhole = KeyPlanes<T>::kWhole;
  static constexpr uint32_t kRepeat = 64;  // lanes

  // last: among equal elements the last one leads instead of the first. The first NaN does in any case.
  __aicore__ inline void Init(uint32_t lanes, bool last, AscendC::TPipe *pipe) {
    most_ = lanes;
    last_ = last;
    pipe->InitBuffer(best_, (kPlanes * lanes + kRepeat) * sizeof(Key));
    pipe->InitBuffer(places_, lanes * sizeof(int32_t));
    pipe->InitBuffer(bits_, 3 * BitBytes());
    if constexpr (kWhole) {
      pipe->InitBuffer(larger_, lanes * sizeof(Key));
      AscendC::Duplicate(larger_.template Get<Key>(), Key(0), lanes);
    }
  }

  // Two operands of an instruction are read at once where they lie in opposite halves of the bank groups:
  // puts leaders a repeat beside keys whose positions are at `address` and whole pairs of repeats behind it.
  __aicore__ inline void FaceAway(uint64_t address) {
    constexpr uint64_t kRepeatBytes = kRepeat * sizeof(Key);
    const uint64_t own = reinterpret_cast<uint64_t>(best_.template Get<Key>().GetPhyAddr());
    skew_ = (own / kRepeatBytes + address / kRepeatBytes) % 2 == 0 ? kRepeat : 0;
  }

  // Place 0 leads `repeats` repeats of lanes, with the least element there is.
  __aicore__ inline void Reset(uint32_t repeats) {
    for (uint32_t p = 0; p < kPlanes; ++p) AscendC::Duplicate(Best(p), Least(), repeats * kRepeat);
    AscendC::Duplicate(Places(), 0, repeats * kRepeat);
  }

  // Offers the first `lanes` lanes of each repeat an element of `keys`, from `offset` on, where repeats are
  // `stride` data blocks apart. All 64 lanes are read.
  // Keys: KeyPlanes, or else what has its Plane.
  template <typename Keys>
  __aicore__ inline void Offer(Keys &keys, uint32_t offset, uint8_t stride, uint32_t lanes, uint32_t repeats,
                               int32_t place) {
    const auto key = keys.Plane(0)[offset];
    const AscendC::BinaryRepeatParams offered(1, 1, 1, 8, stride, 8), reversed(1, 1, 1, 8, 8, stride);
    const uint8_t count = static_cast<uint8_t>(repeats);
    const uint32_t words = repeats * kRepeat / 16;
    const auto keep = Bits(0).template ReinterpretCast<uint16_t>();
    if constexpr (kWhole) {
      Surpass(key, Best(0), reversed, lanes, count);
      const auto other = Bits(1).template ReinterpretCast<uint16_t>();
      if constexpr (kPlanes == 2) {
        // Kept: larger in the first plane, or equal there and kept in the second.
        const auto low = keys.Plane(1)[offset];
        const auto equal = Bits(2).template ReinterpretCast<uint16_t>();
        Equal(0, larger_.template Get<Key>(), Best(0), dense_, count);
        Equal(2, key, Best(0), offered, count);
        Surpass(low, Best(1), reversed, lanes, count);
        CompareSurpassed(1, low, Best(1), reversed, count);
        if (last_) AscendC::Not(other, other, words);
        AscendC::Not(equal, equal, words);
        AscendC::Or(other, other, equal, words);
        AscendC::And(keep, keep, other, words);
        Choose(Best(1), low, reversed, lanes, count);
      } else {
        CompareSurpassed(0, key, Best(0), reversed, count);
        if (last_) AscendC::Not(keep, keep, words);
      }
    } else {
      // A NaN is not compared: as a new element it leads, and once it leads it stays.
      const auto nans = Bits(1).template ReinterpretCast<uint16_t>();
      AscendC::Compare(Bits(0), key, Best(0), last_ ? AscendC::CMPMODE::LT : AscendC::CMPMODE::LE,
                       uint64_t{kRepeat}, count, offered);
      AscendC::CompareScalar(Bits(1), Best(0), -__builtin_inff(), AscendC::CMPMODE::GE, repeats * kRepeat);
      AscendC::Not(nans, nans, words);
      AscendC::Or(keep, keep, nans, words);
    }
    const auto places = Places().template ReinterpretCast<float>();
    AscendC::Select(places, Bits(0), places, __builtin_bit_cast(float, place),
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, uint64_t{lanes}, count, dense_);
    AscendC::Max(Best(0), Best(0), key, uint64_t{lanes}, count, reversed);
  }

  __aicore__ inline AscendC::LocalTensor<Key> Best(uint32_t plane) {
    return best_.template Get<Key>()[skew_ + plane * most_];
  }
  __aicore__ inline AscendC::LocalTensor<int32_t> Places() { return places_.template Get<int32_t>(); }

 private:
  __aicore__ inline uint32_t BitBytes() const {
    return (most_ / 8 + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
  }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Bits(uint32_t i) {
    return bits_.template Get<uint8_t>()[i * BitBytes()];
  }
  static __aicore__ inline Key Least() {
    if constexpr (kWhole) {
      return -2147483647 - 1;
    } else {
      return -__builtin_inff();
    }
  }

  __aicore__ inline void Equal(uint32_t bits, const AscendC::LocalTensor<Key> &a,
                               const AscendC::LocalTensor<Key> &b, const AscendC::BinaryRepeatParams &params,
                               uint8_t count) {
    AscendC::Compare(Bits(bits), a, b, AscendC::CMPMODE::EQ, uint64_t{kRepeat}, count, params);
  }

  // int32 knows no order but Max: what is larger is equal to the maximum of both.
  __aicore__ inline void Surpass(const AscendC::LocalTensor<Key> &key, const AscendC::LocalTensor<Key> &best,
                                 const AscendC::BinaryRepeatParams &params, uint32_t lanes, uint8_t count) {
    AscendC::Max(larger_.template Get<Key>(), best, key, uint64_t{lanes}, count, params);
  }
  // Bits of lanes that stay, or, for the last of equal ones, of those that change.
  __aicore__ inline void CompareSurpassed(uint32_t bits, const AscendC::LocalTensor<Key> &key,
                                          const AscendC::LocalTensor<Key> &best,
                                          const AscendC::BinaryRepeatParams &reversed, uint8_t count) {
    if (last_) {
      Equal(bits, larger_.template Get<Key>(), key, reversed, count);
    } else {
      Equal(bits, larger_.template Get<Key>(), best, dense_, count);
    }
  }
  // Select knows float and half alone; it moves bits.
  __aicore__ inline void Choose(const AscendC::LocalTensor<Key> &best, const AscendC::LocalTensor<Key> &key,
                                const AscendC::BinaryRepeatParams &params, uint32_t lanes, uint8_t count) {
    const auto to = best.template ReinterpretCast<float>();
    AscendC::Select(to, Bits(0), to, key.template ReinterpretCast<float>(),
                    AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, uint64_t{lanes}, count, params);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> best_, places_, bits_, larger_;
  const AscendC::BinaryRepeatParams dense_{1, 1, 1, 8, 8, 8};
  uint32_t most_ = 0, skew_ = 0;
  bool last_ = false;
};

}  // namespace avo
