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
#include <utility>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/iou-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Boxes whose overlap is above a threshold have widths, and heights, whose ratio is above it, and middles
// near each other. So sizes are in octaves, each pair of which, of widths and of heights, has a grid of its
// own for the middles, whose cells are in proportion to the octave. A kept box visits those in reach: of
// 20,000 boxes about objects 150, of which it suppresses 5.
class BoxCells {
 public:
  // Of boxes[place] for each of `places`, Proper() ones, which outlive this. The threshold is not below 0.
  BoxCells(const std::vector<Box> &boxes, const std::vector<int32_t> &places, float offset, float threshold)
      : boxes_(boxes),
        offset_(offset),
        threshold_(threshold),
        // Less than it, since overlaps are rounded.
        least_(std::min(1.0, std::max(0.0, threshold * 0.999 - 1e-6))),
        most_(1 / least_),
        left_(static_cast<int64_t>(places.size())) {
    MakeOctaves(places);
    MakeGrids(places.size());
    Fill(places);
  }

  // Whether a box has an overlap above 0 with any.
  static bool Proper(const Box &box, float offset) {
    return box.area > 0 && std::isfinite(box.area) && box.x2 - box.x1 + offset > 0;
  }

  // Clears `left` at the places of the boxes that `box` suppresses. It is at `place`, and left itself, or not
  // among these boxes.
  void Suppress(const Box &box, int32_t place, uint8_t *left) {
    const size_t count = Reached(box);
    for (size_t i = 0; i < count; i += kChunk) {
      Visit(&reached_[i], std::min(kChunk, count - i), box, place, left);
    }
    cost_ += kBoxCost + kVectorCost * static_cast<int64_t>(count);
    plain_cost_ += left_ / kLanes;
    --left_;
  }

  // Whether this has been faster up to now than to compare each box with all that are left.
  bool pays() const { return cost_ <= plain_cost_ + size() / 4; }

 private:
  static constexpr int32_t kLanes = 16;
  static constexpr int kOctaves = 12;
  static constexpr size_t kChunk = 64;
  // Costs in units of a vector of a plain comparison: of a kept box, a range of cells, a vector in it.
  static constexpr int64_t kBoxCost = 60, kRangeCost = 2, kVectorCost = 2;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using F32 = hn::CappedTag<float, kLanes>;
  using I32 = hn::RebindToSigned<F32>;

  // Middles are doubled: the sum of both ends.
  struct Axis {
    double first = 0, last = 0;  // middle
    int exponent = 0;            // of the first octave, which has all smaller sizes too
    int octaves = 0,
        step = 1;  // of two octaves where the threshold is low: 1.5 x for boxes of 1 to 20 pixels at 0.1
    std::array<double, kOctaves> most{}, scale{};  // the size that ends the octave; cells for a unit
    std::array<int32_t, kOctaves> cells{};

    int Octave(double size) const {
      const auto exponent_of_size = static_cast<int>(BitCast<uint32_t>(static_cast<float>(size)) >> 23);
      return std::clamp((exponent_of_size - exponent) / step, 0, octaves - 1);
    }
    int32_t Cell(double middle, int octave) const {
      return static_cast<int32_t>(std::clamp((middle - first) * scale[octave], 0.0, cells[octave] - 1.0));
    }
  };
  static double Middle(int axis, const Box &box) {
    return axis == 0 ? static_cast<double>(box.x1) + box.x2 : static_cast<double>(box.y1) + box.y2;
  }
  float Size(int axis, const Box &box) const {
    return (axis == 0 ? box.x2 - box.x1 : box.y2 - box.y1) + offset_;
  }

  void MakeOctaves(const std::vector<int32_t> &places) {
    std::array<std::array<uint32_t, 256>, 2> exponents{};
    const Box &one = boxes_[places.front()];
    double first[] = {Middle(0, one), Middle(1, one)}, last[] = {first[0], first[1]};
    for (const int32_t place : places) {
      const Box &box = boxes_[place];
#pragma GCC unroll 2
      for (int i = 0; i < 2; ++i) {
        ++exponents[i][BitCast<uint32_t>(Size(i, box)) >> 23];
        first[i] = std::min(first[i], Middle(i, box));
        last[i] = std::max(last[i], Middle(i, box));
      }
    }
    for (int i = 0; i < 2; ++i) {
      Axis &axis = axes_[i];
      axis.first = first[i];
      axis.last = last[i];
      int most = 255;
      while (exponents[i][most] == 0) --most;
      // A few small boxes do not make all cells small.
      for (size_t few = exponents[i][0]; few < places.size() / 16; few += exponents[i][++axis.exponent])
        continue;
      axis.step = least_ < 0.3 ? 2 : 1;
      axis.exponent = std::max(axis.exponent, most - kOctaves * axis.step + 1);
      axis.octaves = (most - axis.exponent) / axis.step + 1;
      for (int k = 0; k < axis.octaves; ++k)
        axis.most[k] = std::ldexp(1.0, axis.exponent + (k + 1) * axis.step - 127);
    }
  }

