// SPDX-License-Identifier: Apache-2.0
// Spreads gradients of bins that lie side by side over the columns of a band, by their taps along x
// (roi_taps.h). What a row of the band gets is then this row of pixels times one weight:
//
//   gradients          bin 0     bin 1                  band
//                         \ taps of x /                 row 3   += .2 * s s s s s s
//   row of pixels      s s s s s s           ──────▶    row 4   += .5 * s s s s s s     taps of y
//                                                       row 5   += .3 * s s s s s s
//
// For 512 regions of 7 x 7 bins in 256 channels of 200 x 304 pixels this is modelled to take 249 us, where
// adding each sample to its four corners took 901 us. The vector unit bounds: an Axpy of a pixel takes 26
// cycles, 22 of them to start.
//
// Gradients and pixels have the channels of the band's chunk.
#pragma once

#include "roi_buffers.h"
#include "roi_taps.h"

namespace avo {

class RoiSpread {
 public:
  // It takes these fields of the tiling: width, chunk, bandColumns. Takes RoiSpreadBuffers of the Unified
  // Buffer. `band` is the first element of the band: pixels lie in other bank groups.
  template <typename Tiling>
  __aicore__ inline void Init(const Tiling &tiling, const AscendC::LocalTensor<float> &band,
                              AscendC::TPipe *pipe) {
    width_ = tiling.width;
    chunk_ = tiling.chunk;
    pipe->InitBuffer(pixels_, RoiSpreadBuffers(tiling.bandColumns, chunk_).pixels.bytes);
    skew_ = OppositeSkew(AddressOf(pixels_.template Get<float>(), 0), AddressOf(band, 0)) * kLanes;
  }

  // Finds what columns [low, high) get from bins [first, last) of a row of bins, which are at most kMostBins.
  // Returns false if they get nothing.
  __aicore__ inline bool TakeColumns(const Region &region, uint32_t first, uint32_t last, int64_t low,
                                     int64_t high) {
    taps_count_ = 0;
    int32_t end = 0;
    for (uint32_t bin = first; bin < last; ++bin) {
      BinTaps taps(region, 1, bin, width_);
      while (taps.Next() && taps.element < high) {
        if (taps.element < low) continue;
        if (taps_count_ == 0) column = taps.element;
        if (taps.element >= end) end = taps.element + 1;
        taps_[taps_count_++] = {bin - first, static_cast<uint32_t>(taps.element - column), taps.weight};
      }
    }
    if (taps_count_ == 0) return false;
    columns = static_cast<uint32_t>(end - column);
    return true;
  }

  // Spreads gradients over these columns. The first one is that of bin `first`, the next one is a chunk
  // further.
  __aicore__ inline void Spread(const AscendC::LocalTensor<float> &grads, uint32_t channels) {
    const auto pixels = Pixels();
    AscendC::Duplicate(pixels, 0.0f, static_cast<int32_t>(columns * chunk_));
    for (uint32_t i = 0; i < taps_count_; ++i) {
      const ColumnTap &tap = taps_[i];
      AscendC::Axpy(pixels[tap.slot * chunk_], grads[tap.bin * chunk_], tap.weight,
                    static_cast<int32_t>(channels));
    }
  }

  // The row of pixels, a chunk for each column.
  __aicore__ inline AscendC::LocalTensor<float> Pixels() { return pixels_.template Get<float>()[skew_]; }

  int32_t column;    // the first column that gets anything
  uint32_t columns;  // how many do, counted to the last one

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> pixels_;
  int64_t width_;
  uint32_t chunk_, skew_;
  uint32_t taps_count_;
  ColumnTap taps_[RoiSpreadBuffers::kMostColumns + 2 * RoiSpreadBuffers::kMostBins];
};

}  // namespace avo
