// SPDX-License-Identifier: Apache-2.0
// The sums of a band: some rows and columns of an image, with a chunk of channels. Only one core adds to a
// band. The sums lie in UB as float32, the channels of a pixel side by side. When all is added, the core
// rounds them and stores them as planes of the result (N, C, H, W), 16 channels at a time:
//
//   sums in UB         pixel 0   c0 c1 c2 …  |  pixel 1   c0 c1 c2 …  |  …     then a gap behind each row
//   planes in UB       c0        pixel 0, pixel 1, …   , then a pitch further
//                      c1        pixel 0, pixel 1, …
#pragma once

#include "../common/copies/channels_last.h"
#include "roi_buffers.h"

namespace avo {

template <typename T>
class BandSums {
 public:
  // It takes these fields of the tiling: images, channels, height, width, pixel; and bands of bandRows x
  // bandColumns pixels with chunk channels, whose planes lie bandPitch elements apart in UB. A band may have
  // several rows if these are whole, or if bandColumns is a multiple of 16.
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
    spaced_ = BandSumsBuffers::Spaced(most_columns_);
    row_ = spaced_ ? static_cast<uint32_t>(SpacedRow(most_columns_, chunk_)) : most_columns_ * chunk_;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), images_ * all_channels_ * size_[0] * size_[1]);
    const BandSumsBuffers buffers(most_rows_, most_columns_, chunk_, pitch_, sizeof(T));
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    pipe->InitBuffer(queue_, buffers.planes.count, buffers.planes.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(rounded_, buffers.rounded.bytes);
  }

  // How many bands the result has.
  __aicore__ inline int64_t Count() const {
    return images_ * Pieces(size_[0], most_rows_) * Pieces(size_[1], most_columns_) * Pieces(pixel_, chunk_);
  }

  // Goes on to band `band`, and sets all of its sums to 0.
  __aicore__ inline void Begin(int64_t band) {
    const int64_t chunks = Pieces(pixel_, chunk_), row_bands = Pieces(size_[0], most_rows_),
                  column_bands = Pieces(size_[1], most_columns_);
    channel = static_cast<uint32_t>(band % chunks) * chunk_;
    channels = MinRemaining(pixel_ - channel, chunk_);
    low[1] = band / chunks % column_bands * most_columns_;
    high[1] = low[1] + MinRemaining(size_[1] - low[1], most_columns_);
    low[0] = band / chunks / column_bands % row_bands * most_rows_;
    high[0] = low[0] + MinRemaining(size_[0] - low[0], most_rows_);
    image = band / chunks / column_bands / row_bands;
    AscendC::Duplicate(Sums(), 0.0f, static_cast<int32_t>(Elements()));
  }

  __aicore__ inline bool Has(int64_t y, int64_t x) const {
    return y >= low[0] && y < high[0] && x >= low[1] && x < high[1];
  }

  // Adds factor * values to a pixel of the band. `values` are those of the band's channels.
  __aicore__ inline void Add(int64_t y, int64_t x, const AscendC::LocalTensor<float> &values, float factor) {
    const auto pixel = Sums()[(y - low[0]) * row_ + (x - low[1]) * chunk_];
    AscendC::Axpy(pixel, values, factor, static_cast<int32_t>(channels));
  }

  // The sums of the band, how many elements they are, and how many lie from row to row.
  __aicore__ inline AscendC::LocalTensor<float> Sums() { return sums_.template Get<float>(); }
  __aicore__ inline uint32_t Elements() const { return spaced_ ? most_rows_ * row_ : slots_ * chunk_; }
  __aicore__ inline uint32_t Row() const { return row_; }

  // Rounds the sums and stores them, 16 channels at a time.
  __aicore__ inline void Store() {
    const uint32_t present = MinRemaining(all_channels_ - channel, chunk_);
    const uint32_t rows = static_cast<uint32_t>(high[0] - low[0]),
                   columns = static_cast<uint32_t>(high[1] - low[1]);
    const int64_t plane = size_[0] * size_[1];
    for (uint32_t lane = 0; lane < present; lane += kLanes) {
      auto planes = queue_.template AllocTensor<T>();
      ToPlanes(planes, Sums()[lane]);
      queue_.EnQue(planes);
      planes = queue_.template DeQue<T>();
      const uint32_t count = MinRemaining(present - lane, kLanes);
      const int64_t to = (image * all_channels_ + channel + lane) * plane + low[0] * size_[1] + low[1];
      if (most_columns_ == size_[1]) {
        CopyRowsOut(gm_, to, plane, planes, pitch_, count, rows * columns);
      } else {
        for (uint32_t r = 0; r < rows; ++r) {
          CopyRowsOut(gm_, to + r * size_[1], plane, planes[r * most_columns_], pitch_, count, columns);
        }
      }
      queue_.FreeTensor(planes);
    }
  }

  // The band: rows [low[0], high[0]) and columns [low[1], high[1]) of an image, and its first channel and
  // number of channels. The channels are rounded up to 16, as those of a pixel in the workspace are.
  int64_t image, low[2], high[2];
  uint32_t channel, channels;

 private:
  static __aicore__ inline int64_t Pieces(int64_t size, uint32_t piece) { return (size + piece - 1) / piece; }

  // Rounds 16 channels of all pixels, and transposes them to planes.
  __aicore__ inline void ToPlanes(const AscendC::LocalTensor<T> &planes,
                                  const AscendC::LocalTensor<float> &sums) {
    if constexpr (sizeof(T) == sizeof(float)) {
      if (spaced_) return RowsToPlanes(planes, sums);
      PixelsToPlanes(planes, pitch_, sums, chunk_, kLanes, slots_);
    } else {
      constexpr uint32_t kMaxRepeats = 255;
      auto rounded = rounded_.template Get<T>();
      const uint8_t stride = static_cast<uint8_t>(chunk_ * sizeof(float) / kBlockBytes);
      const uint32_t run = spaced_ ? most_columns_ : slots_;
      for (uint32_t row = 0; row < slots_; row += run) {
        for (uint32_t i = 0; i < run; i += kMaxRepeats) {
          AscendC::Cast(rounded[(row + i) * kLanes], sums[row / run * row_ + i * chunk_],
                        AscendC::RoundMode::CAST_RINT, static_cast<uint64_t>(kLanes),
                        static_cast<uint8_t>(MinRemaining(run - i, kMaxRepeats)), {1, 1, 1, stride});
        }
      }
      PixelsToPlanes(planes, pitch_, rounded, kLanes, kLanes, slots_);
    }
  }

  // Transposes 16 channels of spaced rows in float32, 16 columns of all rows at a time.
  __aicore__ inline void RowsToPlanes(const AscendC::LocalTensor<float> &planes,
                                      const AscendC::LocalTensor<float> &sums) {
    constexpr uint32_t kStep = kBlockBytes / sizeof(float), kBlocks = kLanes / kStep;
    uint64_t sources[kLanes], targets[kLanes];
    TransposeBarrier();
    for (uint32_t column = 0; column < most_columns_; column += kLanes) {
      for (uint32_t part = 0; part < kBlocks; ++part) {
        for (uint32_t m = 0; m < kLanes; ++m) {
          sources[m] = AddressOf(sums, (column + m) * chunk_ + part * kStep);
          targets[m] =
              AddressOf(planes, (part * kStep + m / kBlocks) * pitch_ + column + m % kBlocks * kStep);
        }
        Transpose16<float>(targets, sources, most_rows_, most_columns_ / kStep, row_ / kStep);
      }
    }
    TransposeBarrier();
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_, rounded_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<T> gm_;
  int64_t size_[2], images_, all_channels_;    // H and W; N; C
  uint32_t pixel_;                             // C, rounded up to 16
  uint32_t chunk_, most_rows_, most_columns_;  // of a band at most
  uint32_t pitch_, slots_;                     // from plane to plane; pixels, rounded up to 16
  uint32_t row_;                               // elements from row to row of sums
  bool spaced_;                                // whether there is a gap behind each row
};

}  // namespace avo
