// SPDX-License-Identifier: Apache-2.0
// Cells of boxes by size and place. Compiled once for each instruction set.
//
// Two boxes whose overlap is above a threshold have widths, and heights, whose ratio is above it, and middles
// near each other. So each pair of a step of widths and a step of heights (box_axis-inl.h) has a grid of
// cells for the middles of its boxes:
//
//                       narrow (step 0)       wide (step 1)
//   low   (step 0)      grid of 16 x 16       grid of 4 x 16 cells
//   high  (step 1)      grid of 16 x 4        grid of 4 x 4
//
// The cells of all grids have consecutive numbers. In a grid they go column after column, and in a column
// from top to bottom. So the cells of a column that are in reach of a box have consecutive numbers too.
#if defined(AVO_OP_CPU_BOXES_BOX_GRIDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_BOX_GRIDS_INL_H_
#undef AVO_OP_CPU_BOXES_BOX_GRIDS_INL_H_
#else
#define AVO_OP_CPU_BOXES_BOX_GRIDS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/boxes/box_axis-inl.h"
#include "op_cpu/boxes/iou.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns whether a box can have an overlap above 0 with any box.
inline bool IsProper(const Box &box, float offset) {
  return box.area > 0 && std::isfinite(box.area) && box.x2 - box.x1 + offset > 0;
}

// Rows of boxes, a vector for each coordinate.
template <class V>
struct CornerVectors {
  V x1, y1, x2, y2;
};

// Gathers rows of `boxes`, (N, 4).
template <class D, class V = hn::Vec<D>>
HWY_INLINE CornerVectors<V> GatherCorners(D d, const float *boxes, hn::Vec<hn::RebindToSigned<D>> rows) {
  const auto first = hn::ShiftLeft<2>(rows);
  return {hn::GatherIndex(d, boxes, first), hn::GatherIndex(d, boxes + 1, first),
          hn::GatherIndex(d, boxes + 2, first), hn::GatherIndex(d, boxes + 3, first)};
}

class BoxGrids {
 public:
  static constexpr int32_t kLanes = 16;
  static constexpr int kSteps = BoxAxis::kSteps;

  // Makes grids that suit rows order[0], …, order[count - 1] of `boxes`, of which it measures a sample.
  // Returns false where none of these can overlap, or their sizes do not suit.
  bool Make(const float *boxes, const int32_t *order, size_t count, float offset) {
    offset_ = offset;
    std::vector<float> middles[2], sizes[2];
    // Where few boxes of a sample are proper, a larger sample is taken.
    for (size_t step = count / kSample + 1; step != 0 && middles[0].size() < kSample / 8; step /= 8) {
      for (int i = 0; i < 2; ++i) {
        middles[i].clear();
        sizes[i].clear();
      }
      for (size_t i = 0; i < count; i += step) {
        const Box box = BoxAt(boxes, order[i], offset);
        if (!IsProper(box, offset)) continue;
        middles[0].push_back(box.x1 + box.x2);
        middles[1].push_back(box.y1 + box.y2);
        sizes[0].push_back(box.x2 - box.x1 + offset);
        sizes[1].push_back(box.y2 - box.y1 + offset);
      }
    }
    if (middles[0].empty() || !x_.Measure(&middles[0], &sizes[0]) || !y_.Measure(&middles[1], &sizes[1])) {
      return false;
    }
    Divide(count);
    return true;
  }

  // Number of cells of all grids. A box that is not proper has this number for a cell.
  int32_t count() const { return count_; }

  // Returns the first cell of a column of the grid of a step of widths and a step of heights.
  HWY_INLINE int32_t ColumnAt(int32_t width_step, int32_t height_step, int32_t column) const {
    return first_[width_step * kSteps + height_step] + column * y_.cells()[height_step];
  }

  // Cells in reach of a box: columns x.first … x.last of all grids of steps x.low … x.high and y.low …
  // y.high, and in these columns cells y.first … y.last.
  struct Reach {
    BoxAxis::Reach x, y;
  };

  // Returns the cells of all boxes whose overlap with `box` may be at least `least`.
  Reach ReachOf(const Box &box, float least) const {
    return {x_.ReachOf(box.x2 - box.x1 + offset_, box.x1 + box.x2, least, offset_),
            y_.ReachOf(box.y2 - box.y1 + offset_, box.y1 + box.y2, least, offset_)};
  }

  // Writes the cells of rows order[0], …, order[count - 1] of `boxes`, up to kLanes - 1 elements more than
  // count. Returns false where a proper box is too small.
  bool FindCells(const float *boxes, const int32_t *order, size_t count, int32_t *cells) const {
    const F32 d;
    const I32 integers;
    const V offset = hn::Set(d, offset_), most = hn::Set(d, std::numeric_limits<float>::max());
    auto tiny = hn::MaskFalse(d);
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {
      const auto rows = hn::LoadNOr(hn::Set(integers, order[0]), integers, order + i, count - i);
      const CornerVectors<V> box = GatherCorners(d, boxes, rows);
      const V width = hn::Add(hn::Sub(box.x2, box.x1), offset),
              height = hn::Add(hn::Sub(box.y2, box.y1), offset);
      const V area = hn::Mul(width, height);
      const auto proper =
          hn::And(hn::And(hn::Gt(width, hn::Zero(d)), hn::Gt(area, hn::Zero(d))), hn::Le(area, most));
      tiny = hn::Or(tiny, hn::And(proper, hn::Lt(area, hn::Set(d, kLeastArea))));
      const VI x_step = x_.Steps(d, width), y_step = y_.Steps(d, height);
      const VI grid = hn::Add(hn::Mul(x_step, hn::Set(integers, kSteps)), y_step);
      const VI cell = hn::Add(hn::GatherIndex(integers, first_.data(), grid),
                              hn::Add(hn::Mul(x_.Cells(d, hn::Add(box.x1, box.x2), x_step),
                                              hn::GatherIndex(integers, y_.cells().data(), y_step)),
                                      y_.Cells(d, hn::Add(box.y1, box.y2), y_step)));
      hn::StoreU(hn::IfThenElse(hn::RebindMask(integers, proper), cell, hn::Set(integers, count_)), integers,
                 cells + i);
    }
    return hn::AllFalse(d, tiny);
  }

 private:
  static constexpr double kOblong = 3;  // how much wider than high cells are: columns are visited one by one
  static constexpr size_t kSample = 128;
  static constexpr float kLeastArea = 1e-30f;  // overlaps of smaller boxes are rounded to too few digits
  using F32 = hn::CappedTag<float, kLanes>;
  using I32 = hn::RebindToSigned<F32>;
  using V = hn::Vec<F32>;
  using VI = hn::Vec<I32>;

  // Makes cells a quarter of the largest size of their step wide, or wider, so that there are no more cells
  // than boxes.
  void Divide(size_t boxes) {
    const double most = std::max<double>(boxes, 2 * kSteps * kSteps);
    for (double part = 0.25; x_.Divide(part * kOblong) * y_.Divide(part / kOblong) > most; part *= 1.25)
      continue;
    count_ = 0;
    for (int32_t i = 0; i < x_.steps(); ++i) {
      for (int32_t j = 0; j < y_.steps(); ++j) {
        first_[i * kSteps + j] = count_;
        count_ += x_.cells()[i] * y_.cells()[j];
      }
    }
  }

  BoxAxis x_, y_;
  float offset_ = 0;
  std::array<int32_t, kSteps * kSteps> first_{};  // the first cell of a grid, by steps of x and of y
  int32_t count_ = 0;                             // cells of all grids
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
