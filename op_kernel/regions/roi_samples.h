// SPDX-License-Identifier: Apache-2.0
// Samples of a region's bins: their positions, and what they are together. Samples lie in batches, sample j
// of bin b of a batch at j * together + b, so that the samples of all its bins are combined by long
// instructions.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "roi_regions.h"

namespace avo {

enum class Pooling : uint32_t { kAvg = 0, kMax = 1, kOnnxMax = 2 };

// `grid` samples of each of `together` bins are a batch, which begins on a multiple of 8.
struct SampleBatches {
  uint32_t together;
  uint32_t grid;
  __aicore__ inline uint32_t Count() const { return together * grid; }
  __aicore__ inline uint32_t Stride() const { return (Count() + 7) / 8 * 8; }
};

// Which samples of a bin: from `first` on, row by row, of a part of the grid that begins at (y, x) and has
// `columns` columns.
struct GridPart {
  int64_t first;
  int32_t y;
  int32_t x;
  int32_t columns;
};

template <typename T>
class RoiSamples {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    InitTables(tiling, pipe);
    rows.Init(workspace, LayoutOf(tiling), tiling.located, tiling.batch, tiling.chunk, pipe);
  }

  // For Locate alone.
  template <typename Tiling>
  __aicore__ inline void InitPositions(const Tiling &tiling, AscendC::TPipe *pipe) {
    InitTables(tiling, pipe);
    rows.InitPositions(LayoutOf(tiling), tiling.located, pipe);
  }

  // Locates the samples of bins [bin, bin + count) of a region, batch by batch; for `rows`.
  __aicore__ inline void Locate(const Region &region, uint32_t bin, uint32_t count,
                                const SampleBatches &batches, const GridPart &part) {
    const uint32_t filled = (count + batches.together - 1) / batches.together * batches.Stride();
    const uint32_t needed = (filled + kRepeat - 1) / kRepeat * kRepeat;
    // Bins that begin at the same column of bins are numbered alike but for their rows.
    const bool same = bin_ >= 0 && bin % bin_columns_ == bin_ % bin_columns_ &&
                      batches.together == batches_.together && batches.grid == batches_.grid &&
                      part.first == part_.first && part.y == part_.y && part.x == part_.x &&
                      part.columns == part_.columns && needed <= filled_;
    if (same && bin != bin_) {
      const auto row = Table(kBinRow);
      AscendC::Adds(row, row, ToFloat(bin / bin_columns_) - ToFloat(bin_ / bin_columns_), filled_);
    }
    bin_ = bin;
    if (!same) {
      batches_ = batches;
      part_ = part;
      filled_ = needed;
      NumberSamples(needed);
    }
    const auto y = Table(kY), x = Table(kX);
    Place(y, region, 0, Table(kBinRow), Table(kGridRow), needed);
    Place(x, region, 1, Table(kBinColumn), Table(kGridColumn), needed);
    rows.Locate(y, x, needed);
  }

  // Combines the samples of the batch that `rows` copied last: what is returned holds, for each of its bins,
  // two pixels that Finish makes one.
  __aicore__ inline AscendC::LocalTensor<float> Combine(uint32_t first, const SampleBatches &batches) {
    auto pairs = rows.Weighted(first);
    const uint32_t pair = 2 * rows.Step(), count = batches.Count();
    if (mode_ == Pooling::kMax) {
      Interpolate(pairs, count);
    } else {
      Merge(pairs, pairs[rows.Samples() * pair], count * pair, mode_ == Pooling::kOnnxMax);
    }
    // The upper half of the samples onto the lower one, until one is left.
    for (uint32_t left = batches.grid; left > 1;) {
      const uint32_t half = left / 2;
      Merge(pairs, pairs[(left - half) * batches.together * pair], half * batches.together * pair,
            mode_ != Pooling::kAvg);
      left -= half;
    }
    return pairs;
  }

  // The first pixel of each of `count` pairs becomes the sample's value.
  __aicore__ inline void Interpolate(const AscendC::LocalTensor<float> &pairs, uint32_t count) {
    const uint32_t pair = 2 * rows.Step();
    Merge(pairs, pairs[rows.Samples() * pair], count * pair, false);
    AddPairs(pairs, pairs, pair, count);
  }

  // Pixels `pixel` elements apart of `bins` combined pairs.
  __aicore__ inline void Finish(const AscendC::LocalTensor<float> &to, uint32_t pixel,
                                const AscendC::LocalTensor<float> &pairs, uint32_t bins) {
    if (mode_ != Pooling::kMax) return AddPairs(to, pairs, pixel, bins);
    for (uint32_t b = 0; b < bins; ++b) {
      AscendC::Muls(to[b * pixel], pairs[b * 2 * rows.Step()], 1.0f, rows.Step());
    }
  }

  // What samples, or parts of a bin's samples, are together.
  __aicore__ inline void Merge(const AscendC::LocalTensor<float> &to,
                               const AscendC::LocalTensor<float> &other, uint32_t count, bool larger) const {
    if (larger) {
      AscendC::Max(to, to, other, count);
    } else {
      AscendC::Add(to, to, other, count);
    }
  }

