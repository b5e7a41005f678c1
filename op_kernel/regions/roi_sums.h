// SPDX-License-Identifier: Apache-2.0
// Means of all bins in some rows of bins of a region. Each pixel is read once for several samples and, as far
// as they are close together, for several bins:
//
//   image    columns that samples touch           sums of one row of bins     means
//
//   row 3    p p p p p . . p p p p   x  taps  ┐
//   row 4    p p p p p . . p p p p   x  of    ├─▶  s s s s s s s s s  ─┬─▶  bin 0   s s s x taps of bin 0
//   row 5    p p p p p . . p p p p   x  y     ┘                        └─▶  bin 1       s s s x taps of bin 1
//
// One Axpy adds a whole row of pixels with all their channels; p and s are pixels. Rows are loaded in groups
// that fill a buffer. If a region has more columns than there are slots for their sums, the columns come in
// pieces.
//
// A thousand regions of 7 x 7 bins in 256 channels of 200 x 304 pixels, modelled on Ascend910B1: reading four
// corners of each sample took 389 us with two samples along each axis of a bin, and 2167 us with as many as
// pixels. This takes 228 us and 348 us; MTE2 bounds, which reads a pixel in 14 cycles.
//
// A pixel that is not finite may give an infinity where the definition, which adds up samples, gives a NaN.
// Finite() tells whether any mean was not finite: the caller computes these regions again, sample by sample.
#pragma once

#include "../common/copies/channels_last.h"
#include "finite_total.h"
#include "roi_buffers.h"
#include "roi_taps.h"

