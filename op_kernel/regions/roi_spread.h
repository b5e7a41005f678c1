// SPDX-License-Identifier: Apache-2.0
// Spreads gradients of bins over the pixels of a band, by their taps (roi_taps.h): first over rows, and then
// over columns. Bins that lie side by side go to a row together. A column takes eight rows together: a repeat
// of one Axpy takes 8 channels of each row.
//
//   gradients                rows of the band                    band
//
//   row 0    g g g    ┐     row 3   += .2 * g g g   ┐
//   row 1    g g g    ├─▶   row 4   += .5 * g g g   ├─▶   columns 7, 8, 9, …  += taps of x  *  g  of a bin
//   row 2    g g g    ┘     row 5   += .3 * g g g   ┘
//              taps of y
//
// The distance between rows is such that a repeat meets no bank group twice. All have the channels of the
// band's chunk.
//
// For 512 regions of 7 x 7 bins in 256 channels of 200 x 304 pixels the gradient is modelled to take 165 us.
// Spreading over columns first, with an instruction for each bin and column, took 249 us, and adding each
// sample to its four corners took 901 us. The vector unit bounds.
#pragma once

#include "band_sums.h"
#include "roi_taps.h"

namespace avo {

class RoiSpread {
 public:
  // It takes these fields of the tiling: width, chunk, gradBins, bandRows. Takes RoiSpreadBuffers of the
  // Unified Buffer. `band` is the first element of the band: rows begin in other bank groups.
  template <typename Tiling>
  __aicore__ inline void Init(const Tiling &tiling, const AscendC::LocalTensor<float> &band,
                              AscendC::TPipe *pipe) {
    width_ = tiling.width;
    chunk_ = tiling.chunk;
    row_ = static_cast<uint32_t>(SpacedRow(tiling.gradBins, chunk_));
    pipe->InitBuffer(rows_, RoiSpreadBuffers(tiling.bandRows, tiling.gradBins, chunk_).rows.bytes);
    const uint64_t blocks =
        AddressOf(rows_.template Get<float>(), 0) / kBlockBytes + AddressOf(band, 0) / kBlockBytes;
    first_ = blocks % 2 == 0 ? kBlock : 0;
  }

  // Finds what columns [low, high) get from bins [first, last) of a row of bins, which are at most kMostBins,
  // and forgets all rows. Returns false if they get nothing.
  __aicore__ inline bool TakeColumns(const Region &region, uint32_t first, uint32_t last, int64_t low,
                                     int64_t high) {
    taps_count_ = 0;
    begin_row_ = end_row_ = 0;
    bins_ = last - first;
    for (uint32_t bin = first; bin < last; ++bin) {
      BinTaps taps(region, 1, bin, width_);
      while (taps.Next() && taps.element < high) {
        if (taps.element < low) continue;
        taps_[taps_count_++] = {bin - first, static_cast<uint32_t>(taps.element - low), taps.weight};
      }
      on_element = on_element || taps.on_element;
    }
    return taps_count_ > 0;
  }

  // Adds weight * gradients to a row of the band. Rows come in an order in which none lies ahead of the first
  // one. The gradient of the next bin is a chunk further.
  __aicore__ inline void AddRow(uint32_t row, const AscendC::LocalTensor<float> &grads, float weight) {
    const int32_t count = static_cast<int32_t>(bins_ * chunk_);
    if (row < end_row_) {
      AscendC::Axpy(Row(row), grads, weight, count);
      return;
    }
    if (end_row_ == 0) begin_row_ = end_row_ = row;
    for (; end_row_ < row; ++end_row_) AscendC::Duplicate(Row(end_row_), 0.0f, count);
    AscendC::Muls(Row(row), grads, weight, count);
    end_row_ = row + 1;
  }

  // Spreads the rows over the columns of the band, whose rows lie `band_row` elements apart.
  __aicore__ inline void AddColumns(const AscendC::LocalTensor<float> &band, uint32_t band_row) {
    const uint64_t lanes = (end_row_ - begin_row_) * kBlock;
    if (lanes == 0) return;
    const auto to = band[begin_row_ * band_row], rows = Row(begin_row_);
    const AscendC::UnaryRepeatParams strides(static_cast<uint16_t>(band_row / kBlock),
                                             static_cast<uint16_t>(row_ / kBlock), 1, 1);
    for (uint32_t i = 0; i < taps_count_; ++i) {
      const ColumnTap &tap = taps_[i];
      AscendC::Axpy(to[tap.slot * chunk_], rows[tap.bin * chunk_], tap.weight, lanes,
                    static_cast<uint8_t>(chunk_ / kBlock), strides);
    }
  }

  // Whether a sample so far lies on an element, so that it gives its neighbour nothing.
  bool on_element = false;

 private:
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);

  __aicore__ inline AscendC::LocalTensor<float> Row(uint32_t row) {
    return rows_.template Get<float>()[first_ + row * row_];
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> rows_;
  int64_t width_;
  uint32_t chunk_, bins_;
  uint32_t first_, row_;          // where rows begin in their buffer, and from row to row
  uint32_t begin_row_, end_row_;  // the rows of the band that have got something
  uint32_t taps_count_;
  ColumnTap taps_[RoiSpreadBuffers::kMostColumns + 2 * RoiSpreadBuffers::kMostBins];
};

}  // namespace avo
