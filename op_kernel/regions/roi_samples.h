// SPDX-License-Identifier: Apache-2.0
// The samples of a region's bins: where they lie, and what the samples of a bin become together.
//
// Samples are computed in batches. A batch has all samples of a few bins, or some samples of one bin. The
// first samples of all its bins come first, then the second ones, and so on: so one long instruction combines
// two samples of each bin. A batch begins at a multiple of 8. With two bins of three samples each:
//
//   place      0    1    2    3    4    5    6    7    8    9   …
//   sample     a0   b0   a1   b1   a2   b2   -    -    c0   d0  …      bins a, b | bins c, d
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "roi_buffers.h"
#include "roi_regions.h"

namespace avo {

enum class Pooling : uint32_t { kAvg = 0, kMax = 1, kOnnxMax = 2 };

// What a batch has: `grid` samples of each of `bins` bins.
struct SampleBatches {
  uint32_t bins;
  uint32_t grid;
  __aicore__ inline uint32_t Count() const { return bins * grid; }
  // Places from one batch to the next.
  __aicore__ inline uint32_t Stride() const { return (Count() + 7) / 8 * 8; }
};

// The samples of a bin from number `first` on. They are numbered row by row within a rectangle of the bin's
// grid, which begins at row y and column x and has `columns` columns.
struct GridArea {
  int64_t first;
  int32_t y;
  int32_t x;
  int32_t columns;
};

// The rectangle of a bin's grid in which all samples lie that may read the image.
struct GridInside {
  Range y, x;
  __aicore__ inline int64_t Columns() const { return x.end - x.begin; }
  __aicore__ inline int64_t Count() const { return (y.end - y.begin) * Columns(); }
};

template <typename T>
class RoiSamples {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    InitTables(tiling, pipe);
    rows.Init(workspace, LayoutOf(tiling), tiling.located, tiling.batch, tiling.chunk, pipe);
  }

  // Prepares for Locate alone.
  template <typename Tiling>
  __aicore__ inline void InitPositions(const Tiling &tiling, AscendC::TPipe *pipe) {
    InitTables(tiling, pipe);
    rows.InitPositions(LayoutOf(tiling), tiling.located, pipe);
  }

  // Finds the windows and weights in `rows` of the samples of bins [bin, bin + count) of a region, batch by
  // batch. `area` says which samples of each bin.
  __aicore__ inline void Locate(const Region &region, uint32_t bin, uint32_t count,
                                const SampleBatches &batches, const GridArea &area) {
    const uint32_t filled = (count + batches.bins - 1) / batches.bins * batches.Stride();
    const uint32_t needed = (filled + kRepeat - 1) / kRepeat * kRepeat;
    // If the first bin is in the same column of bins as before, only the rows of bins in the tables change.
    const bool same = bin_ >= 0 && bin % bin_columns_ == bin_ % bin_columns_ &&
                      batches.bins == batches_.bins && batches.grid == batches_.grid &&
                      area.first == area_.first && area.y == area_.y && area.x == area_.x &&
                      area.columns == area_.columns && needed <= filled_;
    if (same && bin != bin_) {
      const auto row = Table(kBinRow);
      AscendC::Adds(row, row, ToFloat(bin / bin_columns_) - ToFloat(bin_ / bin_columns_), filled_);
    }
    bin_ = bin;
    if (!same) {
      batches_ = batches;
      area_ = area;
      filled_ = needed;
      NumberSamples(needed);
    }
    const auto y = Table(kY), x = Table(kX);
    Place(y, region, 0, Table(kBinRow), Table(kGridRow), needed);
    Place(x, region, 1, Table(kBinColumn), Table(kGridColumn), needed);
    rows.Locate(y, x, needed);
  }

  // Locates samples of one bin, from number `first` of `inside` on, as one batch. Returns how many.
  __aicore__ inline uint32_t LocateOne(const Region &region, uint32_t bin, const GridInside &inside,
                                       int64_t first) {
    const uint32_t count = MinRemaining(inside.Count() - first, located_);
    Locate(region, bin, 1, {1, count},
           {first, static_cast<int32_t>(inside.y.begin), static_cast<int32_t>(inside.x.begin),
            static_cast<int32_t>(inside.Columns())});
    return count;
  }

