// SPDX-License-Identifier: Apache-2.0
// Suppression by cells: a kept box is compared only with the boxes in cells near it. Compiled once for each
// instruction set.
//
// Boxes lie in memory in the order of their cells (box_grids-inl.h), coordinate by coordinate. A kept box
// visits ranges of cells, vector by vector:
//
//   cells     |    0    |  1  |      2      |  3  | …                       starts_: where each cell begins
//   boxes     | a  b  c | d e | f  g  h  i  | j k | …
//   vectors   [ a  b  c   d ][ e  f  g  h ][ i  j k  …                      with 4 lanes, for example
//
// Here a kept box that has cells 1 and 2 in reach is compared with all three vectors.
//
// Of 20,000 boxes about objects, a kept box visits 120, of which it suppresses 5.
#if defined(AVO_OP_CPU_BOXES_BOX_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_BOX_CELLS_INL_H_
#undef AVO_OP_CPU_BOXES_BOX_CELLS_INL_H_
#else
#define AVO_OP_CPU_BOXES_BOX_CELLS_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/boxes/box_grids-inl.h"
#include "op_cpu/boxes/iou-inl.h"
#include "op_cpu/common/memory/aligned.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class BoxCells {
 public:
  // Sorts rows order[0], …, order[count - 1] of `boxes` into cells. `boxes` must live as long as this. The
  // threshold must not be below 0.
  BoxCells(const float *boxes, const int32_t *order, size_t count, float offset, float threshold)
      : boxes_(boxes),
        offset_(offset),
        threshold_(threshold),
        least_(static_cast<float>(std::min(1.0, std::max(0.0, threshold * 0.999 - 1e-6)))) {
    suits_ = count < kMostBoxes && grids_.Make(boxes, order, count, offset) && Fill(order, count);
  }

  // Clears `alive` at the rows of the boxes that a kept box suppresses. The box is row `row`, which is alive
  // itself; or it is not among the boxes in cells, and `row` is -1.
  void Suppress(const Box &box, int32_t row, uint8_t *alive) {
    if (!IsProper(box, offset_)) return;
    const size_t count = CollectVectors(box);
    for (size_t i = 0; i < count; i += kChunk) {
      SuppressIn(&vectors_[i], std::min(kChunk, count - i), box, row, alive);
    }
    cost_ += kBoxCost + kVectorCost * static_cast<int64_t>(count);
    plain_cost_ += alive_count_ / kLanes;
    --alive_count_;
  }

  // Returns whether cells suit the boxes, and have been faster up to now than to compare each kept box with
  // all boxes that are alive.
  bool pays() const { return suits_ && cost_ <= plain_cost_ + static_cast<int64_t>(rows_.size()) / 4; }

 private:
  static constexpr int32_t kLanes = BoxGrids::kLanes;
  static constexpr size_t kChunk = 64;  // vectors that are compared at a time
  static constexpr size_t kMostBoxes = size_t{1} << 28;
  // Costs of a kept box, of a range of cells and of a vector in it. The unit is a vector of a plain
  // comparison.
  static constexpr int64_t kBoxCost = 60, kRangeCost = 2, kVectorCost = 2;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using F32 = hn::CappedTag<float, kLanes>;
  using I32 = hn::RebindToSigned<F32>;

  // Arrays of coordinates, in the order of cells. A box that is suppressed gets x1 = infinity: it overlaps
  // with nothing from then on.
  struct Corners {
    float *x1, *y1, *x2, *y2;
  };

  // Sorts boxes by their cells, and puts those that are not proper behind the others. Returns false where a
  // box is too small for cells.
  bool Fill(const int32_t *order, size_t count) {
    vectors_.resize(count + kLanes);  // holds the cell of each box first
    std::vector<int32_t> &cells = vectors_;
    if (!grids_.FindCells(boxes_, order, count, cells.data())) return false;
    // Counts the boxes of each cell two places behind it. The sums are then the starts of cells, one place
    // behind; counting them up while boxes are placed leaves each start at its own place.
    starts_.assign(grids_.count() + 3, 0);
    for (size_t i = 0; i < count; ++i) ++starts_[cells[i] + 2];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    rows_.resize(count);
    for (size_t i = 0; i < count; ++i) rows_[starts_[cells[i] + 1]++] = order[i];
    alive_count_ = starts_[grids_.count()];
    LoadCorners(static_cast<size_t>(alive_count_));
    return true;
  }

  // Copies the corners of the first `count` boxes in the order of cells, and fills the last vector with boxes
  // that overlap with nothing.
  void LoadCorners(size_t count) {
    const F32 d;
    const I32 integers;
    const size_t size = hwy::RoundUpTo(count + 1, kLanes);
    memory_ = AllocateAligned<float>(4 * size);
    corners_ = {&memory_[0], &memory_[size], &memory_[2 * size], &memory_[3 * size]};
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto rows = hn::LoadNOr(hn::Set(integers, rows_[0]), integers, &rows_[i], count - i);
      const auto box = GatherCorners(d, boxes_, rows);
      hn::Store(box.x1, d, corners_.x1 + i);
      hn::Store(box.y1, d, corners_.y1 + i);
      hn::Store(box.x2, d, corners_.x2 + i);
      hn::Store(box.y2, d, corners_.y2 + i);
    }
    std::fill(corners_.x1 + count, corners_.x1 + size, kInfinity);
  }

  // Collects the vectors that hold all boxes whose overlap with `box` may be above the threshold: writes
  // where each starts to `vectors_`, and returns their number.
  size_t CollectVectors(const Box &box) {
    const int32_t lanes = static_cast<int32_t>(hn::Lanes(F32()));
    const auto [x, y] = grids_.ReachOf(box, least_);
    int32_t *vectors = vectors_.data();
    size_t count = 0;
    for (int32_t i = x.low; i <= x.high; ++i) {
      for (int32_t column = x.first[i]; column <= x.last[i]; ++column) {
        cost_ += kRangeCost * (y.high - y.low + 1);
        for (int32_t j = y.low; j <= y.high; ++j) {
          const int32_t *starts = &starts_[grids_.ColumnAt(i, j, column)];
          const int32_t begin = starts[y.first[j]], end = starts[y.last[j] + 1], first = begin & -lanes;
          // Most ranges have no vector, one or two: these are written without a branch.
          vectors[count] = first;
          vectors[count + 1] = first + lanes;
          const int32_t covered = begin < end ? (end - 1 - first) / lanes + 1 : 0;
          for (int32_t k = 2; k < covered; ++k) vectors[count + k] = first + k * lanes;
          count += covered;
        }
      }
    }
    return count;
  }

  Box BoxIn(int32_t place) const {
    const float x1 = corners_.x1[place], y1 = corners_.y1[place];
    const float x2 = corners_.x2[place], y2 = corners_.y2[place];
    return {x1, y1, x2, y2, BoxArea(x1, y1, x2, y2, offset_)};
  }

  // Suppresses boxes in `count` vectors, at most kChunk, that start at starts[0], starts[1], …. Collects the
  // places of all that may be suppressed first, without branches: they would be mispredicted, which takes
  // twice as long.
  void SuppressIn(const int32_t *starts, size_t count, const Box &box, int32_t row, uint8_t *alive) {
    const F32 d;
    const I32 integers;
    int32_t candidates[(kChunk + 1) * kLanes];
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
      const auto inter = Inter(d, corners_, starts[i], box, offset_);
      const auto may = MayExceed(d, inter, Areas(d, corners_, starts[i], offset_), box, threshold_);
      found += hn::CompressStore(hn::Iota(integers, starts[i]), hn::RebindMask(integers, may), integers,
                                 candidates + found);
    }
    int64_t suppressed_count = 0;
    for (size_t i = 0; i < found; ++i) {
      const int32_t place = candidates[i], other = rows_[place];
      const bool suppressed = Iou(BoxIn(place), box, offset_) > threshold_;
      corners_.x1[place] = suppressed ? kInfinity : corners_.x1[place];
      const uint8_t was_alive = suppressed && other != row ? alive[other] : 0;
      suppressed_count += was_alive;
      alive[other] ^= was_alive;
    }
    alive_count_ -= suppressed_count;
  }

  const float *boxes_;
  float offset_, threshold_;
  float least_;  // ratio of sizes in reach, a little less than the threshold, since overlaps are rounded
  bool suits_;
  BoxGrids grids_;
  std::vector<int32_t> starts_;  // by cell: the place of its first box
  std::vector<int32_t> rows_;    // by place: the row of the box
  hwy::AlignedFreeUniquePtr<float[]> memory_;
  Corners corners_{};             // by place
  std::vector<int32_t> vectors_;  // the places where vectors in reach of a kept box start
  int64_t alive_count_ = 0;       // boxes in cells that are alive
  int64_t cost_ = 0;              // of all kept boxes up to now
  int64_t plain_cost_ = 0;        // of a comparison of these with all boxes alive
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
