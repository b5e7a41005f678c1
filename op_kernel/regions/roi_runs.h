// SPDX-License-Identifier: Apache-2.0
// The runs of bins that a core pools, each within one region. Where there are one or a few regions for each
// core, it gets whole regions first: a part of a region touches all of its columns, and its results are short
// rows. Regions are ordered by their costs and dealt in rounds, forwards and backwards. What is left behind
// the last whole round is split into parts of some rows of bins, the larger ones for the cores that have
// least:
//
//   cores        0    1    2    3    4    5
//   whole       90   80   75   70   65   60
//   parts                 20   25   25   30      of two regions of 50
//
// Each core computes all costs by vector instructions while its first tile of the map is loaded, so nothing
// passes through the workspace, and a core begins as soon as all have met. Into how many parts regions are
// split follows from what the core with most to do would have. Where that is more than with equal shares
// (roi_shares.h), all cores take these instead; all of them find the same.
#pragma once

#include "roi_shares.h"

namespace avo {

// Bins [first, last) of a region.
struct BinRun {
  int64_t roi;
  uint32_t first, last;
};

template <typename T>
class RoiRuns : public RoiShares<T> {
 public:
  // Decides what the cores get, before they meet. Call it behind Prefetch, once.
  template <typename Tiling>
  __aicore__ inline void Deal(const Tiling &tiling, AscendC::TPipe *pipe, bool sums_of_rows) {
    whole_ = false;
    if (tiling.whole != 0) {
      const RoiRunsBuffers buffers(tiling.whole);
      pipe->InitBuffer(tables_, buffers.tables.bytes);
      pipe->InitBuffer(mask_, buffers.mask.bytes);
      this->Load(0);
      WriteOrder();
      DealWhole();
    }
    if (!whole_) this->WriteCosts(sums_of_rows);
  }

  // Finds this core's bins after all cores have met.
  __aicore__ inline void TakeOwn(bool whole_rows) {
    if (whole_) return;
    own_ = this->BinsOf(AscendC::GetBlockIdx(), whole_rows);
    runs_ = (own_.end.roi < rois_ ? own_.end.roi + 1 : rois_) - own_.begin.roi;
  }

  // How many runs this core has. Some may be empty.
  __aicore__ inline int64_t Runs() const { return runs_; }

  __aicore__ inline BinRun Run(int64_t i) const {
    if (whole_) return dealt_[i];
    const int64_t roi = own_.begin.roi + i;
    return {roi, roi == own_.begin.roi ? own_.begin.bin : 0,
            roi == own_.end.roi ? own_.end.bin : this->Bins()};
  }

  // The region of run `i`.
  __aicore__ inline Region RegionOf(int64_t i) { return whole_ ? regions_[i] : this->At(Run(i).roi); }

 private:
  using RoiShares<T>::rois_;
  using RoiRegions<T>::ratio_;
  using RoiShares<T>::size_;
  using RoiShares<T>::bins_;
  using RoiRegions<T>::step_;
  using RoiRegions<T>::scale_;
  using RoiRegions<T>::aligned_;
  using RoiShares<T>::kTile;
  using RoiShares<T>::kStore;
  using RoiShares<T>::kRowTap;
  using RoiShares<T>::kColumnTap;
  using RoiShares<T>::kLoaded;
  using RoiShares<T>::kWidened;
  static constexpr uint32_t kMostRuns = RoiRunsBuffers::kMostRounds + 1;
  static constexpr uint32_t kSortGroup = 32;  // elements that one repeat of Sort orders
  // By how much a place behind the last region costs less than any region.
  static constexpr float kBehind = 1.0e9f;
  // Tables of an element for each region. Where two values are named, the first is along y, and that along x
  // follows. A sorted pair takes two elements.
  enum : uint32_t { kPlaces, kStarts = 2, kSizes = 4, kTaps = 6, kIndex = 8, kCosts, kPairs, kScratch = 0 };
  static_assert(kPairs + 2 == RoiRunsBuffers::kTables, "a table for each name");

  __aicore__ inline AscendC::LocalTensor<float> Table(uint32_t i) {
    return tables_.template Get<float>()[i * kTile];
  }

