// SPDX-License-Identifier: Apache-2.0
// Gradients of bins, which are loaded from their channels-last copy and become float32.
#pragma once

#include "../common/copies/channels_last.h"
#include "roi_buffers.h"

namespace avo {

template <typename T>
class RoiGradients {
 public:
  // `grads` holds the copy, with `layout`. It takes these fields of the tiling: pixel, chunk, gradBins. Takes
  // RoiGradientsBuffers of the Unified Buffer.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR grads, const ChannelsLast &layout, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    layout_ = layout;
    chunk_ = tiling.chunk;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grads),
                        layout.images * layout.ImagePixels() * layout.pixel);
    const RoiGradientsBuffers buffers(tiling.gradBins, chunk_, sizeof(T));
    pipe->InitBuffer(queue_, buffers.loaded.count, buffers.loaded.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    if (layout.pixel % chunk_ == 0) return;
    // The last chunk has fewer channels: nothing is loaded behind them.
    ZeroQueue<T>(queue_, buffers.loaded.count, buffers.loaded.bytes / sizeof(T));
  }

  // Loads channels [channel, channel + channels) of bins [bin, bin + count) of a region. The next bin is a
  // chunk further. Call Release before the next Load.
  __aicore__ inline AscendC::LocalTensor<float> Load(int64_t roi, uint32_t bin, uint32_t count,
                                                     uint32_t channel, uint32_t channels) {
    loaded_ = queue_.template AllocTensor<T>();
    const int64_t from = (layout_.Pixel(roi, 0, 0) + bin) * layout_.pixel + channel;
    CopyRowsIn(loaded_, chunk_, gm_, from, layout_.pixel, count, channels);
    queue_.EnQue(loaded_);
    loaded_ = queue_.template DeQue<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      return loaded_;
    } else {
      auto wide = wide_.template Get<float>();
      AscendC::Cast(wide, loaded_, AscendC::RoundMode::CAST_NONE, count * chunk_);
      return wide;
    }
  }

  __aicore__ inline void Release() { queue_.FreeTensor(loaded_); }

 private:
  ChannelsLast layout_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_;
  AscendC::GlobalTensor<T> gm_;
  AscendC::LocalTensor<T> loaded_;
  uint32_t chunk_;
};

}  // namespace avo
