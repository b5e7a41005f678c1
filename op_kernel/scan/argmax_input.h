// SPDX-License-Identifier: Apache-2.0
// The input of ArgMax, and the queue through which its tiles come to UB.
#pragma once

#include "argmax_buffers.h"
#include "key_planes.h"

namespace avo {

// The index along a line at which part `part` begins. The last part ends where the line ends.
__aicore__ inline int64_t PartBegin(int64_t part, int64_t part_length, int64_t length) {
  const int64_t begin = part * part_length, most = length - part_length;
  return begin < most ? begin : most;
}

template <typename T, typename I>
class ArgmaxInput {
 protected:
  static constexpr ArgmaxFormat kFormat{sizeof(T), KeyPlanes<T>::kWhole, sizeof(I)};

  __aicore__ inline void InitInput(GM_ADDR in, const ArgmaxTiling &tiling, const Buffer &queue,
                                   AscendC::TPipe *pipe) {
    t_ = tiling;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), t_.outer * t_.length * t_.inner);
    // The input is read once, and it is too large to lie in the L2 still since it was written.
    if (t_.bypass != 0) in_gm_.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
    pipe->InitBuffer(in_queue_, queue.count, queue.bytes);
  }

  ArgmaxTiling t_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::GlobalTensor<T> in_gm_;
};

}  // namespace avo