  // Combines the samples of each bin of the batch that `rows` has copied last, which begins at place `first`.
  // The result has two pixels for each bin, which Finish combines.
  __aicore__ inline AscendC::LocalTensor<float> Combine(uint32_t first, const SampleBatches &batches) {
    auto pairs = rows.Weighted(first);
    const uint32_t pair = 2 * rows.Step(), count = batches.Count();
    if (mode_ == Pooling::kMax) {
      Interpolate(pairs, count);
    } else {
      Merge(pairs, pairs[rows.Samples() * pair], count * pair, mode_ == Pooling::kOnnxMax);
    }
    // The upper half of the samples goes to the lower half, until one is left.
    for (uint32_t left = batches.grid; left > 1;) {
      const uint32_t half = left / 2;
      Merge(pairs, pairs[(left - half) * batches.bins * pair], half * batches.bins * pair,
            mode_ != Pooling::kAvg);
      left -= half;
    }
    return pairs;
  }

  // Interpolates `count` samples. The first pixel of each pair becomes the value of the sample.
  __aicore__ inline void Interpolate(const AscendC::LocalTensor<float> &pairs, uint32_t count) {
    const uint32_t pair = 2 * rows.Step();
    Merge(pairs, pairs[rows.Samples() * pair], count * pair, false);
    AddPairs(pairs, pairs, pair, count);
  }

  // Makes one pixel of each of `bins` pairs of pixels, and writes them to `to`, `pixel` elements apart.
  __aicore__ inline void Finish(const AscendC::LocalTensor<float> &to, uint32_t pixel,
                                const AscendC::LocalTensor<float> &pairs, uint32_t bins) {
    if (mode_ != Pooling::kMax) return AddPairs(to, pairs, pixel, bins);
    for (uint32_t b = 0; b < bins; ++b) {
      AscendC::Muls(to[b * pixel], pairs[b * 2 * rows.Step()], 1.0f, rows.Step());
    }
  }

  // Combines `other` with `to`: their maximum with `larger`, else their sum.
  __aicore__ inline void Merge(const AscendC::LocalTensor<float> &to,
                               const AscendC::LocalTensor<float> &other, uint32_t count, bool larger) const {
    if (larger) {
      AscendC::Max(to, to, other, count);
    } else {
      AscendC::Add(to, to, other, count);
    }
  }

  // The samples of a bin that may read the image.
  __aicore__ inline GridInside InsideOf(const Region &region, uint32_t bin) const {
    return {SamplesInside(region, 0, bin / bin_columns_, size_[0]),
            SamplesInside(region, 1, bin % bin_columns_, size_[1])};
  }

  BilinearRows<T> rows;

 private:
  // Tables with an element for each place: its number, its bin, its cell in the bin's grid, its position.
  enum : uint32_t { kIndex, kBinRow, kBinColumn, kGridRow, kGridColumn, kY, kX };
  static_assert(kX + 1 == RoiSamplesBuffers::kTables, "a table for each name");
  static constexpr uint32_t kRepeat = 64;  // floats
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
  static constexpr uint32_t kMaxRepeats = 255;

  template <typename Tiling>
  __aicore__ inline void InitTables(const Tiling &tiling, AscendC::TPipe *pipe) {
    located_ = tiling.located;
    bin_columns_ = tiling.outWidth;
    mode_ = static_cast<Pooling>(tiling.mode);
    size_[0] = tiling.height;
    size_[1] = tiling.width;
    const RoiSamplesBuffers buffers(located_, tiling.batch, tiling.chunk, sizeof(T));
    pipe->InitBuffer(tables_, buffers.tables.bytes);
    AscendC::CreateVecIndex(Table(kIndex), 0.0f, located_);
    bin_ = -1;
  }

  __aicore__ inline AscendC::LocalTensor<float> Table(uint32_t i) {
    return tables_.template Get<float>()[i * located_];
  }

  // Computes positions start + p * bin + (i + 0.5) * bin / grid along an axis. Every operation rounds to
  // float32, in the order of the definition (op_host/regions/roi_align.yaml). `bins` holds p and `cells`
  // holds i + 0.5.
  __aicore__ inline void Place(const AscendC::LocalTensor<float> &position, const Region &region,
                               uint32_t axis, const AscendC::LocalTensor<float> &bins,
                               const AscendC::LocalTensor<float> &cells, uint32_t count) {
    const auto term = rows.Scratch();
    const int32_t grid = region.grid[axis];
    if ((grid & (grid - 1)) == 0) {
      // A division by a power of two does not round, so it may come first.
      AscendC::Muls(position, cells, region.bin[axis] / ToFloat(grid), count);
    } else {
      AscendC::Duplicate(term, ToFloat(grid), count);
      AscendC::Muls(position, cells, region.bin[axis], count);
      AscendC::Div(position, position, term, count);
    }
    AscendC::Muls(term, bins, region.bin[axis], count);
    AscendC::Adds(term, term, region.start[axis], count);
    AscendC::Add(position, term, position, count);
  }

