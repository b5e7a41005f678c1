// SPDX-License-Identifier: Apache-2.0
// Kept boxes of a non-maximum suppression, found by place. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_KEPT_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_KEPT_BOXES_INL_H_
#undef AVO_OP_CPU_COMMON_KEPT_BOXES_INL_H_
#else
#define AVO_OP_CPU_COMMON_KEPT_BOXES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/iou-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Lists of boxes, in blocks of a vector or more for each coordinate, which all lists take from one pool.
class BoxLists {
 public:
  struct List {
    int32_t block = -1;
    int32_t count = 0;
  };

  void Add(const Box &box, List *list) {
    const int32_t lane = list->count++ % kLanes;
    if (lane == 0) {
      blocks_.emplace_back();
      Block &block = blocks_.back();
      // Behind the last box are some that suppress nothing.
      std::fill_n(block.area, kLanes, std::numeric_limits<float>::quiet_NaN());
      block.next = std::exchange(list->block, static_cast<int32_t>(blocks_.size()) - 1);
    }
    Block &block = blocks_[list->block];
    block.x1[lane] = box.x1;
    block.y1[lane] = box.y1;
    block.x2[lane] = box.x2;
    block.y2[lane] = box.y2;
    block.area[lane] = box.area;
  }

  // Whether the overlap of any in the list with `box` is above `threshold`.
  bool Suppress(const List &list, const Box &box, float offset, float threshold) const {
    const hn::CappedTag<float, kLanes> d;
    const auto most = hn::Set(d, threshold);
    for (int32_t at = list.block; at >= 0; at = blocks_[at].next) {
      const Block &block = blocks_[at];
      for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
        const auto iou = OverUnion(d, Inter(d, block, i, box, offset), block, i, box);
        if (!hn::AllFalse(d, hn::Gt(iou, most))) return true;
      }
    }
    return false;
  }

 private:
  static constexpr int32_t kLanes = 16;
  struct Block {
    float x1[kLanes], y1[kLanes], x2[kLanes], y2[kLanes], area[kLanes];
    int32_t next;
  };

  std::vector<Block> blocks_;
};

// The kept boxes of one class. Where the threshold is not below 0, only boxes that share a cell of the grid
// can suppress each other; in float64, so that no rounding moves a box out of its cells. Whatever the boxes
// are, each is compared with no more than all that are kept, and a kept one is stored kMostCopies times on
// average.
class KeptGrid {
 public:
  // `boxes` are all that will be asked for, in any order; they outlive this.
  KeptGrid(const std::vector<Box> &boxes, float offset, float threshold)
      : boxes_(boxes),
        offset_(offset),
        threshold_(threshold),
        core_(std::min(0.5, static_cast<double>(threshold)) * 0.999) {}

  void Add(const Box &box) {
    lists_.Add(box, &all_);
    if (all_.count <= kFew) first_.push_back(box);
    if (all_.count > kFew) AddToCells(box);
    if (all_.count != kFew || !(threshold_ >= 0) || !MakeCells()) return;
    for (const Box &kept : first_) AddToCells(kept);
  }

  bool Suppress(const Box &box) {
    const auto by = [&](const BoxLists::List &list) {
      return lists_.Suppress(list, box, offset_, threshold_);
    };
    if (cell_lists_.empty()) return by(all_);
    if (!Proper(box)) return false;
    // A box that suppresses this one covers more than the threshold's part of each side, so it reaches into
    // what is left when that part is taken from both ends, or to the middle.
    const Cells cells = CellsOf(box, core_);
    int64_t candidates = wide_.count;
    const bool many = cells.count() > all_.count / kFew || ForCells(cells, [&](const BoxLists::List *list) {
                        return (candidates += list->count) > all_.count / 4 * 3;
                      });
    if (many) return by(all_);
    return by(wide_) || ForCells(cells, [&](const BoxLists::List *list) { return by(*list); });
  }

 private:
  static constexpr int64_t kMostCopies = 16;
  static constexpr int32_t kFew = 64;  // boxes that a grid does not pay for

  // False where a grid would have one cell.
  bool MakeCells() {
    for (size_t axis = 0; axis < 2; ++axis) {
      double low = 0, high = 0, sum = 0;
      int64_t count = 0;
      for (const Box &box : boxes_) {
        if (!Proper(box)) continue;
        const Span span = SpanOf(box, axis);
        low = count == 0 ? span.first : std::min(low, span.first);
        high = count == 0 ? span.last : std::max(high, span.last);
        sum += span.last - span.first;
        ++count;
      }
      if (count == 0) return false;
      // Cells of a mean box, and no more cells than boxes.
      const double most = std::sqrt(static_cast<double>(boxes_.size()));
      low_[axis] = low;
      cells_[axis] = static_cast<int64_t>(std::clamp((high - low) / (sum / count), 1.0, most));
      scale_[axis] = static_cast<double>(cells_[axis]) / (high - low);
    }
    if (cells_[0] * cells_[1] == 1) return false;
    cell_lists_.resize(cells_[0] * cells_[1]);
    return true;
  }

  void AddToCells(const Box &box) {
    if (cell_lists_.empty() || !Proper(box)) return;
    const Cells cells = CellsOf(box, 0);
    if (copies_ + cells.count() > kMostCopies * all_.count) return lists_.Add(box, &wide_);
    copies_ += cells.count();
    ForCells(cells, [&](BoxLists::List *list) {
      lists_.Add(box, list);
      return false;
    });
  }

  struct Span {
    double first, last;
  };
  struct Cells {
    int64_t left, right, top, bottom;
    int64_t count() const { return (right - left + 1) * (bottom - top + 1); }
  };

  Span SpanOf(const Box &box, size_t axis) const {
    return axis == 0 ? Span{box.x1, static_cast<double>(box.x2) + offset_}
                     : Span{box.y1, static_cast<double>(box.y2) + offset_};
  }
  // Others have an overlap of 0 or NaN with any box.
  bool Proper(const Box &box) const {
    const Span x = SpanOf(box, 0), y = SpanOf(box, 1);
    return x.last > x.first && y.last > y.first && std::isfinite(x.last - x.first) &&
           std::isfinite(y.last - y.first);
  }
  int64_t Cell(double place, size_t axis) const {
    const auto cell = static_cast<int64_t>((place - low_[axis]) * scale_[axis]);
    return std::clamp<int64_t>(cell, 0, cells_[axis] - 1);
  }
  // Cells of a box without a part `core` of its sides at each end.
  Cells CellsOf(const Box &box, double core) const {
    const Span x = SpanOf(box, 0), y = SpanOf(box, 1);
    const double width = core * (x.last - x.first), height = core * (y.last - y.first);
    return {Cell(x.first + width, 0), Cell(x.last - width, 0), Cell(y.first + height, 1),
            Cell(y.last - height, 1)};
  }
  // Until `body` of one is true.
  template <typename Body>
  bool ForCells(const Cells &cells, const Body &body) {
    for (int64_t row = cells.top; row <= cells.bottom; ++row) {
      for (int64_t column = cells.left; column <= cells.right; ++column) {
        if (body(&cell_lists_[row * cells_[0] + column])) return true;
      }
    }
    return false;
  }

  const std::vector<Box> &boxes_;
  std::vector<Box> first_;
  float offset_, threshold_;
  double core_;
  double low_[2] = {}, scale_[2] = {};
  int64_t cells_[2] = {};
  BoxLists lists_;
  std::vector<BoxLists::List> cell_lists_;
  BoxLists::List all_, wide_;
  int64_t copies_ = 0;  // of boxes in cells
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
