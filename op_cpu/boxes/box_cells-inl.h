// SPDX-License-Identifier: Apache-2.0
// Boxes that a non-maximum suppression has not come to yet, in cells by size and place. Compiled once for
// each instruction set.
#if defined(AVO_OP_CPU_COMMON_BOX_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_BOX_CELLS_INL_H_
#undef AVO_OP_CPU_COMMON_BOX_CELLS_INL_H_
#else
#define AVO_OP_CPU_COMMON_BOX_CELLS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/boxes/box_axis-inl.h"
#include "op_cpu/boxes/iou-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Boxes whose overlap is above a threshold have widths, and heights, whose ratio is above it, and middles
// near each other. So each pair of steps of widths and of heights has a grid of its own for the middles,
// whose cells are in proportion to the steps. A kept box visits those in reach: of 20,000 boxes about objects
// 120, of which it suppresses 5.
class BoxCells {
 public:
  // Of rows order[0], …, order[count - 1] of `boxes`, which outlive this. The threshold is not below 0.
  BoxCells(const float *boxes, const int32_t *order, size_t count, float offset, float threshold)
      : boxes_(boxes),
        offset_(offset),
        threshold_(threshold),
        // Less than it, since overlaps are rounded.
        least_(static_cast<float>(std::min(1.0, std::max(0.0, threshold * 0.999 - 1e-6)))) {
    suits_ = count < kMostBoxes && MakeAxes(order, count) && Fill(order, count);
  }

  // Clears `left` at the rows of the boxes that `box` suppresses. It is row `index`, and left itself, or not
  // among these boxes.
  void Suppress(const Box &box, int32_t index, uint8_t *left) {
    if (!Proper(box)) return;
    const size_t count = Reached(box);
    for (size_t i = 0; i < count; i += kChunk) {
      Visit(&reached_[i], std::min(kChunk, count - i), box, index, left);
    }
    cost_ += kBoxCost + kVectorCost * static_cast<int64_t>(count);
    plain_cost_ += left_ / kLanes;
    --left_;
  }

  // Whether cells suit the boxes, and this has been faster up to now than to compare each box with all that
  // are left.
  bool pays() const { return suits_ && cost_ <= plain_cost_ + static_cast<int64_t>(places_.size()) / 4; }

 private:
  static constexpr int32_t kLanes = 16;
  static constexpr int kSteps = BoxAxis::kSteps;
  static constexpr double kOblong = 3;  // of cells, as columns of them are visited one by one
  static constexpr size_t kChunk = 64, kSample = 128, kMostBoxes = size_t{1} << 28;
  // Costs in units of a vector of a plain comparison: of a kept box, a range of cells, a vector in it.
  static constexpr int64_t kBoxCost = 60, kRangeCost = 2, kVectorCost = 2;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kLeastArea = 1e-30f;  // rounded overlaps of smaller ones are far from the right ones
  using F32 = hn::CappedTag<float, kLanes>;
  using I32 = hn::RebindToSigned<F32>;
  using V = hn::Vec<F32>;
  using VI = hn::Vec<I32>;

  // Coordinate by coordinate; those that are suppressed start at infinity, and overlap with nothing.
  struct Sorted {
    float *x1, *y1, *x2, *y2;
  };

  // Whether a box has an overlap above 0 with any.
  bool Proper(const Box &box) const {
    return box.area > 0 && std::isfinite(box.area) && box.x2 - box.x1 + offset_ > 0;
  }

  // From some boxes of those there are. False where there are none, or of odd sizes.
  bool MakeAxes(const int32_t *order, size_t count) {
    std::vector<float> middles[2], sizes[2];
    for (size_t step = count / kSample + 1; step != 0 && middles[0].size() < kSample / 8; step /= 8) {
      for (int i = 0; i < 2; ++i) {
        middles[i].clear();
        sizes[i].clear();
      }
      for (size_t i = 0; i < count; i += step) {
        const Box box = BoxAt(boxes_, order[i], offset_);
        if (!Proper(box)) continue;
        middles[0].push_back(box.x1 + box.x2);
        middles[1].push_back(box.y1 + box.y2);
        sizes[0].push_back(box.x2 - box.x1 + offset_);
        sizes[1].push_back(box.y2 - box.y1 + offset_);
      }
    }
    if (middles[0].empty() || !x_.Measure(&middles[0], &sizes[0]) || !y_.Measure(&middles[1], &sizes[1])) {
      return false;
    }
    MakeGrids(count);
    return true;
  }

