// SPDX-License-Identifier: Apache-2.0
// What three layouts of ArgMax have in common: the keys of tiles; and, where elements are compared position
// by position, the largest of each lane.
#pragma once

#include "argmax_input.h"
#include "lane_argmax.h"

namespace avo {

template <typename T, typename I>
class ArgmaxTiles : protected ArgmaxInput<T, I> {
 protected:
  // elements: most of them, as in `buffers`. zero: whether instructions compute lanes without elements, too.
  __aicore__ inline void InitTiles(GM_ADDR in, const ArgmaxTiling &tiling, const ArgmaxTilesBuffers &buffers,
                                   uint32_t elements, AscendC::TPipe *pipe, bool zero = true) {
    // Keys come first, far from the best keys, so that no bank holds both.
    keys_.Init(buffers.keys, elements, pipe);
    this->InitInput(in, tiling, buffers.in, pipe);
    if (zero) ZeroQueue<T>(this->in_queue_, 2, elements);
  }

  // Waits for a tile that is being copied, and computes its first `count` keys. The caller frees the result.
  __aicore__ inline AscendC::LocalTensor<T> Load(const AscendC::LocalTensor<T> &copied, uint32_t count) {
    this->in_queue_.EnQue(copied);
    auto tile = this->in_queue_.template DeQue<T>();
    keys_.Load(tile, count);
    return tile;
  }

  // Writes `count` indices as I.
  static __aicore__ inline void ToIndexType(const AscendC::LocalTensor<I> &to,
                                            const AscendC::LocalTensor<int32_t> &indices, uint32_t count) {
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      AscendC::Adds(to, indices, 0, static_cast<int32_t>(count));
    } else {
      AscendC::Cast(to, indices, AscendC::RoundMode::CAST_NONE, count);
    }
  }

  KeyPlanes<T> keys_;
};

template <typename T, typename I>
class LaneTiles : protected ArgmaxTiles<T, I> {
 protected:
  static constexpr uint32_t kRepeat = ArgmaxFormat::kRepeat;
  static constexpr uint8_t kDense = 8;  // data blocks from one repeat of keys to the next one

  // What comes to UB between InitMasks and InitLanes separates masks from the best of the lanes.
  __aicore__ inline void InitMasks(const LaneTilesBuffers &buffers, AscendC::TPipe *pipe) {
    lanes_.InitMasks(buffers.lanes, pipe);
  }
  // lanes: most of them, as in `buffers`.
  __aicore__ inline void InitLanes(const ArgmaxTiling &tiling, const LaneTilesBuffers &buffers,
                                   uint32_t lanes, AscendC::TPipe *pipe) {
    lanes_.Init(buffers.lanes, lanes, tiling.last != 0, pipe);
    auto tile = this->in_queue_.template AllocTensor<T>();
    lanes_.AvoidBanksOf(this->keys_.AddressAfterLoad(tile));
    this->in_queue_.FreeTensor(tile);
  }

  LaneArgmax<T> lanes_;
};

}  // namespace avo
