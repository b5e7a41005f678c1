// SPDX-License-Identifier: Apache-2.0
// Boxes by descending score, each against the boxes of its class kept before it, until one suppresses it.
// Kept boxes are found by place: a grid whose cells list the boxes that reach into them.
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "common/iou.h"

namespace avo::nms_padded {
namespace {

// Kept boxes in blocks of a few lanes for each coordinate; behind the last one are boxes that suppress
// nothing.
class KeptBoxes {
 public:
  void Add(const Box &box) {
    const int64_t lane = count_++ % kLanes;
    if (lane == 0) {
      blocks_.emplace_back();
      blocks_.back()[4].fill(std::numeric_limits<float>::quiet_NaN());
    }
    Block &block = blocks_.back();
    block[0][lane] = box.x1;
    block[1][lane] = box.y1;
    block[2][lane] = box.x2;
    block[3][lane] = box.y2;
    block[4][lane] = box.area;
  }

  bool Suppress(const Box &box, float offset, float threshold) const {
    for (const Block &block : blocks_) {
      int above = 0;
      for (int64_t i = 0; i < kLanes; ++i) {
        const Box kept{block[0][i], block[1][i], block[2][i], block[3][i], block[4][i]};
        above |= Iou(kept, box, offset) > threshold;
      }
      if (above != 0) return true;
    }
    return false;
  }

 private:
  static constexpr int64_t kLanes = 8;
  using Block = std::array<std::array<float, kLanes>, 5>;

  std::vector<Block> blocks_;
  int64_t count_ = 0;
};

// The kept boxes of one class. Where the threshold is not below 0, only boxes that share a cell of the grid
// can suppress each other; in float64, so that no rounding moves a box out of its cells.
class KeptGrid {
 public:
  KeptGrid(const std::vector<Box> &boxes, float offset, float threshold)
      : offset_(offset), threshold_(threshold), core_(std::min(0.5, static_cast<double>(threshold)) * 0.999) {
    constexpr size_t kFew = 64;  // that a grid does not pay for
    if (!(threshold >= 0) || boxes.size() < kFew) return;
    for (size_t axis = 0; axis < 2; ++axis) {
      double low = 0, high = 0, sum = 0;
      int64_t count = 0;
      for (const Box &box : boxes) {
        if (!Proper(box)) continue;
        const Span span = SpanOf(box, axis);
        low = count == 0 ? span.first : std::min(low, span.first);
        high = count == 0 ? span.last : std::max(high, span.last);
        sum += span.last - span.first;
        ++count;
      }
      if (count == 0) return;
      // Cells of half a mean box, and no more cells than boxes.
      const double most = std::sqrt(static_cast<double>(boxes.size()));
      low_[axis] = low;
      cells_[axis] = static_cast<int64_t>(std::clamp((high - low) / (0.5 * sum / count), 1.0, most));
      scale_[axis] = static_cast<double>(cells_[axis]) / (high - low);
    }
    cell_boxes_.assign(cells_[0] * cells_[1], -1);
  }

  void Add(const Box &box) {
    all_.Add(box);
    if (cell_boxes_.empty() || !Proper(box)) return;
    const Cells cells = CellsOf(box, 0);
    if (cells.count() > kMostCells) return wide_.Add(box);
    ForCells(cells, [&](int32_t &list) {
      if (list < 0) {
        list = static_cast<int32_t>(lists_.size());
        lists_.emplace_back();
      }
      lists_[list].Add(box);
      return false;
    });
  }

  bool Suppress(const Box &box) {
    if (cell_boxes_.empty()) return all_.Suppress(box, offset_, threshold_);
    if (!Proper(box)) return false;
    // A box that suppresses this one covers more than the threshold's part of each side, so it reaches into
    // what is left when that part is taken from both ends, or to the middle.
    const Cells cells = CellsOf(box, core_);
    if (cells.count() > kMostCells) return all_.Suppress(box, offset_, threshold_);
    return wide_.Suppress(box, offset_, threshold_) || ForCells(cells, [&](int32_t list) {
             return list >= 0 && lists_[list].Suppress(box, offset_, threshold_);
           });
  }

