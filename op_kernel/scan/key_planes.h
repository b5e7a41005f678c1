// SPDX-License-Identifier: Apache-2.0
// Elements as what the vector unit orders: float32 or int32, exactly. int64 becomes two planes of int32, its
// high half and its low half with the top bit turned over, so that both compare as signed numbers.
#pragma once

#include <type_traits>

#include "../common/copies/row_copy.h"

namespace avo {

constexpr int32_t kTopBit = -2147483647 - 1;

template <typename T>
class KeyPlanes {
 public:
  static constexpr bool kWhole = std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
  using Key = std::conditional_t<kWhole, int32_t, float>;
  static constexpr uint32_t kPlanes = sizeof(T) == sizeof(int64_t) ? 2 : 1;

  // Room for `elements` elements at a time.
  __aicore__ inline void Init(uint32_t elements, AscendC::TPipe *pipe) {
    if constexpr (kDirect) return;
    elements_ = elements;
    pipe->InitBuffer(planes_, kPlanes * elements * sizeof(Key));
    if constexpr (sizeof(T) == 1) pipe->InitBuffer(halves_, elements * sizeof(half));
  }

  // Takes up `count` loaded elements, which must stay where they are until the planes have been read.
  __aicore__ inline void Load(const AscendC::LocalTensor<T> &loaded, uint32_t count) {
    constexpr auto kNone = AscendC::RoundMode::CAST_NONE;
    if constexpr (kDirect) {
      loaded_ = loaded;
    } else if constexpr (sizeof(T) == sizeof(int64_t)) {
      const auto halves = loaded.template ReinterpretCast<int32_t>();
      const AscendC::GatherMaskParams once(1, 1, 0, 0);
      uint64_t kept = 0;
      AscendC::GatherMask(Plane(1), halves, kEven, true, 2 * count, once, kept);
      AscendC::GatherMask(Plane(0), halves, kOdd, true, 2 * count, once, kept);
      AscendC::Adds(Plane(1), Plane(1), kTopBit, count);
    } else if constexpr (sizeof(T) == 1) {
      auto widened = halves_.Get<half>();
      AscendC::Cast(widened, loaded, kNone, count);
      AscendC::Cast(Plane(0), widened, kNone, count);
    } else {
      AscendC::Cast(Plane(0), loaded, kNone, count);
    }
  }

  // Plane 0 orders elements, plane 1 those that are equal in it.
  __aicore__ inline AscendC::LocalTensor<Key> Plane(uint32_t plane) {
    if constexpr (kDirect) {
      return loaded_;
    } else {
      return planes_.template Get<Key>()[plane * elements_];
    }
  }

  // Where planes begin when `loaded` is taken up.
  __aicore__ inline uint64_t Address(const AscendC::LocalTensor<T> &loaded) {
    if constexpr (kDirect) {
      return reinterpret_cast<uint64_t>(loaded.GetPhyAddr());
    } else {
      return reinterpret_cast<uint64_t>(Plane(0).GetPhyAddr());
    }
  }

 private:
  static constexpr bool kDirect = std::is_same_v<T, Key>;
  static constexpr uint8_t kEven = 1, kOdd = 2;  // patterns of GatherMask

  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, halves_;
  AscendC::LocalTensor<std::conditional_t<kDirect, T, Key>> loaded_;
  uint32_t elements_ = 0;
};

// The way back: int64 from their two planes, a stretch at a time, by a table of where its halves lie.
class PlaneWeaver {
 public:
  // pitch: elements from plane to plane.
  __aicore__ inline void Init(uint32_t pitch, AscendC::TPipe *pipe) {
    pitch_ = pitch;
    pipe->InitBuffer(table_, 2 * kHalves * sizeof(int32_t));
    const auto offsets = table_.Get<int32_t>(), other = offsets[kHalves];
    AscendC::CreateVecIndex(offsets, int32_t{0}, kHalves);
    // Half i is of element i / 2, and in the first plane where i is odd: bytes from the second plane on.
    AscendC::ShiftRight(other, offsets, int32_t{1}, static_cast<int32_t>(kHalves));
    AscendC::Muls(other, other, int32_t{2}, static_cast<int32_t>(kHalves));
    AscendC::Sub(offsets, offsets, other, static_cast<int32_t>(kHalves));
    AscendC::Adds(offsets, offsets, int32_t{-1}, static_cast<int32_t>(kHalves));
    AscendC::Muls(offsets, offsets, -static_cast<int32_t>(pitch * sizeof(int32_t)),
                  static_cast<int32_t>(kHalves));
    AscendC::Muls(other, other, int32_t{2}, static_cast<int32_t>(kHalves));
    AscendC::Add(offsets, offsets, other, static_cast<int32_t>(kHalves));
  }

  // Elements [0, count); the planes are used up.
  __aicore__ inline void Weave(const AscendC::LocalTensor<int64_t> &to,
                               const AscendC::LocalTensor<int32_t> &planes, uint32_t count) {
    const auto low = planes[pitch_];
    AscendC::Adds(low, low, kTopBit, static_cast<int32_t>(count));
    const auto halves = to.ReinterpretCast<int32_t>();
    const auto table = table_.Get<uint32_t>();
    for (uint32_t at = 0; at < 2 * count; at += kHalves) {
      AscendC::Gather(halves[at], planes, table, at / 2 * static_cast<uint32_t>(sizeof(int32_t)),
                      MinRemaining(2 * count - at, kHalves));
    }
  }

 private:
  static constexpr uint32_t kHalves = 512;

  AscendC::TBuf<AscendC::TPosition::VECCALC> table_;
  uint32_t pitch_ = 0;
};

}  // namespace avo
