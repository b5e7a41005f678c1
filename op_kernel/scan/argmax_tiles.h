// SPDX-License-Identifier: Apache-2.0
// What the three layouts of ArgMax have in common: the queue of tiles, their keys, and the largest of each
// lane.
#pragma once

#include "lane_argmax.h"

namespace avo {

template <typename T, typename I>
class ArgmaxTiles {
 protected:
  static constexpr uint32_t kRepeat = ArgmaxFormat::kRepeat;
  static constexpr uint8_t kDense = 8;  // data blocks from one repeat of keys to the next one
  static constexpr ArgmaxFormat kFormat{sizeof(T), KeyPlanes<T>::kWhole, sizeof(I)};

  // elements, lanes: most of them, as in `buffers`.
  __aicore__ inline void InitTiles(GM_ADDR in, const ArgmaxTiling &tiling, const ArgmaxTilesBuffers &buffers,
                                   uint32_t elements, uint32_t lanes, AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.outer * t_.length * t_.inner);
    // The input is read once, and it is too large to lie in the L2 still since it was written.
    if (t_.bypass != 0) in_gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    // Keys come first, far from the best keys, so that no bank holds both.
    keys_.Init(buffers.keys, elements, pipe);
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    lanes_.Init(buffers.lanes, lanes, t_.last != 0, pipe);
    // Instructions compute lanes without elements too.
    ZeroQueue<T>(in_queue_, 2, elements);
    auto tile = in_queue_.template AllocTensor<T>();
    lanes_.AvoidBanksOf(keys_.AddressAfterLoad(tile));
    in_queue_.FreeTensor(tile);
  }

  // Waits for a tile that is being copied, and computes its first `count` keys. The caller frees the result.
  __aicore__ inline AscendC::LocalTensor<T> Load(const AscendC::LocalTensor<T> &copied, uint32_t count) {
    in_queue_.EnQue(copied);
    auto tile = in_queue_.template DeQue<T>();
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

  ArgmaxTiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::GlobalTensor<T> in_gm_;
  KeyPlanes<T> keys_;
  LaneArgmax<T> lanes_;
};

}  // namespace avo
