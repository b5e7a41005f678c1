// SPDX-License-Identifier: Apache-2.0
// Keys: what the vector unit compares in place of elements, which is float32 or int32, and exact. Keys of
// int64 are two planes of int32. Plane 0 holds the high halves, plane 1 the low halves with their top bits
// inverted, because a low half is unsigned and int32 is compared as signed. Plane 1 decides where plane 0 is
// equal.
//
//   int64 in memory   low a  high a | low b  high b | low c  high c
//   plane 0           high a  high b  high c
//   plane 1           low a ^ 2^31  low b ^ 2^31  low c ^ 2^31
#pragma once

#include <type_traits>

#include "../common/copies/row_copy.h"
#include "../common/vectors/casts.h"
#include "key_planes_buffers.h"

namespace avo {

constexpr int32_t kTopBit = -2147483647 - 1;

template <typename T>
class KeyPlanes {
 public:
  // Whether keys are int32, else they are float32.
  static constexpr bool kWhole = std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
  using Key = std::conditional_t<kWhole, int32_t, float>;
  static constexpr uint32_t kPlanes = KeyPlaneCount(sizeof(T));

  // elements: most elements at a time, as in `buffers`.
  __aicore__ inline void Init(const KeyPlanesBuffers &buffers, uint32_t elements, AscendC::TPipe *pipe) {
    if constexpr (kDirect) return;
    elements_ = elements;
    pipe->InitBuffer(planes_, buffers.planes.bytes);
    if constexpr (sizeof(T) == 1) pipe->InitBuffer(halves_, buffers.halves.bytes);
  }

  // Computes the keys of `count` loaded elements. `loaded` must not change before the planes have been read:
  // it may be a plane itself.
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

  // Plane 0 orders elements, plane 1 orders those that are equal in plane 0.
  __aicore__ inline AscendC::LocalTensor<Key> Plane(uint32_t plane) {
    if constexpr (kDirect) {
      return loaded_;
    } else {
      return planes_.template Get<Key>()[plane * elements_];
    }
  }

  // The address that plane 0 has after Load(loaded, …).
  __aicore__ inline uint64_t AddressAfterLoad(const AscendC::LocalTensor<T> &loaded) {
    if constexpr (kDirect) {
      return reinterpret_cast<uint64_t>(loaded.GetPhyAddr());
    } else {
      return reinterpret_cast<uint64_t>(Plane(0).GetPhyAddr());
    }
  }

 private:
  static constexpr bool kDirect = std::is_same_v<T, Key>;
  static_assert(kDirect == IsOwnKey(sizeof(T)), "the buffers of keys follow from the size of an element");
  static constexpr uint8_t kEven = 1, kOdd = 2;  // patterns of GatherMask

  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, halves_;
  AscendC::LocalTensor<std::conditional_t<kDirect, T, Key>> loaded_;
  uint32_t elements_ = 0;  // from plane to plane
};

// Makes int64 elements of their two planes again. Gather copies their halves: a table says where each half
// lies in the planes.
//
//   half            0      1       2      3       …
//   is of element   0 low  0 high  1 low  1 high
//   table, bytes    4 p    0       4 p + 4  4     …      p: elements from plane to plane
class PlaneInterleaver {
 public:
  // pitch: elements from plane to plane.
  __aicore__ inline void Init(const PlaneInterleaverBuffers &buffers, uint32_t pitch, AscendC::TPipe *pipe) {
    pitch_ = pitch;
    pipe->InitBuffer(table_, buffers.table.bytes);
    const auto offsets = table_.Get<int32_t>(), other = offsets[kHalves];
    constexpr int32_t kCount = kHalves;
    AscendC::CreateVecIndex(offsets, int32_t{0}, kHalves);
    // other: 2 * (i / 2) for half i. offsets: 1 where half i is high, 0 where it is low.
    AscendC::ShiftRight(other, offsets, int32_t{1}, kCount);
    AscendC::Muls(other, other, int32_t{2}, kCount);
    AscendC::Sub(offsets, offsets, other, kCount);
    // A low half lies in the second plane; element i / 2 lies 4 * (i / 2) bytes behind the begin of a plane.
    AscendC::Adds(offsets, offsets, int32_t{-1}, kCount);
    AscendC::Muls(offsets, offsets, -static_cast<int32_t>(pitch * sizeof(int32_t)), kCount);
    AscendC::Muls(other, other, int32_t{2}, kCount);
    AscendC::Add(offsets, offsets, other, kCount);
  }

  // Writes elements [0, count) to `to`. The low plane is changed on the way.
  __aicore__ inline void Interleave(const AscendC::LocalTensor<int64_t> &to,
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
  static constexpr uint32_t kHalves = PlaneInterleaverBuffers::kTableEntries;

  AscendC::TBuf<AscendC::TPosition::VECCALC> table_;  // offsets of kHalves halves, and as much scratch
  uint32_t pitch_ = 0;
};

}  // namespace avo