  // As many cells as boxes, or a quarter of a step's largest size wide.
  void MakeGrids(size_t count) {
    const double most = std::max<double>(count, 2 * kSteps * kSteps);
    for (double part = 0.25; x_.Divide(part * kOblong) * y_.Divide(part / kOblong) > most; part *= 1.25)
      continue;
    total_ = 0;
    for (int32_t i = 0; i < x_.steps(); ++i) {
      for (int32_t j = 0; j < y_.steps(); ++j) {
        grids_[i * kSteps + j] = total_;
        total_ += x_.cells()[i] * y_.cells()[j];
      }
    }
  }

  // Boxes in order of their cells, column by column; behind them those that are not Proper(). False where
  // the area of one is too small.
  bool Fill(const int32_t *order, size_t count) {
    reached_.resize(count + kLanes);  // cells, up to here
    std::vector<int32_t> &cells = reached_;
    if (!FindCells(order, count)) return false;
    starts_.assign(total_ + 3, 0);
    for (size_t i = 0; i < count; ++i) ++starts_[cells[i] + 2];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    places_.resize(count);
    for (size_t i = 0; i < count; ++i) places_[starts_[cells[i] + 1]++] = order[i];
    left_ = starts_[total_];
    Sort(static_cast<size_t>(left_));
    return true;
  }

  // Rows of `boxes`, coordinate by coordinate.
  struct Corners {
    V x1, y1, x2, y2;
  };
  Corners Load(VI indices) const {
    const F32 d;
    const VI first = hn::ShiftLeft<2>(indices);
    return {hn::GatherIndex(d, boxes_, first), hn::GatherIndex(d, boxes_ + 1, first),
            hn::GatherIndex(d, boxes_ + 2, first), hn::GatherIndex(d, boxes_ + 3, first)};
  }