  // Writes the costs of all regions, and sorts them. Places behind the last region come last.
  __aicore__ inline void WriteOrder() {
    const auto sizes = Table(kSizes), starts = Table(kStarts), taps = Table(kTaps), costs = Table(kCosts);
    const auto places = Table(kPlaces).template ReinterpretCast<int32_t>();
    const auto index = Table(kIndex).template ReinterpretCast<int32_t>();
    const int32_t most = static_cast<int32_t>(rois_) - 1, step = static_cast<int32_t>(step_), item = 4;
    AscendC::CreateVecIndex(index, 0, kTile);
    AscendC::Mins(places, index, most, kTile);
    AscendC::Muls(places, places, step * item, kTile);
    AscendC::Adds(places[kTile], places, (step - 4) * item, kTile);
    AscendC::Adds(places, places, (step - 3) * item, kTile);
    // The corners of regions: (y1, x1), and then (y2, x2), which are two elements behind them.
    const auto bytes = places.template ReinterpretCast<uint32_t>();
    AscendC::Gather(starts, this->Rows(), bytes, 0, 2 * kTile);
    AscendC::Gather(sizes, this->Rows(), bytes, 2 * item, 2 * kTile);
    AscendC::Sub(sizes, sizes, starts, 2 * kTile);
    AscendC::Muls(sizes, sizes, scale_, 2 * kTile);
    AscendC::Maxs(sizes, sizes, aligned_ ? 0.0f : 1.0f, 2 * kTile);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const auto tap = taps[axis * kTile], size = sizes[axis * kTile];
      const float bins = ToFloat(bins_[axis]), limit = ToFloat(size_[axis]) + 2.0f;
      const float samples = 2.0f * ToFloat(ratio_);
      AscendC::Muls(tap, size, 1.0f / bins, kTile);
      AscendC::Adds(tap, tap, 2.0f, kTile);
      AscendC::Mins(tap, tap, samples < limit ? samples : limit, kTile);
      AscendC::Muls(tap, tap, bins, kTile);
      AscendC::Adds(size, size, 2.0f, kTile);
      AscendC::Mins(size, size, limit, kTile);
    }
    // Now sizes are those of what the region's samples touch.
    AscendC::Min(sizes, sizes, taps, 2 * kTile);
    CostOfSizes(costs, sizes, taps);
    // A region that is not a number costs nothing, but has a place of its own, ahead of those behind the
    // last.
    const auto bits = mask_.template Get<uint8_t>();
    AscendC::CompareScalar(bits, costs, 0.0f, AscendC::CMPMODE::GE, kTile);
    AscendC::Select(costs, bits, costs, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, kTile);
    AscendC::Mins(costs, costs, kBehind / 2.0f, kTile);
    const auto behind = Table(kTaps);
    AscendC::Cast(behind, index, AscendC::RoundMode::CAST_NONE, kTile);
    AscendC::Adds(behind, behind, -ToFloat(most), kTile);
    AscendC::Maxs(behind, behind, 0.0f, kTile);
    AscendC::Axpy(costs, behind, -kBehind, kTile);
    auto scratch = Table(kScratch);
    AscendC::Sort<float, true>(Table(kPairs), costs, index.template ReinterpretCast<uint32_t>(), scratch,
                               kTile / kSortGroup);
  }

  // The same as RoiShares::CostOfSums, of all bins of a region, from what it touches along both axes.
  __aicore__ inline void CostOfSizes(const AscendC::LocalTensor<float> &costs,
                                     const AscendC::LocalTensor<float> &sizes,
                                     const AscendC::LocalTensor<float> &taps) {
    const auto area = Table(kStarts), row = Table(kStarts + 1);
    AscendC::Mul(area, sizes, sizes[kTile], kTile);
    AscendC::Adds(row, sizes[kTile], kRowTap, kTile);
    AscendC::Mul(row, row, taps, kTile);
    AscendC::Muls(costs, taps[kTile], kColumnTap, kTile);
    AscendC::Add(costs, costs, row, kTile);
    if constexpr (sizeof(T) != sizeof(float)) AscendC::Axpy(costs, area, kWidened, kTile);
    AscendC::Muls(area, area, kLoaded * static_cast<float>(sizeof(T)), kTile);
    AscendC::Max(costs, costs, area, kTile);
    AscendC::Adds(costs, costs, kStore, kTile);
  }