 private:
  static constexpr int64_t kMostCells = 64;

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
        if (body(cell_boxes_[row * cells_[0] + column])) return true;
      }
    }
    return false;
  }

  float offset_, threshold_;
  double core_;
  double low_[2] = {}, scale_[2] = {};
  int64_t cells_[2] = {};
  std::vector<int32_t> cell_boxes_;  // list of each cell, -1 for none
  std::vector<KeptBoxes> lists_;
  KeptBoxes all_, wide_;
};

// Ascending where scores descend: NaN first, zeros of both signs equal.
uint32_t Rank(float score) {
  if (std::isnan(score)) return 0;
  const uint32_t bits = BitCast<uint32_t>(score + 0.0f);
  return (bits >> 31) != 0 ? bits : 0x7fffffffu - bits;
}

template <typename T>
T At(const Tensor &tensor, int64_t i) {
  return static_cast<const T *>(tensor.data)[i * tensor.strides[0]];
}

void Store(const Tensor &tensor, int64_t i, int64_t value) {
  if (tensor.dtype == DType::kInt32) {
    static_cast<int32_t *>(tensor.data)[i * tensor.strides[0]] = static_cast<int32_t>(value);
  } else {
    static_cast<int64_t *>(tensor.data)[i * tensor.strides[0]] = value;
  }
}

// Indices of the boxes to visit, in order: keys of rank and index, which all differ.
template <typename T>
std::vector<uint64_t> Order(const Tensor &scores, double score_threshold) {
  const float least = static_cast<float>(score_threshold);
  std::vector<uint64_t> keys;
  keys.reserve(scores.shape[0]);
  for (int64_t i = 0; i < scores.shape[0]; ++i) {
    const float score = ToFloat(At<T>(scores, i));
    if (score_threshold > 0 && !(score > least)) continue;
    keys.push_back(static_cast<uint64_t>(Rank(score)) << 32 | static_cast<uint64_t>(i));
  }
  std::sort(keys.begin(), keys.end());
  for (uint64_t &key : keys) key &= 0xffffffffu;
  return keys;
}

template <typename T>
int64_t Keep(const Args &args, int64_t most, const ParallelFor &parallel_for) {
  const auto offset = static_cast<float>(args.offset);
  const std::vector<uint64_t> order = Order<T>(args.scores, args.score_threshold);
  // Places in the order, class by class.
  std::vector<std::vector<int64_t>> groups(args.idxs ? 0 : 1);
  std::unordered_map<int64_t, size_t> classes;
  for (int64_t place = 0; place < static_cast<int64_t>(order.size()); ++place) {
    size_t group = 0;
    if (args.idxs) {
      group = classes.try_emplace(At<int64_t>(*args.idxs, order[place]), groups.size()).first->second;
      if (group == groups.size()) groups.emplace_back();
    }
    groups[group].push_back(place);
  }
  std::vector<uint8_t> kept(order.size());
  parallel_for(static_cast<int64_t>(groups.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      std::vector<Box> boxes;
      for (const int64_t place : groups[group]) {
        boxes.push_back(LoadBox<T>(args.boxes, static_cast<int64_t>(order[place]), offset));
      }
      KeptGrid grid(boxes, offset, static_cast<float>(args.iou_threshold));
      int64_t count = 0;
      for (size_t i = 0; i < boxes.size() && count < most; ++i) {
        if (grid.Suppress(boxes[i])) continue;
        grid.Add(boxes[i]);
        kept[groups[group][i]] = 1;
        ++count;
      }
    }
  });
  int64_t count = 0;
  for (size_t place = 0; place < order.size() && count < most; ++place) {
    if (kept[place] != 0) Store(args.indices, count++, static_cast<int64_t>(order[place]));
  }
  return count;
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  int64_t most = args.indices.shape[0], count = 0;
  if (args.max_num > 0) most = std::min(most, args.max_num);
  DispatchFloat(args.boxes.dtype,
                [&](auto element) { count = Keep<decltype(element)>(args, most, parallel_for); });
  for (int64_t i = count; i < args.indices.shape[0]; ++i) Store(args.indices, i, -1);
  Store(args.count, 0, count);
}

}  // namespace avo::nms_padded
