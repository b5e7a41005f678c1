// SPDX-License-Identifier: Apache-2.0
// Means of all bins in some rows of bins of a region. Each pixel is read once for several samples and, as far
// as they are close together, for several bins:
//
//   image    columns that samples touch         sums, a row for each row of bins      means
//
//   row 3    p p p p p . . p p p p   x  taps  ┐
//   row 4    p p p p p . . p p p p   x  of    ├─▶  row 0   s s s s s s s s s   ┐
//   row 5    p p p p p . . p p p p   x  y     ┘                               ├─▶  x  taps of x  ─▶  m m m
//   row 6    …                                ──▶  row 1   s s s s s s s s s   ┘                     m m m
//
// One Axpy adds a whole row of pixels with all their channels; p and s are pixels. Rows are loaded in groups
// that fill a buffer. If a region has more columns than there are slots for their sums, the columns come in
// pieces. One Axpy adds a column of sums to a column of means: a repeat takes 8 channels of each of up to 8
// rows of bins. The distance between these rows is such that a repeat meets no bank group twice.
//
// A thousand regions of 7 x 7 bins in 256 channels of 200 x 304 pixels, modelled on Ascend910B1: reading four
// corners of each sample took 389 us with two samples along each axis of a bin, and 2167 us with as many as
// pixels. This takes 197 us and 300 us, where an instruction for each bin and column took 228 us and 348 us.
// MTE2 bounds, which reads a pixel in 14 cycles.
//
// A pixel that is not finite may give an infinity where the definition, which adds up samples, gives a NaN:
// where a sample lies on a row or column, its corner on the next one has weight 0. Finite() tells whether a
// mean of such a region was not finite: the caller computes its regions again, sample by sample.
#pragma once

#include "../common/copies/channels_last.h"
#include "finite_total.h"
#include "roi_buffers.h"
#include "roi_taps.h"

