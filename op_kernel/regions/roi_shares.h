// SPDX-License-Identifier: Apache-2.0
// Which core pools which bins. The cost of a bin follows from its number of samples. All cores get the same
// cost, not the same number of regions, so a core's bins may begin and end within a region:
//
//   regions        |--- 0 ---|- 1 -|------------- 2 -------------|- 3 -|
//   cores          |------- 0 -------|------- 1 -------|------- 2 -----|
//
// First each core writes the costs of its share of the regions to the workspace (WriteCosts). After all cores
// have met, each core finds its first bin and that of the next core there (BinsOf).
#pragma once

#include "roi_regions.h"

namespace avo {

// A bin of a region. Behind the last region is {rois, 0}.
struct BinPlace {
  int64_t roi;
  uint32_t bin;
};

// Bins from `begin` on, before `end`.
struct BinRange {
  BinPlace begin;
  BinPlace end;
};

template <typename T>
class RoiShares : public RoiRegions<T> {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR rois, GM_ADDR batch_indices, GM_ADDR workspace, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    RoiRegions<T>::Init(rois, batch_indices, tiling, pipe);
    const int64_t cores = AscendC::GetBlockNum();
    cost_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs), rois_);
    const int64_t sums = (tiling.rois * sizeof(float) + kCostAlignment - 1) / kCostAlignment * kCostAlignment;
    sum_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs + sums), cores * kLane);
    const RoiSharesBuffers buffers(cores);
    pipe->InitBuffer(cost_queue_, buffers.costs.count, buffers.costs.bytes);
    pipe->InitBuffer(sums_, buffers.sums.count, buffers.sums.bytes);
  }

  // Begins to load this core's share of the regions.
  __aicore__ inline void Prefetch() {
    const Share share = CoreShare(rois_);
    if (share.begin < share.end) this->Load(share.begin / kTile);
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
        const Region region = this->At(first + i);
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

  // The bins of core `core`, after all cores have met. `whole_rows`: whether it gets whole rows of bins.
  __aicore__ inline BinRange BinsOf(int64_t core, bool whole_rows) {
    granule_ = whole_rows ? bins_[1] : 1;
    const int64_t cores = AscendC::GetBlockNum();
    auto sums = sums_.template AllocTensor<float>();
    // One row is faster than one for each core. What lies between the sums does not matter.
    const uint32_t elements = static_cast<uint32_t>(cores) * kLane;
    if (rois_ <= kFewRegions && rois_ <= elements) {
      const uint32_t count = static_cast<uint32_t>(rois_);
      CopyRowsIn(sums, elements, cost_gm_, 0, count, 1, count);
      sums_.EnQue(sums);
      // The first regions come in at the same time.
      this->Load(0);
      sums = sums_.template DeQue<float>();
      float total = 0.0f;
      for (uint32_t i = 0; i < count; ++i) total += sums.GetValue(i);
      const BinRange range{FindAmong(sums, count, 0, 0.0f, Target(total, core)),
                           FindAmong(sums, count, 0, 0.0f, Target(total, core + 1))};
      sums_.FreeTensor(sums);
      return range;
    }
    CopyRowsIn(sums, elements, sum_gm_, 0, elements, 1, elements);
    sums_.EnQue(sums);
    sums = sums_.template DeQue<float>();
    const BinRange range{FirstBinOf(sums, core), FirstBinOf(sums, core + 1)};
    sums_.FreeTensor(sums);
    return range;
  }

 protected:
  using RoiRegions<T>::rois_;
  using RoiRegions<T>::bins_;
  using RoiRegions<T>::size_;
  using RoiRegions<T>::kTile;
  // Cycles, as in CostOfSums.
  static constexpr float kStore = 300.0f, kRowTap = 5.5f, kColumnTap = 13.5f, kLoaded = 0.875f,
                         kWidened = 2.0f;

 private:
  using RoiRegions<T>::queue_;
  static constexpr uint32_t kLane = kBlockBytes / sizeof(float);
  static constexpr int64_t kCostAlignment = 512;  // bytes
  static constexpr int64_t kFewRegions = 128;     // whose costs every core reads itself

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
  // pixels, and then bins add up columns, while pixels are loaded.
  __aicore__ inline float CostOfSums(const Region &region) const {
    const float bins = ToFloat(bins_[0]) * ToFloat(bins_[1]);
    if (!region.has_samples) return kStore / bins;
    float taps[2], pixels[2];
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const float samples = 2.0f * ToFloat(region.grid[axis]), size = region.bin[axis] + 2.0f;
      const float most = ToFloat(size_[axis]) + 2.0f, some = samples < size ? samples : size;
      taps[axis] = (some < most ? some : most) * ToFloat(bins_[axis]);
      const float extent = region.bin[axis] * ToFloat(bins_[axis]) + 2.0f;
      pixels[axis] = taps[axis] < extent ? taps[axis] : extent;
      if (pixels[axis] > most) pixels[axis] = most;
    }
    const float area = pixels[0] * pixels[1], load = area * kLoaded * static_cast<float>(sizeof(T));
    const float add = taps[0] * (pixels[1] + kRowTap) + taps[1] * kColumnTap +
                      (sizeof(T) == sizeof(float) ? 0.0f : area * kWidened);
    return (kStore + (add > load ? add : load)) / bins;
  }

  // The first bin of core `core`. Core GetBlockNum() begins behind the last region.
  __aicore__ inline BinPlace FirstBinOf(const AscendC::LocalTensor<float> &sums, int64_t core) {
    const int64_t cores = AscendC::GetBlockNum();
    if (core == cores) return {rois_, 0};
    float total = 0.0f;
    for (int64_t i = 0; i < cores; ++i) total += sums.GetValue(i * kLane);
    const float target = Target(total, core);
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

  // The part of `total` that lies ahead of core `core`.
  static __aicore__ inline float Target(float total, int64_t core) {
    return total * (ToFloat(core) / ToFloat(AscendC::GetBlockNum()));
  }

  // The bin at which the sum of costs reaches `target`. It lies in the regions of `share`, and the costs of
  // all regions ahead of them add up to `before`.
  __aicore__ inline BinPlace FindBin(const Share &share, float before, float target) {
    for (int64_t first = share.begin; first < share.end; first += kTile) {
      const uint32_t count = static_cast<uint32_t>(share.end - first < kTile ? share.end - first : kTile);
      auto costs = queue_.template AllocTensor<float>();
      CopyRowsIn(costs, kTile, cost_gm_, first, count, 1, count);
      queue_.EnQue(costs);
      costs = queue_.template DeQue<float>();
      const BinPlace found = FindAmong(costs, count, first, before, target);
      if (found.roi < first + count) {
        queue_.FreeTensor(costs);
        return found;
      }
      for (uint32_t i = 0; i < count; ++i) before += costs.GetValue(i);
      queue_.FreeTensor(costs);
    }
    return {share.end, 0};
  }

  // The same among `count` regions from `first` on, whose costs are in UB; behind them if it is not there. A
  // cost counts one bin of each region: all regions have as many.
  __aicore__ inline BinPlace FindAmong(const AscendC::LocalTensor<float> &costs, uint32_t count,
                                       int64_t first, float before, float target) const {
    for (uint32_t i = 0; i < count; ++i) {
      const float cost = costs.GetValue(i);
      if (before + cost > target) {
        const int32_t bin = static_cast<int32_t>((target - before) / cost * ToFloat(this->Bins()));
        return {first + i, (bin < 0 ? 0 : static_cast<uint32_t>(bin)) / granule_ * granule_};
      }
      before += cost;
    }
    return {first + count, 0};
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> sums_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> cost_queue_;
  AscendC::GlobalTensor<float> cost_gm_, sum_gm_;
  uint32_t granule_;  // bins that a core gets at once
};

}  // namespace avo