  bool FindCells(const int32_t *order, size_t count) {
    const F32 d;
    const I32 integers;
    const V offset = hn::Set(d, offset_), most = hn::Set(d, std::numeric_limits<float>::max());
    auto tiny = hn::MaskFalse(d);
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const Corners box = Load(hn::LoadNOr(hn::Set(integers, order[0]), integers, order + i, count - i));
      const V width = hn::Add(hn::Sub(box.x2, box.x1), offset),
              height = hn::Add(hn::Sub(box.y2, box.y1), offset);
      const V area = hn::Mul(width, height);
      const auto proper =
          hn::And(hn::And(hn::Gt(width, hn::Zero(d)), hn::Gt(area, hn::Zero(d))), hn::Le(area, most));
      tiny = hn::Or(tiny, hn::And(proper, hn::Lt(area, hn::Set(d, kLeastArea))));
      const VI column = x_.Steps(d, width), row = y_.Steps(d, height);
      const VI cell = hn::Add(
          hn::GatherIndex(integers, grids_.data(), hn::Add(hn::Mul(column, hn::Set(integers, kSteps)), row)),
          hn::Add(hn::Mul(x_.Cells(d, hn::Add(box.x1, box.x2), column),
                          hn::GatherIndex(integers, y_.cells().data(), row)),
                  y_.Cells(d, hn::Add(box.y1, box.y2), row)));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(integers, proper), cell, hn::Set(integers, total_)), integers,
                 &reached_[i]);
    }
    return hn::AllFalse(d, tiny);
  }

  // Coordinates of the first boxes of `places_`, and of none up to the end of a vector.
  void Sort(size_t count) {
    const F32 d;
    const I32 integers;
    const size_t size = hwy::RoundUpTo(count + 1, kLanes);
    memory_ = hwy::AllocateAligned<float>(4 * size);
    sorted_ = {&memory_[0], &memory_[size], &memory_[2 * size], &memory_[3 * size]};
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const Corners box = Load(hn::LoadNOr(hn::Set(integers, places_[0]), integers, &places_[i], count - i));
      hn::Store(box.x1, d, sorted_.x1 + i);
      hn::Store(box.y1, d, sorted_.y1 + i);
      hn::Store(box.x2, d, sorted_.x2 + i);
      hn::Store(box.y2, d, sorted_.y2 + i);
    }
    std::fill(sorted_.x1 + count, sorted_.x1 + size, kInfinity);
  }

  // Writes where vectors of boxes start that overlaps with `box` above the threshold are among, and returns
  // how many.
  size_t Reached(const Box &box) {
    const int32_t lanes = static_cast<int32_t>(hn::Lanes(F32()));
    const BoxAxis::Reach x = x_.ReachOf(box.x2 - box.x1 + offset_, box.x1 + box.x2, least_, offset_);
    const BoxAxis::Reach y = y_.ReachOf(box.y2 - box.y1 + offset_, box.y1 + box.y2, least_, offset_);
    int32_t *reached = reached_.data();
    size_t count = 0;
    for (int32_t i = x.low; i <= x.high; ++i) {
      for (int32_t column = x.first[i]; column <= x.last[i]; ++column) {
        cost_ += kRangeCost * (y.high - y.low + 1);
        for (int32_t j = y.low; j <= y.high; ++j) {
          const int32_t *starts = &starts_[grids_[i * kSteps + j] + column * y_.cells()[j]];
          const int32_t begin = starts[y.first[j]], end = starts[y.last[j] + 1], first = begin & -lanes;
          // Most are none, one or two vectors.
          reached[count] = first;
          reached[count + 1] = first + lanes;
          const int32_t vectors = begin < end ? (end - 1 - first) / lanes + 1 : 0;
          for (int32_t k = 2; k < vectors; ++k) reached[count + k] = first + k * lanes;
          count += vectors;
        }
      }
    }
    return count;
  }

  Box SortedAt(int32_t at) const {
    const float x1 = sorted_.x1[at], y1 = sorted_.y1[at], x2 = sorted_.x2[at], y2 = sorted_.y2[at];
    return {x1, y1, x2, y2, BoxArea(x1, y1, x2, y2, offset_)};
  }

  // Lanes that may suppress are collected first, as branches would be mispredicted: 2 x.
  void Visit(const int32_t *starts, size_t many, const Box &box, int32_t index, uint8_t *left) {
    const F32 d;
    const I32 integers;
    int32_t found[(kChunk + 1) * kLanes];
    size_t count = 0;
    for (size_t i = 0; i < many; ++i) {
      const auto inter = Inter(d, sorted_, starts[i], box, offset_);
      const auto may = MayExceed(d, inter, Areas(d, sorted_, starts[i], offset_), box, threshold_);
      count += hn::CompressStore(hn::Iota(integers, starts[i]), hn::RebindMask(integers, may), integers,
                                 found + count);
    }
    int64_t gone = 0;
    for (size_t i = 0; i < count; ++i) {
      const int32_t at = found[i], other = places_[at];
      const bool suppressed = Iou(SortedAt(at), box, offset_) > threshold_;
      sorted_.x1[at] = suppressed ? kInfinity : sorted_.x1[at];
      const uint8_t was_left = suppressed && other != index ? left[other] : 0;
      gone += was_left;
      left[other] ^= was_left;
    }
    left_ -= gone;
  }

  const float *boxes_;
  float offset_, threshold_;
  float least_;  // ratio of sizes
  bool suits_;
  BoxAxis x_, y_;
  std::array<int32_t, kSteps * kSteps> grids_{};  // by steps of x and y: the first cell
  int32_t total_ = 0;                             // cells
  std::vector<int32_t> starts_;                   // of cells: the first box
  std::vector<int32_t> places_;                   // of boxes in order of their cells: the row
  hwy::AlignedFreeUniquePtr<float[]> memory_;
  Sorted sorted_{};
  std::vector<int32_t> reached_;
  int64_t left_ = 0;  // boxes
  int64_t cost_ = 0, plain_cost_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