namespace avo {

template <typename T>
class RoiSums {
 public:
  // It takes these fields of the tiling: those of LayoutOf, outWidth, sumRows, sumSlots, sumChunk,
  // sumBin.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    layout_ = LayoutOf(tiling);
    chunk_ = tiling.sumChunk;
    bin_ = tiling.sumBin;
    bin_columns_ = tiling.outWidth;
    most_slots_ = tiling.sumSlots;
    sums_row_ = static_cast<uint32_t>(SpacedRow(most_slots_, chunk_));
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace),
                        layout_.images * layout_.ImagePixels() * layout_.pixel);
    const RoiSumsBuffers buffers(tiling.sumRows, bin_columns_, bin_, most_slots_, chunk_, sizeof(T));
    pipe->InitBuffer(means_, buffers.means.bytes);
    pipe->InitBuffer(queue_, buffers.pixels.count, buffers.pixels.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, buffers.wide.bytes);
    total_.Init(pipe);
    checked_ = false;
    if (layout_.pixel % chunk_ != 0) {
      // The last chunk has fewer channels: nothing is loaded behind them.
      ZeroQueue<T>(queue_, buffers.pixels.count, buffers.pixels.bytes / sizeof(T));
    }
    // Means lie in even bank groups and sums in odd ones.
    sums_ = tiling.sumRows * bin_columns_ * bin_;
    if (sums_ / kBlock % 2 == 0) sums_ += kBlock;
    // Bins are stored 16 at a time, up to 15 more than there are.
    AscendC::Duplicate(Means(tiling.sumRows * bin_columns_), 0.0f, static_cast<int32_t>(kLanes * bin_));
  }

  // Computes the means of rows of bins [begin, end) of a region, channels [channel, channel + channels).
  __aicore__ inline void Pool(const Region &region, uint32_t begin, uint32_t end, uint32_t channel,
                              uint32_t channels) {
    const uint32_t count = (end - begin) * bin_columns_ * bin_;
    AscendC::Duplicate(Means(0), 0.0f, static_cast<int32_t>(count));
    if (!region.has_samples) return;
    image_ = region.image;
    channel_ = channel;
    channels_ = channels;
    next_column_ = 0;
    next_bin_ = 0;
    on_element_ = false;
    while (TakeColumns(region)) {
      first_row_ = end_row_ = 0;
      for (uint32_t row = begin; row < end; ++row) {
        BinTaps taps(region, 0, row, layout_.rows);
        while (taps.Next()) AddTap(row - begin, taps);
        on_element_ = on_element_ || taps.on_element;
      }
      AddRows();
      AddColumns();
    }
    if (!on_element_) return;
    total_.Add(Means(0), count);
    checked_ = true;
  }

  // The mean of bin `bin` of the last Pool, with its channels.
  __aicore__ inline AscendC::LocalTensor<float> Means(uint32_t bin) {
    return means_.template Get<float>()[bin * bin_];
  }

  // Whether all means are finite that may differ from the definition: those of regions with a sample on a row
  // or column.
  __aicore__ inline bool Finite() { return !checked_ || total_.Finite(); }

 private:
  static constexpr uint32_t kMostSlots = RoiSumsBuffers::kMostSlots;
  static constexpr uint32_t kMostPairs = kMostSlots + 2 * RoiSumsBuffers::kMostColumns;
  static constexpr uint32_t kMostTaps = 4 * kMostSlots;
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
  static constexpr uint32_t kGroups = 16;  // bank groups, of a data block each

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
      on_element_ = on_element_ || taps.on_element;
      if (!any && next_bin_ < bin_columns_) break;
    }
    most_rows_ = slots_ > 0 ? most_slots_ / slots_ : 0;
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

  // Adds the noted rows to the sums of their rows of bins. Taps come in the order of these, and no row of
  // bins between others is without one.
  __aicore__ inline void AddRows() {
    if (rows_count_ == 0) return;
    auto copied = CopyIn();
    const auto pixels = Widen(copied);
    const uint32_t row = slots_ * chunk_;
    for (uint32_t i = 0; i < row_taps_count_; ++i) {
      const RowTap &tap = row_taps_[i];
      const auto sums = Sums(tap.bin_row);
      if (tap.bin_row < end_row_) {
        AscendC::Axpy(sums, pixels[tap.slot * row], tap.weight, static_cast<int32_t>(row));
      } else {
        if (end_row_ == 0) first_row_ = tap.bin_row;
        end_row_ = tap.bin_row + 1;
        AscendC::Muls(sums, pixels[tap.slot * row], tap.weight, static_cast<int32_t>(row));
      }
    }
    if constexpr (sizeof(T) == sizeof(float)) queue_.FreeTensor(copied);
    rows_count_ = row_taps_count_ = 0;
  }

  // The sums of a row of bins, counted from the first one of Pool.
  __aicore__ inline AscendC::LocalTensor<float> Sums(uint32_t row) {
    return means_.template Get<float>()[sums_ + row * sums_row_];
  }

  // Adds the sums of all rows of bins to their means, column by column.
  __aicore__ inline void AddColumns() {
    if (end_row_ == 0) return;
    const auto means = Means(first_row_ * bin_columns_), sums = Sums(first_row_);
    const uint64_t lanes = (end_row_ - first_row_) * kBlock;
    const uint8_t repeats = static_cast<uint8_t>(chunk_ / kBlock);
    const AscendC::UnaryRepeatParams strides(static_cast<uint16_t>(bin_columns_ * bin_ / kBlock),
                                             static_cast<uint16_t>(sums_row_ / kBlock), 1, 1);
    for (uint32_t i = 0; i < pairs_; ++i) {
      const ColumnTap &tap = column_taps_[i];
      AscendC::Axpy(means[tap.bin * bin_], sums[tap.slot * chunk_], tap.weight, lanes, repeats, strides);
    }
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

  // Elements that are left free ahead of loaded pixels, so that they and the sums that they are added to
  // first lie in different bank groups.
  template <typename U>
  __aicore__ inline uint32_t Skew(const AscendC::LocalTensor<U> &pixels) {
    const uint64_t own = AddressOf(pixels, 0) / kBlockBytes,
                   other = AddressOf(Sums(row_taps_[0].bin_row), 0) / kBlockBytes;
    return static_cast<uint32_t>((other - own + kGroups / 2) % kGroups) * kBlockBytes / sizeof(U);
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
  uint32_t chunk_, bin_, bin_columns_, most_slots_;
  uint32_t sums_, sums_row_;  // where sums begin behind the means, and from row of bins to row of bins
  // What is pooled: an image and its channels.
  int64_t image_;
  uint32_t channel_, channels_;
  bool on_element_;  // whether a sample lies on a row or column
  bool checked_;     // whether one did in any region
  // The columns that are noted, what bins take from them, and where the next piece begins.
  uint32_t slots_, pairs_, next_bin_;
  int32_t next_column_;
  int32_t columns_[kMostSlots];
  ColumnTap column_taps_[kMostPairs];
  // The rows that are noted, and the rows of bins that have sums.
  uint32_t most_rows_, rows_count_ = 0, row_taps_count_ = 0;
  uint32_t first_row_, end_row_;
  int32_t rows_[kMostSlots];
  RowTap row_taps_[kMostTaps];
};

}  // namespace avo
