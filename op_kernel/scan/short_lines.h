// SPDX-License-Identifier: Apache-2.0
// Where the largest elements of many short lines are: lines are lanes. They lie in memory without gaps; those
// that begin at the same place of a data block, `apart` lines from each other, become lanes together.
#pragma once

#include "../common/vectors/lanes.h"
#include "leader_tiles.h"

namespace avo {

template <typename T, typename I, typename Tiling>
class ShortLines : LeaderTiles<T, Tiling> {
  using Tiles = LeaderTiles<T, Tiling>;
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr uint32_t kStep = kBlockBytes / sizeof(Key);

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const Tiling &tiling, AscendC::TPipe *pipe) {
    const uint32_t lanes = tiling.pitch, length = static_cast<uint32_t>(tiling.length);
    elements_ = RoundUp(tiling.tileOuter * length, kBlockBytes / (sizeof(T) < 4 ? sizeof(T) : 4));
    each_ = lanes / tiling.apart / kLanes * kLanes;
    offered_.plane = (length + 2 * kStep) * lanes;
    this->InitTiles(in, tiling, elements_, lanes, pipe);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer);
    pipe->InitBuffer(slots_, kPlanes * offered_.plane * sizeof(Key));
    pipe->InitBuffer(out_queue_, 2, lanes * sizeof(I));
    pipe->InitBuffer(places_, lanes * sizeof(int32_t));
    pipe->InitBuffer(turned_, each_ * kLanes * sizeof(int32_t));
    offered_.slots = slots_.template Get<Key>();
    // Lanes without lines are computed with too.
    AscendC::Duplicate(offered_.slots, Key(0), static_cast<int32_t>(kPlanes * offered_.plane));
    this->leaders_.FaceAway(AddressOf(offered_.slots, 0));
  }

  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const uint32_t length = static_cast<uint32_t>(t.length), repeats = t.pitch / Tiles::kRepeat;
    const Share share = CoreShare(t.outerTiles);
    for (int64_t group = share.begin; group < share.end; ++group) {
      const int64_t first = group * t.tileOuter;
      const uint32_t lines = TileExtent(first, t.tileOuter, t.outer);
      auto tile = this->in_queue_.template AllocTensor<T>();
      CopyRowsIn(tile, lines * length, this->in_gm_, first * length, 0, 1, lines * length);
      tile = this->Load(tile, elements_);
      for (uint32_t p = 0; p < kPlanes; ++p) LinesToLanes(p, lines);
      this->in_queue_.FreeTensor(tile);
      this->leaders_.Reset(repeats);
      constexpr uint8_t kDense = 8;
      for (uint32_t x = 0; x < length; ++x) {
        this->leaders_.Offer(offered_, (kStep + x) * t.pitch, kDense, Tiles::kRepeat, repeats,
                             static_cast<int32_t>(x));
      }
      CopyOut(first, lines);
    }
  }

 private:
  // Keys as leaders are offered them.
  struct Slots {
    AscendC::LocalTensor<Key> slots;
    uint32_t plane;
    __aicore__ inline AscendC::LocalTensor<Key> Plane(uint32_t i) const { return slots[i * plane]; }
  };

  __aicore__ inline void LinesToLanes(uint32_t plane, uint32_t lines) {
    const auto &t = this->t_;
    const uint32_t length = static_cast<uint32_t>(t.length);
    const auto keys = this->keys_.Plane(plane).template ReinterpretCast<float>();
    const auto slots = offered_.Plane(plane).template ReinterpretCast<float>();
    for (uint32_t first = 0; first < t.apart && first < lines; ++first) {
      const uint32_t count = (lines - first + t.apart - 1) / t.apart;
      for (uint32_t lane = 0; lane < count; lane += kLanes) {
        const uint32_t begin = (first + lane * t.apart) * length, offset = begin % kStep;
        RowsToSlots(slots[(kStep - offset) * t.pitch + first * each_ + lane], t.pitch, keys[begin - offset],
                    t.apart * length, count - lane < kLanes ? count - lane : kLanes, offset + length);
      }
    }
  }

  // Places in the order of lines: lanes of all of the `apart` kinds side by side, then without gaps.
  __aicore__ inline void CopyOut(int64_t first, uint32_t lines) {
    const auto &t = this->t_;
    auto places = this->leaders_.Places();
    if (t.apart > 1) {
      const auto turned = turned_.template Get<int32_t>();
      RowsToSlots(turned.template ReinterpretCast<float>(), kLanes, places.template ReinterpretCast<float>(),
                  each_, t.apart, each_);
      places = places_.template Get<int32_t>();
      uint64_t kept = 0;
      constexpr uint8_t kAll = 7;
      AscendC::GatherMask(places, turned, kAll, true, t.apart,
                          {1, static_cast<uint16_t>(each_), kSlotBlocks, 0}, kept);
    }
    auto out = out_queue_.template AllocTensor<I>();
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      AscendC::Adds(out, places, 0, static_cast<int32_t>(lines));
    } else {
      AscendC::Cast(out, places, AscendC::RoundMode::CAST_NONE, lines);
    }
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(out_gm_, first, lines, out, lines, 1, lines);
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> slots_, places_, turned_;
  AscendC::GlobalTensor<I> out_gm_;
  Slots offered_;
  uint32_t elements_, each_;
};

}  // namespace avo
