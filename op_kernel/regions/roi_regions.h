// SPDX-License-Identifier: Apache-2.0
// Regions of interest on the device: what a row of rois means, and which core pools which bins.
//
//   region           bins, 2 x 2       samples of a bin, grid of 2 x 2
//   +-----------+    +-----+-----+     +-------+
//   |           |    |     |     |     | *   * |
//   |           |    +-----+-----+     |       |
//   |           |    |     |     |     | *   * |
//   +-----------+    +-----+-----+     +-------+
//
// The cost of a bin follows from its number of samples. All cores get the same cost, not the same number of
// regions, so a core's bins may begin and end within a region:
//
//   regions        |--- 0 ---|- 1 -|------------- 2 -------------|- 3 -|
//   cores          |------- 0 -------|------- 1 -------|------- 2 -----|
//
// First each core writes the costs of its share of the regions to the workspace (WriteCosts). After all cores
// have met, each core finds its first bin and that of the next core there (BinsOf).
#pragma once

#include "../common/copies/row_copy.h"
#include "roi_buffers.h"

namespace avo {

// A region in elements of its feature map; [0] is along y, [1] along x.
struct Region {
  bool has_samples;
  int64_t image;    // -1 where there is no such image
  float start[2];   // where the first bin begins
  float bin[2];     // size of a bin
  int32_t grid[2];  // samples of a bin
};

// Items from `begin` on, before `end`.
struct Range {
  int64_t begin;
  int64_t end;
};

// A bin of a region. Behind the last region is {rois, 0}.
struct BinPlace {
  int64_t roi;
  uint32_t bin;
};

// The rows (axis 0) or columns (axis 1) of a bin's grid whose samples may read an image with `size` elements
// along the axis.
__aicore__ inline Range SamplesInside(const Region &region, uint32_t axis, uint32_t bin, int64_t size) {
  constexpr float kMargin = 2.0f;  // one element outside the image, and less than that for rounding
  const float grid = ToFloat(region.grid[axis]), step = region.bin[axis] / grid;
  const float start = region.start[axis] + ToFloat(bin) * region.bin[axis];
  const float low = (-kMargin - start) / step - kMargin;
  const float high = (ToFloat(size) + kMargin - start) / step + kMargin;
  const int64_t begin = low > 0.0f ? (low < grid ? static_cast<int32_t>(low) : region.grid[axis]) : 0;
  const int64_t end = high > 0.0f ? (high < grid ? static_cast<int32_t>(high) : region.grid[axis]) : 0;
  return {begin, end > begin ? end : begin};
}

// Bins from `begin` on, before `end`.
struct BinRange {
  BinPlace begin;
  BinPlace end;
};

template <typename T>
class RoiRegions {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR rois, GM_ADDR batch_indices, GM_ADDR workspace, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    rois_ = tiling.rois;
    step_ = tiling.roiStep;
    images_ = tiling.images;
    size_[0] = tiling.height;
    size_[1] = tiling.width;
    bins_[0] = tiling.outHeight;
    bins_[1] = tiling.outWidth;
    ratio_ = tiling.samplingRatio;
    scale_ = tiling.scale;
    aligned_ = tiling.aligned != 0;
    const int64_t cores = AscendC::GetBlockNum();
    roi_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(rois), rois_ * step_);
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(batch_indices), rois_);
    cost_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs), rois_);
    const int64_t sums = (rois_ * sizeof(float) + kCostAlignment - 1) / kCostAlignment * kCostAlignment;
    sum_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs + sums), cores * kLane);
    const RoiRegionsBuffers buffers(cores);
    pipe->InitBuffer(queue_, buffers.rois.count, buffers.rois.bytes);
    pipe->InitBuffer(values_, buffers.values.bytes);
    pipe->InitBuffer(index_queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(index_values_, buffers.index_values.bytes);
    pipe->InitBuffer(cost_queue_, buffers.costs.count, buffers.costs.bytes);
    pipe->InitBuffer(sums_, buffers.sums.count, buffers.sums.bytes);
    loaded_ = -1;
  }

  __aicore__ inline uint32_t Bins() const { return bins_[0] * bins_[1]; }

  // Reads region `roi`.
  __aicore__ inline Region At(int64_t roi) {
    Load(roi / kTile);
    const uint32_t row = static_cast<uint32_t>(roi % kTile) * step_;
    const auto values = values_.template Get<float>();
    Region region;
    region.image = ImageOf(row, static_cast<uint32_t>(roi % kTile));
    region.has_samples = region.image >= 0;
    const float offset = aligned_ ? 0.5f : 0.0f;
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const uint32_t x1 = row + step_ - 4 + 1 - axis;
      region.start[axis] = values.GetValue(x1) * scale_ - offset;
      const float end = values.GetValue(x1 + 2) * scale_ - offset;
      float size = end - region.start[axis];
      // This is false for NaN and for infinities.
      if (!(size >= -kMostFloat && size <= kMostFloat)) region.has_samples = false;
      if (!aligned_ && size < 1.0f) size = 1.0f;
      if (size < 0.0f) region.has_samples = false;
      region.bin[axis] = size / static_cast<float>(static_cast<int32_t>(bins_[axis]));
      region.grid[axis] = GridOf(region.bin[axis]);
      if (region.grid[axis] <= 0) region.has_samples = false;
    }
    return region;
  }

  // Writes the costs of this core's share of the regions, and their sum, to the workspace. `sums_of_rows`:
  // whether rows and columns are added up, in place of samples.
  __aicore__ inline void WriteCosts(bool sums_of_rows) {
    const Share share = CoreShare(rois_);
    float sum = 0.0f;
    for (int64_t first = share.begin; first < share.end; first += kTile) {
      const uint32_t count = static_cast<uint32_t>(share.end - first < kTile ? share.end - first : kTile);
      auto costs = cost_queue_.template AllocTensor<float>();
      for (uint32_t i = 0; i < count; ++i) {
        const Region region = At(first + i);
        const float cost = sums_of_rows ? CostOfSums(region) : CostOf(region);
        costs.SetValue(i, cost);
        sum += cost;
      }
      cost_queue_.EnQue(costs);
      costs = cost_queue_.template DeQue<float>();
      CopyRowsOut(cost_gm_, first, count, costs, kTile, 1, count);
      cost_queue_.FreeTensor(costs);
    }
    auto sums = cost_queue_.template AllocTensor<float>();
    sums.SetValue(0, sum);
    cost_queue_.EnQue(sums);
    sums = cost_queue_.template DeQue<float>();
    CopyRowsOut(sum_gm_, AscendC::GetBlockIdx() * kLane, 1, sums, kTile, 1, 1);
    cost_queue_.FreeTensor(sums);
  }

  // The bins of core `core`, after all cores have met.
  __aicore__ inline BinRange BinsOf(int64_t core) {
    const int64_t cores = AscendC::GetBlockNum();
    auto sums = sums_.template AllocTensor<float>();
    // One row is faster than one for each core. What lies between the sums does not matter.
    const uint32_t elements = static_cast<uint32_t>(cores) * kLane;
    CopyRowsIn(sums, elements, sum_gm_, 0, elements, 1, elements);
    sums_.EnQue(sums);
    sums = sums_.template DeQue<float>();
    const BinRange range{FirstBinOf(sums, core), FirstBinOf(sums, core + 1)};
    sums_.FreeTensor(sums);
    return range;
  }

 private:
  static constexpr uint32_t kTile = RoiRegionsBuffers::kTile;
  static constexpr uint32_t kMostStep = RoiRegionsBuffers::kMostStep;
  static constexpr uint32_t kLane = kBlockBytes / sizeof(float);
  static constexpr int64_t kCostAlignment = 512;  // bytes
  static constexpr float kMostFloat = 3.4028234e38f;

  // Loads a tile of regions as float32, unless it is there.
  __aicore__ inline void Load(int64_t tile) {
    if (loaded_ == tile) return;
    loaded_ = tile;
    const int64_t first = tile * kTile, rest = rois_ - first;
    const uint32_t rows = static_cast<uint32_t>(rest < kTile ? rest : kTile), count = rows * step_;
    auto copied = queue_.template AllocTensor<T>();
    CopyRowsIn(copied, kTile * kMostStep, roi_gm_, first * step_, count, 1, count);
    queue_.EnQue(copied);
    copied = queue_.template DeQue<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Muls(values_.template Get<float>(), copied, 1.0f, count);
    } else {
      AscendC::Cast(values_.template Get<float>(), copied, AscendC::RoundMode::CAST_NONE, count);
    }
    queue_.FreeTensor(copied);
    if (step_ == kMostStep) return;
    auto indices = index_queue_.template AllocTensor<int32_t>();
    CopyRowsIn(indices, kTile, index_gm_, first, rows, 1, rows);
    index_queue_.EnQue(indices);
    indices = index_queue_.template DeQue<int32_t>();
    AscendC::Cast(index_values_.template Get<float>(), indices, AscendC::RoundMode::CAST_NONE, rows);
    index_queue_.FreeTensor(indices);
  }

  // The feature map of region `i` of the tile, whose values begin at `row`; -1 if there is no such map.
  __aicore__ inline int64_t ImageOf(uint32_t row, uint32_t i) {
    const float index = step_ == kMostStep ? values_.template Get<float>().GetValue(row)
                                           : index_values_.template Get<float>().GetValue(i);
    const bool inside = index >= 0.0f && index < static_cast<float>(static_cast<int32_t>(images_));
    return inside ? static_cast<int32_t>(index) : -1;
  }

  // The samples of a bin along an axis: samplingRatio, or else ceil(bin); at most 2^30.
  __aicore__ inline int32_t GridOf(float bin) const {
    constexpr float kMost = 1073741824.0f;
    if (ratio_ > 0) return ratio_ < kMost ? static_cast<int32_t>(ratio_) : static_cast<int32_t>(kMost);
    if (!(bin > 0.0f)) return 0;
    if (bin >= kMost) return static_cast<int32_t>(kMost);
    const int32_t whole = static_cast<int32_t>(bin);
    return static_cast<float>(whole) < bin ? whole + 1 : whole;
  }

  // The cost of a bin: 1 for writing it, and 1 for each of its samples, but no more than may lie in the
  // image.
  __aicore__ inline float CostOf(const Region &region) const {
    float samples = 1.0f;
    for (uint32_t axis = 0; axis < 2 && region.has_samples; ++axis) {
      const int64_t most = 2 * size_[axis] + 4;
      samples *=
          static_cast<float>(region.grid[axis] < most ? region.grid[axis] : static_cast<int32_t>(most));
    }
    return samples + 1.0f;
  }

  // The cost of a bin in cycles, divided by the vectors of a pixel's channels: rows of bins add up rows of
  // pixels, and then bins add up columns.
  __aicore__ inline float CostOfSums(const Region &region) const {
    constexpr float kStore = 10.0f, kLoadedPixel = 2.5f, kColumn = 6.0f;
    if (!region.has_samples) return kStore;
    float taps[2];
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const float samples = 2.0f * ToFloat(region.grid[axis]), pixels = region.bin[axis] + 2.0f;
      const float most = ToFloat(size_[axis]) + 2.0f, some = samples < pixels ? samples : pixels;
      taps[axis] = some < most ? some : most;
    }
    const float columns = taps[1] * ToFloat(bins_[1]);
    return kStore + taps[1] * kColumn + taps[0] * (columns * kLoadedPixel + kColumn) / ToFloat(bins_[1]);
  }

  // The first bin of core `core`. Core GetBlockNum() begins behind the last region.
  __aicore__ inline BinPlace FirstBinOf(const AscendC::LocalTensor<float> &sums, int64_t core) {
    const int64_t cores = AscendC::GetBlockNum();
    if (core == cores) return {rois_, 0};
    float total = 0.0f;
    for (int64_t i = 0; i < cores; ++i) total += sums.GetValue(i * kLane);
    const float target = total * (static_cast<float>(static_cast<int32_t>(core)) /
                                  static_cast<float>(static_cast<int32_t>(cores)));
    // The core that wrote the costs among which the target lies.
    float before = 0.0f;
    int64_t writer = 0;
    for (; writer < cores - 1; ++writer) {
      const float sum = sums.GetValue(writer * kLane);
      if (before + sum > target) break;
      before += sum;
    }
    return FindBin(ShareOf(rois_, cores, writer), before, target);
  }

  // The bin at which the sum of costs reaches `target`. It lies in the regions of `share`, and the costs of
  // all regions ahead of them add up to `before`. A cost counts one bin of each region: all regions have as
  // many.
  __aicore__ inline BinPlace FindBin(const Share &share, float before, float target) {
    const float bins = static_cast<float>(static_cast<int32_t>(Bins()));
    for (int64_t first = share.begin; first < share.end; first += kTile) {
      const uint32_t count = static_cast<uint32_t>(share.end - first < kTile ? share.end - first : kTile);
      auto costs = queue_.template AllocTensor<float>();
      CopyRowsIn(costs, kTile, cost_gm_, first, count, 1, count);
      queue_.EnQue(costs);
      costs = queue_.template DeQue<float>();
      for (uint32_t i = 0; i < count; ++i) {
        const float cost = costs.GetValue(i);
        if (before + cost > target) {
          queue_.FreeTensor(costs);
          const int32_t bin = static_cast<int32_t>((target - before) / cost * bins);
          return {first + i, static_cast<uint32_t>(bin < 0 ? 0 : bin)};
        }
        before += cost;
      }
      queue_.FreeTensor(costs);
    }
    return {share.end, 0};
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_, index_queue_, sums_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> cost_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values_, index_values_;
  AscendC::GlobalTensor<T> roi_gm_;
  AscendC::GlobalTensor<int32_t> index_gm_;
  AscendC::GlobalTensor<float> cost_gm_, sum_gm_;
  int64_t rois_, images_, ratio_, size_[2], loaded_;
  uint32_t step_, bins_[2];
  float scale_;
  bool aligned_;
};

}  // namespace avo
