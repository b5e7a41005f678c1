// SPDX-License-Identifier: Apache-2.0
// Sums over samples that a core owns: a band of rows and columns of some channels of an image, channels of a
// pixel together, as float32 in UB. When all is added, the band is rounded and written as planes (N, C, H,
// W).
#pragma once

#include "../common/copies/channels_last.h"

namespace avo {

template <typename T>
class BandSums {
 public:
  // Of the tiling: images, channels, height, width; bands of bandRows x bandColumns x chunk (several rows
  // only of columns that are whole, or a multiple of 16), whose planes lie bandPitch apart in UB.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR out, const Tiling &tiling, AscendC::TPipe *pipe) {
    size_[0] = tiling.height;
    size_[1] = tiling.width;
    all_channels_ = tiling.channels;
    pixel_ = tiling.pixel;
    chunk_ = tiling.chunk;
    most_rows_ = tiling.bandRows;
    most_columns_ = tiling.bandColumns;
    pitch_ = tiling.bandPitch;
    images_ = tiling.images;
    slots_ = RoundUp(most_rows_ * most_columns_, kLanes);
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), images_ * all_channels_ * size_[0] * size_[1]);
    pipe->InitBuffer(sums_, slots_ * chunk_ * sizeof(float));
    pipe->InitBuffer(queue_, 2, kLanes * pitch_ * sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(rounded_, slots_ * kLanes * sizeof(T));
  }

  __aicore__ inline int64_t Count() const {
    return images_ * Parts(size_[0], most_rows_) * Parts(size_[1], most_columns_) * Parts(pixel_, chunk_);
  }

  // Band `band` in hand, all of its sums 0.
  __aicore__ inline void Begin(int64_t band) {
    const int64_t chunks = Parts(pixel_, chunk_), row_bands = Parts(size_[0], most_rows_),
                  column_bands = Parts(size_[1], most_columns_);
    channel = static_cast<uint32_t>(band % chunks) * chunk_;
    channels = MinRemaining(pixel_ - channel, chunk_);
    low[1] = band / chunks % column_bands * most_columns_;
    high[1] = low[1] + MinRemaining(size_[1] - low[1], most_columns_);
    low[0] = band / chunks / column_bands % row_bands * most_rows_;
    high[0] = low[0] + MinRemaining(size_[0] - low[0], most_rows_);
    image = band / chunks / column_bands / row_bands;
    AscendC::Duplicate(sums_.template Get<float>(), 0.0f, slots_ * chunk_);
  }

  __aicore__ inline bool Has(int64_t y, int64_t x) const {
    return y >= low[0] && y < high[0] && x >= low[1] && x < high[1];
  }

  // Adds factor x values, of the band's channels, to a pixel that it has.
  __aicore__ inline void Add(int64_t y, int64_t x, const AscendC::LocalTensor<float> &values, float factor) {
    const int64_t slot = (y - low[0]) * most_columns_ + x - low[1];
    AscendC::Axpy(sums_.template Get<float>()[slot * chunk_], values, factor, static_cast<int32_t>(channels));
  }

  // Rounds and writes the band, 16 channels a time.
  __aicore__ inline void Store() {
    const uint32_t present = MinRemaining(all_channels_ - channel, chunk_);
    const uint32_t rows = static_cast<uint32_t>(high[0] - low[0]),
                   columns = static_cast<uint32_t>(high[1] - low[1]);
    const int64_t plane = size_[0] * size_[1];
    for (uint32_t lane = 0; lane < present; lane += kLanes) {
      auto planes = queue_.template AllocTensor<T>();
      ToPlanes(planes, sums_.template Get<float>()[lane]);
      queue_.EnQue(planes);
      planes = queue_.template DeQue<T>();
      const uint32_t count = MinRemaining(present - lane, kLanes);
      const int64_t to = (image * all_channels_ + channel + lane) * plane + low[0] * size_[1] + low[1];
      if (most_columns_ == size_[1]) {
        CopyPlanesOut(gm_, to, plane, planes, pitch_, count, rows * columns);
      } else {
        for (uint32_t r = 0; r < rows; ++r) {
          CopyPlanesOut(gm_, to + r * size_[1], plane, planes[r * most_columns_], pitch_, count, columns);
        }
      }
      queue_.FreeTensor(planes);
    }
  }

  // The band in hand: rows and columns [low, high), channels of the padded pixel.
  int64_t image, low[2], high[2];
  uint32_t channel, channels;

 private:
  static __aicore__ inline int64_t Parts(int64_t size, uint32_t part) { return (size + part - 1) / part; }

  __aicore__ inline void ToPlanes(const AscendC::LocalTensor<T> &planes,
                                  const AscendC::LocalTensor<float> &sums) {
    if constexpr (sizeof(T) == sizeof(float)) {
      PixelsToPlanes(planes, pitch_, sums, chunk_, kLanes, slots_);
    } else {
      constexpr uint32_t kMaxRepeats = 255;
      auto rounded = rounded_.template Get<T>();
      const uint8_t stride = static_cast<uint8_t>(chunk_ * sizeof(float) / kBlockBytes);
      for (uint32_t i = 0; i < slots_; i += kMaxRepeats) {
        AscendC::Cast(rounded[i * kLanes], sums[i * chunk_], AscendC::RoundMode::CAST_RINT,
                      static_cast<uint64_t>(kLanes),
                      static_cast<uint8_t>(MinRemaining(slots_ - i, kMaxRepeats)), {1, 1, 1, stride});
      }
      PixelsToPlanes(planes, pitch_, rounded, kLanes, kLanes, slots_);
    }
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_, rounded_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<T> gm_;
  int64_t size_[2], images_, all_channels_;
  uint32_t pixel_, chunk_, most_rows_, most_columns_, pitch_, slots_;
};

}  // namespace avo
