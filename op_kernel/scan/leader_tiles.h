// SPDX-License-Identifier: Apache-2.0
// Tiles of a tensor (outer, length, inner) whose elements are offered to lanes: the queue they come through,
// as what they are compared, and the leaders.
#pragma once

#include "lane_leaders.h"

namespace avo {

template <typename T, typename Tiling>
class LeaderTiles {
 protected:
  static constexpr uint32_t kRepeat = LaneLeaders<T>::kRepeat;

  // elements: of a tile in UB; lanes: that lead. Tiling: `bypass`, `last`, and the shape.
  __aicore__ inline void InitTiles(GM_ADDR in, const Tiling &tiling, uint32_t elements, uint32_t lanes,
                                   AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.outer * t_.length * t_.inner);
    // Read once, and too large to have been left in the L2 by whoever wrote it.
    if (t_.bypass != 0) in_gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    // Keys lie far from leaders: in another third of UB no bank serves both.
    keys_.Init(elements, pipe);
    pipe->InitBuffer(in_queue_, 2, elements * sizeof(T));
    leaders_.Init(lanes, t_.last != 0, pipe);
    // Lanes without elements are computed with too.
    ZeroQueue<T>(in_queue_, 2, elements);
    auto tile = in_queue_.template AllocTensor<T>();
    leaders_.FaceAway(keys_.Address(tile));
    in_queue_.FreeTensor(tile);
  }

  // The tile that was copied, as keys.
  __aicore__ inline AscendC::LocalTensor<T> Load(const AscendC::LocalTensor<T> &copied, uint32_t count) {
    in_queue_.EnQue(copied);
    auto tile = in_queue_.template DeQue<T>();
    keys_.Load(tile, count);
    return tile;
  }

  Tiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::GlobalTensor<T> in_gm_;
  KeyPlanes<T> keys_;
  LaneLeaders<T> leaders_;
};

}  // namespace avo