  // As many cells as boxes, or a quarter of an octave's largest size wide.
  void MakeGrids(size_t count) {
    const double most = std::max<double>(count, 2 * kOctaves * kOctaves);
    for (double part = 0.25, cells = most + 1; cells > most; part *= 1.25) {
      cells = 1;
      for (Axis &axis : axes_) {
        double sum = 0;
        for (int i = 0; i < axis.octaves; ++i) {
          axis.scale[i] = 1 / (part * (&axis == &axes_[0] ? 1.5 : 1 / 1.5) * axis.most[i]);
          sum += std::floor((axis.last - axis.first) * axis.scale[i]) + 1;
        }
        cells *= sum;
      }
    }
    int32_t total = 0;
    for (Axis &axis : axes_) {
      for (int i = 0; i < axis.octaves; ++i)
        axis.cells[i] = static_cast<int32_t>((axis.last - axis.first) * axis.scale[i]) + 1;
    }
    for (int i = 0; i < axes_[0].octaves; ++i) {
      for (int j = 0; j < axes_[1].octaves; ++j) {
        grids_[i][j] = total;
        total += axes_[0].cells[i] * axes_[1].cells[j];
      }
    }
    starts_.resize(total + 2);
  }

  // Boxes in order of their cells, column by column.
  void Fill(const std::vector<int32_t> &places) {
    const Axis &x = axes_[0], &y = axes_[1];
    std::vector<int32_t> cells(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      const Box &box = boxes_[places[i]];
      const int width = x.Octave(Size(0, box)), height = y.Octave(Size(1, box));
      cells[i] = grids_[width][height] + x.Cell(Middle(0, box), width) * y.cells[height] +
                 y.Cell(Middle(1, box), height);
      ++starts_[cells[i] + 2];
    }
    for (size_t i = 2; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    places_.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) places_[starts_[cells[i] + 1]++] = places[i];
    sorted_ = Boxes(static_cast<int64_t>(places.size()) + kLanes);
    for (int64_t i = 0; i < size(); ++i) sorted_.Set(i, boxes_[places_[i]]);
    // Vectors that reach behind the last box find nothing there.
    std::fill_n(&sorted_.area[size()], kLanes, kInfinity);
    reached_.resize(places.size() + 1);
  }

  int64_t size() const { return static_cast<int64_t>(places_.size()); }

  // Writes where vectors of boxes start that overlaps with `box` above the threshold are among, and returns
  // how many.
  size_t Reached(const Box &box) {
    const Axis &x = axes_[0], &y = axes_[1];
    const double width = Size(0, box), height = Size(1, box), widest = width * most_,
                 highest = height * most_;
    const double middle_x = Middle(0, box), middle_y = Middle(1, box);
    // Of the sum of both sizes, by which middles may differ at most: more, since sizes are rounded.
    const double part = (1 - least_) / (1 + least_) * 1.001, more = offset_ * 1e-5;
    const int low = y.Octave(height * least_), high = y.Octave(highest);
    int32_t top[kOctaves], bottom[kOctaves];
    for (int j = low; j <= high; ++j) {
      const double reach = (std::min(y.most[j], highest) + height) * part + more;
      top[j] = y.Cell(middle_y - reach, j);
      bottom[j] = y.Cell(middle_y + reach, j) + 1;
    }
    const int32_t *cells = starts_.data();
    int32_t *reached = reached_.data();
    size_t count = 0;
    for (int i = x.Octave(width * least_); i <= x.Octave(widest); ++i) {
      const double reach = (std::min(x.most[i], widest) + width) * part + more;
      const int32_t right = x.Cell(middle_x + reach, i);
      for (int32_t column = x.Cell(middle_x - reach, i); column <= right; ++column) {
        cost_ += kRangeCost * (high - low + 1);
        for (int j = low; j <= high; ++j) {
          const int32_t *starts = cells + grids_[i][j] + column * y.cells[j];
          int32_t begin = starts[top[j]];
          const int32_t end = starts[bottom[j]];
          reached[count] = begin;
          count += begin < end ? 1 : 0;  // most are empty or one vector
          while ((begin += static_cast<int32_t>(hn::Lanes(F32()))) < end) reached[count++] = begin;
        }
      }
    }
    return count;
  }

  // Lanes that may suppress are collected first, as branches would be mispredicted: 2 x.
  void Visit(const int32_t *starts, size_t many, const Box &box, int32_t place, uint8_t *left) {
    const F32 d;
    const I32 integers;
    int32_t found[(kChunk + 1) * kLanes];
    size_t count = 0;
    for (size_t i = 0; i < many; ++i) {
      const auto inter = Inter(d, sorted_, starts[i], box, offset_);
      const auto may = MayExceed(d, inter, sorted_, starts[i], box, threshold_);
      count += hn::CompressStore(hn::Iota(integers, starts[i]), hn::RebindMask(integers, may), integers,
                                 found + count);
    }
    const int32_t *places = places_.data();
    float *areas = sorted_.area.data();
    int64_t gone = 0;
    for (size_t i = 0; i < count; ++i) {
      const int32_t at = found[i], other = places[at];
      const bool suppressed = Iou(sorted_[at], box, offset_) > threshold_;
      areas[at] = suppressed ? kInfinity : areas[at];
      const uint8_t was_left = suppressed && other != place ? left[other] : 0;
      gone += was_left;
      left[other] ^= was_left;
    }
    left_ -= gone;
  }

  const std::vector<Box> &boxes_;
  float offset_, threshold_;
  double least_, most_;                     // what is left of the ratio of sizes
  Axis axes_[2];                            // x, y
  int32_t grids_[kOctaves][kOctaves] = {};  // the first cell
  std::vector<int32_t> starts_;             // of cells: the first box
  Boxes sorted_;                            // those that are suppressed have an infinite area
  std::vector<int32_t> places_;             // of these
  std::vector<int32_t> reached_;
  int64_t left_;  // boxes
  int64_t cost_ = 0, plain_cost_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
