// SPDX-License-Identifier: Apache-2.0
// Elements as what the vector unit orders: float32 or int32, exactly. int64 becomes two planes of int32, its
// high half and its low half with the top bit turned over, so that both compare as signed numbers.
#pragma once

#include <type_traits>

#include "row_copy.h"

namespace avo {

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
  static constexpr int32_t kTopBit = -2147483647 - 1;

  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, halves_;
  AscendC::LocalTensor<std::conditional_t<kDirect, T, Key>> loaded_;
  uint32_t elements_ = 0;
};

}  // namespace avo