  // Combines the two pixels of each of `count` pairs, and writes the results to `to`, `step` elements apart.
  __aicore__ inline void AddPairs(const AscendC::LocalTensor<float> &to,
                                  const AscendC::LocalTensor<float> &pairs, uint32_t step,
                                  uint32_t count) const {
    const uint32_t chunk = rows.Step();
    const uint8_t to_stride = step / kBlock, stride = 2 * chunk / kBlock;
    for (uint32_t r = 0; r < count; r += kMaxRepeats) {
      const uint8_t repeats = static_cast<uint8_t>(count - r < kMaxRepeats ? count - r : kMaxRepeats);
      for (uint32_t c = 0; c < chunk; c += kRepeat) {
        const uint64_t mask = chunk - c < kRepeat ? chunk - c : kRepeat;
        const auto target = to[r * step + c], low = pairs[r * 2 * chunk + c], high = low[chunk];
        const AscendC::BinaryRepeatParams params(1, 1, 1, to_stride, stride, stride);
        if (mode_ == Pooling::kOnnxMax) {
          AscendC::Max(target, low, high, mask, repeats, params);
        } else {
          AscendC::Add(target, low, high, mask, repeats, params);
        }
      }
    }
  }

  // Divides whole numbers below 2^20: quotient = floor(value / divisor), remainder = value - quotient *
  // divisor.
  __aicore__ inline void Divide(const AscendC::LocalTensor<float> &quotient,
                                const AscendC::LocalTensor<float> &remainder,
                                const AscendC::LocalTensor<float> &value, float divisor, uint32_t count) {
    const auto whole = remainder.template ReinterpretCast<int32_t>();
    AscendC::Adds(quotient, value, 0.5f, count);
    AscendC::Muls(quotient, quotient, 1.0f / divisor, count);
    AscendC::Cast(whole, quotient, AscendC::RoundMode::CAST_FLOOR, count);
    AscendC::Cast(quotient, whole, AscendC::RoundMode::CAST_NONE, count);
    AscendC::Muls(remainder, quotient, -divisor, count);
    AscendC::Add(remainder, remainder, value, count);
  }

  // Fills the tables of bins and cells: the row and column of each sample's bin, and the centre of its cell
  // in the bin's grid.
  __aicore__ inline void NumberSamples(uint32_t count) {
    const auto row = Table(kBinRow), column = Table(kBinColumn), y = Table(kGridRow), x = Table(kGridColumn);
    const auto batch = Table(kY), in_batch = Table(kX);
    const float bins = ToFloat(batches_.bins);
    Divide(batch, in_batch, Table(kIndex), ToFloat(batches_.Stride()), count);
    Divide(y, column, in_batch, bins, count);
    // Now `column` is the number of the bin in its batch, and y that of the sample in its bin.
    AscendC::Axpy(column, batch, bins, count);
    AscendC::Adds(batch, column, ToFloat(bin_ % bin_columns_), count);
    Divide(row, column, batch, ToFloat(bin_columns_), count);
    AscendC::Adds(row, row, ToFloat(bin_ / bin_columns_), count);
    AscendC::Adds(batch, y, ToFloat(area_.first % area_.columns), count);
    Divide(y, x, batch, ToFloat(area_.columns), count);
    AscendC::Adds(y, y, ToFloat(area_.y + area_.first / area_.columns) + 0.5f, count);
    AscendC::Adds(x, x, ToFloat(area_.x) + 0.5f, count);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> tables_;
  int64_t size_[2];  // H and W
  uint32_t located_, bin_columns_;
  Pooling mode_;
  // What the tables hold: the first bin (-1 for none), the batches, the samples of each bin, filled places.
  int64_t bin_;
  SampleBatches batches_;
  GridArea area_;
  uint32_t filled_ = 0;
};

}  // namespace avo