  // What each part of a region costs beside its rows of pixels, at most.
  __aicore__ inline float CostOfPiece() const {
    return kStore + ToFloat(bins_[1]) * 2.0f * ToFloat(ratio_) * kColumnTap;
  }

  // The place of core `core` in a round, from the largest region of the round on.
  static __aicore__ inline int64_t Place(int64_t round, int64_t core) {
    return round % 2 == 0 ? core : AscendC::GetBlockNum() - 1 - core;
  }

  // What core `core` gets of the regions that are left behind the last whole round: its rows of bins of the
  // region of this rank.
  struct Part {
    int64_t rank;
    Share rows;
  };
  __aicore__ inline Part PartOf(int64_t core) const {
    const int64_t cores = AscendC::GetBlockNum(), rounds = rois_ / cores, left = rois_ % cores;
    if (left == 0) return {0, {0, 0}};
    const int64_t place = Place(rounds, core), part = place / left;
    return {rounds * cores + place % left, part < parts_ ? ShareOf(bins_[0], parts_, part) : Share{0, 0}};
  }

  __aicore__ inline float CostOfRank(int64_t rank) {
    return Table(kPairs).GetValue(static_cast<uint32_t>(2 * rank));
  }

  // What the core with most to do costs, where each region that is left is split into `parts_` parts.
  __aicore__ inline float MostOfCores() {
    const int64_t cores = AscendC::GetBlockNum(), rounds = rois_ / cores;
    const float piece = CostOfPiece();
    float most = 0.0f;
    for (int64_t core = 0; core < cores; ++core) {
      float sum = 0.0f;
      for (int64_t round = 0; round < rounds; ++round) sum += CostOfRank(round * cores + Place(round, core));
      const Part part = PartOf(core);
      const float rows = ToFloat(part.rows.end - part.rows.begin);
      if (rows > 0.0f) {
        const float cost = CostOfRank(part.rank), own = cost < piece ? cost : piece;
        sum += own + (cost - own) * rows / ToFloat(bins_[0]);
      }
      if (sum > most) most = sum;
    }
    return most;
  }

  // Takes this core's regions, unless some core would have more than with equal shares.
  __aicore__ inline void DealWhole() {
    const int64_t cores = AscendC::GetBlockNum(), own = AscendC::GetBlockIdx(), rounds = rois_ / cores;
    float total = 0.0f, least = 0.0f;
    for (int64_t rank = 0; rank < rois_; ++rank) total += CostOfRank(rank);
    int64_t best = 0;
    const int64_t most_parts = rois_ % cores == 0 ? 1 : cores / (rois_ % cores);
    for (parts_ = 1; parts_ <= most_parts && parts_ <= bins_[0]; ++parts_) {
      const float most = MostOfCores();
      if (best > 0 && most >= least) continue;
      least = most;
      best = parts_;
    }
    parts_ = best;
    // A core with an equal share has one region more than with whole ones: it begins within a region.
    if (least > total / ToFloat(cores) + CostOfPiece()) return;
    whole_ = true;
    runs_ = 0;
    // The part comes first: its short rows are stored while a whole region is computed.
    const Part part = PartOf(own);
    if (part.rows.begin < part.rows.end) Take(part.rank, part.rows);
    for (int64_t round = 0; round < rounds; ++round) {
      Take(round * cores + Place(round, own), {0, bins_[0]});
    }
  }

  // Takes rows of bins of the region of this rank.
  __aicore__ inline void Take(int64_t rank, const Share &rows) {
    const auto index = Table(kPairs).template ReinterpretCast<uint32_t>();
    const int64_t roi = index.GetValue(static_cast<uint32_t>(2 * rank + 1));
    dealt_[runs_] = {roi, static_cast<uint32_t>(rows.begin) * bins_[1],
                     static_cast<uint32_t>(rows.end) * bins_[1]};
    regions_[runs_] = this->At(roi);
    ++runs_;
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> tables_, mask_;
  bool whole_;     // whether cores have whole regions
  int64_t runs_;   // of this core
  int64_t parts_;  // of each region that is left behind the last whole round
  // Whole regions, or else the bins that are this core's share.
  BinRun dealt_[kMostRuns];
  Region regions_[kMostRuns];
  BinRange own_;
};

}  // namespace avo