  BilinearRows<T> rows;

  // The rows, or columns, of a bin's grid whose samples may lie in the image.
  __aicore__ inline Share Inside(const Region &region, uint32_t axis, uint32_t bin, int64_t size) const {
    constexpr float kMargin = 2.0f;  // more than rounding moves a sample, and the border's one element
    const float grid = ToFloat(region.grid[axis]), step = region.bin[axis] / grid;
    const float start = region.start[axis] + ToFloat(bin) * region.bin[axis];
    const float low = (-kMargin - start) / step - kMargin;
    const float high = (ToFloat(size) + kMargin - start) / step + kMargin;
    const int64_t begin = low > 0.0f ? (low < grid ? static_cast<int32_t>(low) : region.grid[axis]) : 0;
    const int64_t end = high > 0.0f ? (high < grid ? static_cast<int32_t>(high) : region.grid[axis]) : 0;
    return {begin, end > begin ? end : begin};
  }

 private:
  enum : uint32_t { kIndex, kBinRow, kBinColumn, kGridRow, kGridColumn, kY, kX };
  static constexpr uint32_t kRepeat = 64;  // floats
  static constexpr uint32_t kBlock = kBlockBytes / sizeof(float);
  static constexpr uint32_t kMaxRepeats = 255;

  template <typename Tiling>
  __aicore__ inline void InitTables(const Tiling &tiling, AscendC::TPipe *pipe) {
    located_ = tiling.located;
    bin_columns_ = tiling.outWidth;
    mode_ = static_cast<Pooling>(tiling.mode);
    pipe->InitBuffer(tables_, 7 * located_ * sizeof(float));
    AscendC::CreateVecIndex(Table(kIndex), 0.0f, located_);
    bin_ = -1;
  }

  __aicore__ inline AscendC::LocalTensor<float> Table(uint32_t i) {
    return tables_.template Get<float>()[i * located_];
  }

  // Positions start + p * bin + (i + 0.5) * bin / grid, rounded to float32 in this order as RoIAlign's
  // definition has it (op_host/regions/roi_align.yaml): a product and a sum are two instructions, and the
  // quotient is one.
  __aicore__ inline void Place(const AscendC::LocalTensor<float> &position, const Region &region,
                               uint32_t axis, const AscendC::LocalTensor<float> &bins,
                               const AscendC::LocalTensor<float> &cells, uint32_t count) {
    const auto term = rows.Scratch();
    const int32_t grid = region.grid[axis];
    if ((grid & (grid - 1)) == 0) {
      // Division by a power of two rounds nothing, wherever it stands.
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

  // The pixels of each pair onto the first of them, or to pixels `step` elements apart.
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

  // quotient = floor(value / divisor), rest = value - quotient * divisor, of whole numbers below 2^20.
  __aicore__ inline void Divide(const AscendC::LocalTensor<float> &quotient,
                                const AscendC::LocalTensor<float> &rest,
                                const AscendC::LocalTensor<float> &value, float divisor, uint32_t count) {
    const auto whole = rest.template ReinterpretCast<int32_t>();
    AscendC::Adds(quotient, value, 0.5f, count);
    AscendC::Muls(quotient, quotient, 1.0f / divisor, count);
    AscendC::Cast(whole, quotient, AscendC::RoundMode::CAST_FLOOR, count);
    AscendC::Cast(quotient, whole, AscendC::RoundMode::CAST_NONE, count);
    AscendC::Muls(rest, quotient, -divisor, count);
    AscendC::Add(rest, rest, value, count);
  }

  // Row and column of each sample's bin, and of the sample in its grid, where cells have their centres.
  __aicore__ inline void NumberSamples(uint32_t count) {
    const auto row = Table(kBinRow), column = Table(kBinColumn), y = Table(kGridRow), x = Table(kGridColumn);
    const auto batch = Table(kY), rest = Table(kX);
    const float together = ToFloat(batches_.together);
    Divide(batch, rest, Table(kIndex), ToFloat(batches_.Stride()), count);
    Divide(y, column, rest, together, count);
    // column is the bin within its batch, y the sample of the bin.
    AscendC::Axpy(column, batch, together, count);
    AscendC::Adds(batch, column, ToFloat(bin_ % bin_columns_), count);
    Divide(row, column, batch, ToFloat(bin_columns_), count);
    AscendC::Adds(row, row, ToFloat(bin_ / bin_columns_), count);
    AscendC::Adds(batch, y, ToFloat(part_.first % part_.columns), count);
    Divide(y, x, batch, ToFloat(part_.columns), count);
    AscendC::Adds(y, y, ToFloat(part_.y + part_.first / part_.columns) + 0.5f, count);
    AscendC::Adds(x, x, ToFloat(part_.x) + 0.5f, count);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> tables_;
  uint32_t located_, bin_columns_;
  Pooling mode_;
  // What the tables describe.
  int64_t bin_;
  SampleBatches batches_;
  GridPart part_;
  uint32_t filled_ = 0;
};

}  // namespace avo