namespace avo {

template <typename T>
class RoiSums {
 public:
  // It takes these fields of the tiling: those of LayoutOf, outWidth, sumRows, sumPixels, sumChunk.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    layout_ = LayoutOf(tiling);
    chunk_ = tiling.sumChunk;
    bin_columns_ = tiling.outWidth;
    most_pixels_ = tiling.sumPixels;
    most_slots_ = static_cast<uint32_t>(RoiSumsBuffers::Slots(most_pixels_));
    bins_ = tiling.sumRows * bin_columns_;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace),
                        layout_.images * layout_.ImagePixels() * layout_.pixel);
    const RoiSumsBuffers buffers(bins_, most_pixels_, chunk_, sizeof(T));
    pipe->InitBuffer(means_, buffers.means.bytes);
    total_.Init(pipe);
    pipe->InitBuffer(queue_, buffers.pixels.count, buffers.pixels.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    AscendC::Duplicate(means_.template Get<float>(), 0.0f, buffers.means.bytes / sizeof(float));
    if (layout_.pixel % chunk_ != 0) {
      // The last chunk has fewer channels: nothing is loaded behind them.
      ZeroQueue<T>(queue_, buffers.pixels.count, buffers.pixels.bytes / sizeof(T));
    }
    const uint64_t sums = AddressOf(means_.template Get<float>(), bins_ * chunk_);
    sums_ = bins_ * chunk_ + OppositeSkew(sums, AddressOf(means_.template Get<float>(), 0)) * kLanes;
  }

  // Computes the means of rows of bins [begin, end) of a region, channels [channel, channel + channels).
  __aicore__ inline void Pool(const Region &region, uint32_t begin, uint32_t end, uint32_t channel,
                              uint32_t channels) {
    const uint32_t count = (end - begin) * bin_columns_ * chunk_;
    const auto means = Means(0);
    AscendC::Duplicate(means, 0.0f, static_cast<int32_t>(bins_ * chunk_));
    if (!region.has_samples) return;
    image_ = region.image;
    channel_ = channel;
    channels_ = channels;
    begin_ = begin;
    next_column_ = 0;
    next_bin_ = 0;
    while (TakeColumns(region)) {
      for (uint32_t row = begin; row < end; ++row) {
        BinTaps taps(region, 0, row, layout_.rows);
        while (taps.Next()) AddTap(row, taps);
      }
      AddRows();
      CloseRow();
    }
    total_.Add(means, count);
  }

  // The mean of bin `bin` of the last Pool, with its channels. The next bin is a chunk further.
  __aicore__ inline AscendC::LocalTensor<float> Means(uint32_t bin) {
    return means_.template Get<float>()[bin * chunk_];
  }

  // Whether all means of all calls of Pool, and their sum, were finite. Waits for the vector unit.
  __aicore__ inline bool Finite() { return total_.Finite(); }

 private:
  static constexpr uint32_t kMostSlots = RoiSumsBuffers::kMostSlots;
  static constexpr uint32_t kMostPairs = kMostSlots + 2 * RoiSumsBuffers::kMostColumns;
  static constexpr uint32_t kMostTaps = 2 * RoiSumsBuffers::kMostPixels;
  static constexpr int32_t kNone = -1;

  // A row that a row of bins takes, and its weight.
  struct RowTap {
    uint32_t bin_row, slot;
    float weight;
  };

  // Finds the next columns that samples touch, and what the bins take from them. Returns false if there are
  // no more columns.
  __aicore__ inline bool TakeColumns(const Region &region) {
    const int32_t from = next_column_;
    slots_ = pairs_ = 0;
    next_column_ = static_cast<int32_t>(layout_.columns);
    const uint32_t first = next_bin_;
    next_bin_ = bin_columns_;
    for (uint32_t bin = first; bin < bin_columns_; ++bin) {
      BinTaps taps(region, 1, bin, layout_.columns);
      bool any = false;
      while (taps.Next() && taps.element < next_column_) {
        any = true;
        if (taps.element < from) continue;
        const uint32_t slot = Find(columns_, slots_, taps.element);
        if (slot == most_slots_) {
          next_column_ = taps.element;
          next_bin_ = bin;
          break;
        }
        if (slot == slots_) columns_[slots_++] = taps.element;
        column_taps_[pairs_++] = {bin, slot, taps.weight};
      }
      if (!any && next_bin_ < bin_columns_) break;
    }
    most_rows_ = slots_ > 0 ? most_pixels_ / slots_ : 0;
    return slots_ > 0;
  }

  // The place of an element among the last two of `count` ascending ones; `count` if it is not there.
  static __aicore__ inline uint32_t Find(const int32_t *elements, uint32_t count, int32_t element) {
    for (uint32_t back = 1; back <= 2 && back <= count; ++back) {
      if (elements[count - back] == element) return count - back;
    }
    return count;
  }

  // Notes a row that a row of bins takes. Loads and adds the rows noted so far where they fill the buffer.
  __aicore__ inline void AddTap(uint32_t bin_row, const BinTaps &taps) {
    if (row_taps_count_ == kMostTaps) AddRows();
    uint32_t slot = Find(rows_, rows_count_, taps.element);
    if (slot == most_rows_) {
      AddRows();
      slot = 0;
    }
    if (slot == rows_count_) rows_[rows_count_++] = taps.element;
    row_taps_[row_taps_count_++] = {bin_row, slot, taps.weight};
  }

  // Adds the noted rows to the sums of their rows of bins.
  __aicore__ inline void AddRows() {
    if (rows_count_ == 0) return;
    auto copied = CopyIn();
    const auto pixels = Widen(copied);
    const auto sums = means_.template Get<float>()[sums_];
    const uint32_t row = slots_ * chunk_;
    for (uint32_t i = 0; i < row_taps_count_; ++i) {
      const RowTap &tap = row_taps_[i];
      if (static_cast<int32_t>(tap.bin_row) == open_) {
        AscendC::Axpy(sums, pixels[tap.slot * row], tap.weight, static_cast<int32_t>(row));
      } else {
        CloseRow();
        open_ = static_cast<int32_t>(tap.bin_row);
        AscendC::Muls(sums, pixels[tap.slot * row], tap.weight, static_cast<int32_t>(row));
      }
    }
    if constexpr (sizeof(T) == sizeof(float)) queue_.FreeTensor(copied);
    rows_count_ = row_taps_count_ = 0;
  }

  // Adds the sums of a row of bins to its means, if there are such sums.
  __aicore__ inline void CloseRow() {
    if (open_ == kNone) return;
    const auto means = Means((open_ - begin_) * bin_columns_), sums = means_.template Get<float>()[sums_];
    for (uint32_t i = 0; i < pairs_; ++i) {
      const ColumnTap &tap = column_taps_[i];
      AscendC::Axpy(means[tap.bin * chunk_], sums[tap.slot * chunk_], tap.weight,
                    static_cast<int32_t>(chunk_));
    }
    open_ = kNone;
  }

  // Copies the noted rows of the noted columns: one copy for each run of rows and each run of columns.
  __aicore__ inline AscendC::LocalTensor<T> CopyIn() {
    auto pixels = queue_.template AllocTensor<T>();
    for (uint32_t row = 0; row < rows_count_;) {
      const uint32_t rows = Run(rows_, row, rows_count_);
      for (uint32_t slot = 0; slot < slots_;) {
        const uint32_t columns = Run(columns_, slot, slots_);
        const int64_t from = layout_.Pixel(image_, rows_[row], columns_[slot]) * layout_.pixel + channel_;
        CopyRun(pixels[Skew(pixels) + (row * slots_ + slot) * chunk_], from, rows, columns);
        slot += columns;
      }
      row += rows;
    }
    queue_.EnQue(pixels);
    return queue_.template DeQue<T>();
  }

  __aicore__ inline void CopyRun(const AscendC::LocalTensor<T> &to, int64_t from, uint32_t rows,
                                 uint32_t columns) {
    const int64_t gm_row = layout_.Pitch() * layout_.pixel;
    if (channels_ == layout_.pixel) {
      CopyRowsIn(to, slots_ * chunk_, gm_, from, gm_row, rows, columns * chunk_);
      return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
      CopyRowsIn(to[r * slots_ * chunk_], chunk_, gm_, from + r * gm_row, layout_.pixel, columns, channels_);
    }
  }

  // How many elements follow each other from `first` on.
  static __aicore__ inline uint32_t Run(const int32_t *elements, uint32_t first, uint32_t count) {
    uint32_t end = first + 1;
    while (end < count && elements[end] == elements[end - 1] + 1) ++end;
    return end - first;
  }

  // Elements that are left free ahead of loaded pixels, so that they and the sums lie in different bank
  // groups.
  template <typename U>
  __aicore__ inline uint32_t Skew(const AscendC::LocalTensor<U> &pixels) {
    return OppositeSkew(AddressOf(pixels, 0), AddressOf(means_.template Get<float>(), sums_)) *
           RoiSumsBuffers::kSkewStep / sizeof(U);
  }

  // The loaded pixels in float32.
  __aicore__ inline AscendC::LocalTensor<float> Widen(AscendC::LocalTensor<T> &copied) {
    if constexpr (sizeof(T) == sizeof(float)) {
      return copied[Skew(copied)];
    } else {
      auto pixels = wide_.template Get<float>();
      pixels = pixels[Skew(pixels)];
      AscendC::Cast(pixels, copied[Skew(copied)], AscendC::RoundMode::CAST_NONE,
                    rows_count_ * slots_ * chunk_);
      queue_.FreeTensor(copied);
      return pixels;
    }
  }

  ChannelsLast layout_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> means_, wide_;
  FiniteTotal total_;
  AscendC::GlobalTensor<T> gm_;
  uint32_t chunk_, bin_columns_, bins_, most_pixels_, most_slots_;
  uint32_t sums_;  // where the sums of a row of bins lie behind the means
  // What is pooled: an image, its channels, and rows of bins from begin_ on.
  int64_t image_;
  uint32_t channel_, channels_, begin_;
  // The columns that are noted, what bins take from them, and where the next piece begins.
  uint32_t slots_, pairs_, next_bin_;
  int32_t next_column_;
  int32_t columns_[kMostSlots];
  ColumnTap column_taps_[kMostPairs];
  // The rows that are noted, and the row of bins whose sums are not complete.
  uint32_t most_rows_, rows_count_ = 0, row_taps_count_ = 0;
  int32_t open_ = kNone;
  int32_t rows_[RoiSumsBuffers::kMostPixels];
  RowTap row_taps_[kMostTaps];
};

}  // namespace avo
