// SPDX-License-Identifier: Apache-2.0
// The neighbours and weights of the samples of a tile, found once for all channels. Samples are lanes.
//
// Along each axis they lie neighbour by neighbour, with `most` samples in each row:
//   indices        y of neighbour 0: s0 s1 s2 … | y of neighbour 1: s0 s1 … | x of neighbour 0: s0 s1 …
// The weights of pairs of neighbours along both axes lie by vectors of samples, so that a sample takes a few
// lines of the cache. With 4 neighbours and vectors of 8 samples:
//   weights        n0: s0…s7 | n1: s0…s7 | n2: s0…s7 | n3: s0…s7 || n0: s8…s15 | …           Place(8) = 32
#if defined(AVO_OP_CPU_GRID_GRID_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_TILE_INL_H_
#undef AVO_OP_CPU_GRID_GRID_TILE_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_TILE_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/grid/grid_axis-inl.h"
#include "op_cpu/grid/kept_memory.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A rectangle of pixels of an image: rows [row, row + rows), and columns likewise.
struct GridBox {
  int64_t row, column, rows, columns;

  int64_t pixels() const { return rows * columns; }
};

// Calls run(args) with a grid whose coordinates (x, y) of neighbouring samples follow each other: that of
// args, or a copy, which costs less than reading single coordinates. Dimensions that follow each other in
// memory are copied as one.
template <typename T, class Args, class Run>
void WithPairs(const Args &args, const ParallelFor &parallel_for, const Run &run) {
  const Shape &strides = args.grid.strides;
  if ((strides[3] == 1 && strides[2] == 2) || args.grid.numel() == 0) return run(args);
  Args copied = args;
  Tensor joined = args.grid;
  for (int64_t d = joined.rank() - 1; d > 0; --d) {
    if (joined.strides[d - 1] != joined.strides[d] * joined.shape[d]) continue;
    joined.shape[d - 1] *= joined.shape[d];
    joined.strides[d - 1] = joined.strides[d];
    joined.shape.erase(joined.shape.begin() + d);
    joined.strides.erase(joined.strides.begin() + d);
  }
  const auto memory = MakeDense<T>(&joined, parallel_for);
  copied.grid.data = memory.get();
  copied.grid.strides = ContiguousStrides(copied.grid.shape);
  run(copied);
}

// Neighbour k of a sample is number k / side of its neighbours along y and number k % side of those along x.
template <typename T>
class GridTile {
 public:
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // most_positions: most samples of a tile; slopes: whether derivatives are found, too.
  GridTile(const Tensor &grid, int64_t height, int64_t width, const GridRules &rules, int64_t most_positions,
           bool slopes = false)
      : grid_(grid),
        size_{height, width},
        y_(height, rules),
        x_(width, rules),
        side_(NeighboursOf(rules.interpolation)),
        most_(AlignUp<int64_t>(most_positions, 64 / sizeof(Value))),  // whole lines of the caches
        has_slopes_(slopes) {
    const int64_t by_axis = 2 * side_ * most_, by_pair = side_ * side_ * most_;
    memory_.Allocate(KeptArray{&coordinates_, 2 * most_}, KeptArray{&indices_, by_axis},
                     KeptArray{&axis_weights_, by_axis}, KeptArray{&weights_, by_pair},
                     KeptArray{&axis_slopes_, slopes ? by_axis : 0},
                     KeptArray{&slopes_[0], slopes ? by_pair : 0},
                     KeptArray{&slopes_[1], slopes ? by_pair : 0});
  }

  int64_t side() const { return side_; }  // neighbours along an axis
  int64_t neighbours() const { return side_ * side_; }
  int64_t most() const { return most_; }
  // The place of sample p and neighbour 0 in weights(); neighbour k is k * kLanes further.
  HWY_INLINE int64_t Place(int64_t p) const { return p / kLanes * kLanes * neighbours() + p % kLanes; }
  const Value *weights() const { return weights_; }  // by Place
  // The derivatives of the weights by the coordinate along an axis (0: y, 1: x), by Place.
  const Value *slopes(int axis) const { return slopes_[axis]; }
  // Rows (axis 0) or columns (axis 1) of neighbour k of all samples; -1 is outside the image. And their
  // weights.
  const Index *indices(int axis, int64_t k) const { return &indices_[(axis * side_ + k) * most_]; }
  const Value *axis_weights(int axis, int64_t k) const { return &axis_weights_[(axis * side_ + k) * most_]; }
  const GridAxisRules<D> &axis(int axis) const { return axis == 0 ? y_ : x_; }
  const GridBox &box() const {
    return box_;
  }  // around all neighbours that lie in the image, once it is found

  // Goes on to a tile, and reads its coordinates; the last one is repeated up to a whole vector.
  void Read(const Tile &tile) {
    const D d;
    const Shape &s = grid_.strides;
    const Runs runs = RunsOf(tile);
    const T *from = runs.from;
    Value *x = coordinates_, *y = x + most_;
    for (int64_t row = 0; row < runs.count; ++row, from += s[1], x += runs.columns, y += runs.columns) {
      int64_t i = 0;
      if (s[3] == 1 && s[2] == 2) {
        for (; i + kLanes <= runs.columns; i += kLanes) {
          const auto low = LoadFloat(d, from + 2 * i), high = LoadFloat(d, from + 2 * i + kLanes);
          hn::StoreU(hn::ConcatEven(d, high, low), d, x + i);
          hn::StoreU(hn::ConcatOdd(d, high, low), d, y + i);
        }
      }
      for (; i < runs.columns; ++i) {
        x[i] = Widen(from[i * s[2]]);
        y[i] = Widen(from[i * s[2] + s[3]]);
      }
    }
    count_ = tile.positions();
    const int64_t padded = AlignUp(count_, kLanes);
    std::fill(x, coordinates_ + padded, x[-1]);
    std::fill(y, coordinates_ + most_ + padded, y[-1]);
  }

  // Goes on to a tile, and finds its neighbours along both axes.
  void Move(const Tile &tile) {
    Read(tile);
    Locate();
  }

  // Finds the neighbours of a tile that was read.
  void Locate() {
    for (int axis = 0; axis < 2; ++axis) {
      // A copy, which the stores of the loop cannot change: its vectors stay in registers.
      const GridAxisRules<D> rules = this->axis(axis);
      for (int64_t p = 0, to = axis * side_ * most_; p < count_; p += kLanes, to += kLanes) {
        const auto coordinate = Coordinate(axis, p);
        rules.Locate(coordinate, &indices_[to], &axis_weights_[to], most_);
        if (has_slopes_) rules.Differentiate(coordinate, &axis_slopes_[to], most_);
      }
    }
  }

  // Does in one pass, for nearest samples, what Read, Locate and Number do: stores the numbers of the pixels;
  // and in `inside` that of some pixel in place of `none`, unless it is nullptr. There may be up to a vector
  // of more numbers behind them. The coordinates (x, y) follow each other.
  void NumberNearest(const Tile &tile, int64_t row_stride, int64_t column_stride, int64_t none,
                     Index *numbers, Index *inside) const {
    const D d;
    const I i;
    const GridAxisRules<D> rows_of = y_, columns_of = x_;
    const auto row_step = hn::Set(i, static_cast<Index>(row_stride)),
               column_step = hn::Set(i, static_cast<Index>(column_stride)),
               outside = hn::Set(i, static_cast<Index>(none));
    const Runs runs = RunsOf(tile);
    const T *from = runs.from;
    for (int64_t row = 0; row < runs.count; ++row, from += grid_.strides[1], numbers += runs.columns) {
      for (int64_t p = 0; p < runs.columns; p += kLanes) {
        const int64_t left = 2 * (runs.columns - p);
        const auto low = LoadUpTo(d, from + 2 * p, left),
                   high = LoadUpTo(d, from + 2 * p + kLanes, left - kLanes);
        hn::Mask<D> in_rows, in_columns;
        const auto of_row = rows_of.Nearest(hn::ConcatOdd(d, high, low), in_rows),
                   of_column = columns_of.Nearest(hn::ConcatEven(d, high, low), in_columns);
        const auto is_inside = hn::RebindMask(i, hn::And(in_rows, in_columns));
        const auto at = hn::Add(hn::Mul(of_row, row_step), hn::Mul(of_column, column_step));
        hn::StoreU(hn::IfThenElse(is_inside, at, outside), i, numbers + p);
        if (inside != nullptr) hn::StoreU(at, i, inside + p);
      }
      if (inside != nullptr) inside += runs.columns;
    }
  }

  // Finds neighbours by GridAxisRules::LocateFirst: indices(axis, 0) has the first ones.
  void LocateFirst() {
    for (int axis = 0; axis < 2; ++axis) {
      const GridAxisRules<D> rules = this->axis(axis);
      for (int64_t p = 0, to = axis * side_ * most_; p < count_; p += kLanes, to += kLanes) {
        rules.LocateFirst(Coordinate(axis, p), &indices_[to], &axis_weights_[to], most_);
      }
    }
  }

  // Finds box().
  void FindBox() {
    int64_t end;
    Range(indices(0, 0), &box_.row, &end);
    box_.rows = end - box_.row;
    Range(indices(1, 0), &box_.column, &end);
    box_.column = box_.column / kAlign * kAlign;
    end = std::min(AlignUp(end, kAlign), size_[1]);
    box_.columns = end - box_.column;
  }

  // Multiplies the weights along both axes, for weights(); and each with the derivatives, for slopes().
  void Weigh() {
    Multiply(axis_weights(0, 0), axis_weights(1, 0), weights_);
    if (!has_slopes_) return;
    Multiply(axis_slopes_, axis_weights(1, 0), slopes_[0]);
    Multiply(axis_weights(0, 0), &axis_slopes_[side_ * most_], slopes_[1]);
  }

  // Gives row and column of neighbour k of sample p; returns false if it lies outside the image.
  HWY_INLINE bool At(int64_t k, int64_t p, int64_t *row, int64_t *column) const {
    *row = indices_[k / side_ * most_ + p];
    *column = indices_[(side_ + k % side_) * most_ + p];
    return (*row | *column) >= 0;
  }

  // Stores a number of each neighbour, by Place: row * of_row + column * of_column - first; or `none` outside
  // the image. With kClamped, the first row or column stands for one outside, and there is no `none`.
  template <bool kClamped = false>
  void Number(int64_t of_row, int64_t of_column, int64_t first, int64_t none, Index *numbers) const {
    const I d;
    const auto set = [d](int64_t value) HWY_ATTR { return hn::Set(d, static_cast<Index>(value)); };
    for (int64_t p = 0; p < count_; p += kLanes) {
      Index *to = numbers + p * neighbours();
      for (int64_t j = 0; j < side_; ++j) {
        auto row = hn::Load(d, indices(0, j) + p);
        if (kClamped) row = hn::Max(row, hn::Zero(d));
        const auto begin = hn::Sub(hn::Mul(row, set(of_row)), set(first));
        for (int64_t k = 0; k < side_; ++k, to += kLanes) {
          auto column = hn::Load(d, indices(1, k) + p);
          if (kClamped) column = hn::Max(column, hn::Zero(d));
          const auto inside = hn::Ge(hn::Or(row, column), hn::Zero(d));
          const auto number = hn::Add(begin, hn::Mul(column, set(of_column)));
          hn::Store(kClamped ? number : hn::IfThenElse(inside, number, set(none)), d, to);
        }
      }
    }
  }

 private:
  static constexpr int64_t kAlign = 16;  // a box begins and ends at multiples of so many columns

  // The rows of coordinates of a tile: their number, their samples, and where the first one begins. Rows that
  // follow each other are one row.
  struct Runs {
    int64_t count, columns;
    const T *from;
  };
  Runs RunsOf(const Tile &tile) const {
    const Shape &s = grid_.strides;
    const bool one = tile.columns == grid_.shape[2] && s[1] == s[2] * tile.columns;
    return {one ? 1 : tile.rows, one ? tile.positions() : tile.columns,
            static_cast<const T *>(grid_.data) + tile.image * s[0] + tile.row * s[1] + tile.column * s[2]};
  }

  hn::Vec<D> Coordinate(int axis, int64_t p) const {
    return hn::Load(D(), &coordinates_[(1 - axis) * most_ + p]);
  }

  // Multiplies values along both axes, of each pair of neighbours, and stores the products by Place.
  void Multiply(const Value *of_rows, const Value *of_columns, Value *products) const {
    const D d;
    for (int64_t p = 0; p < count_; p += kLanes) {
      for (int64_t j = 0; j < side_; ++j) {
        const auto row = hn::Load(d, of_rows + j * most_ + p);
        for (int64_t k = 0; k < side_; ++k, products += kLanes) {
          hn::Store(hn::Mul(row, hn::Load(d, of_columns + k * most_ + p)), d, products);
        }
      }
    }
  }

  // Finds the smallest index that is inside the image, and one past the largest; 0 and 0 if none is.
  void Range(const Index *indices, int64_t *begin, int64_t *end) const {
    const I d;
    auto low = hn::Set(d, std::numeric_limits<Index>::max()), high = hn::Set(d, -1);
    for (int64_t k = 0; k < side_; ++k) {
      for (int64_t p = 0; p < count_; p += kLanes) {
        const auto index = hn::Load(d, indices + k * most_ + p);
        low = hn::Min(low, hn::IfThenElse(hn::Lt(index, hn::Zero(d)), low, index));
        high = hn::Max(high, index);
      }
    }
    *end = hn::ReduceMax(d, high) + 1;
    *begin = *end == 0 ? 0 : hn::ReduceMin(d, low);
  }

  const Tensor &grid_;
  const int64_t size_[2];
  const GridAxisRules<D> y_, x_;
  const int64_t side_, most_;
  int64_t count_ = 0;
  GridBox box_{};
  const bool has_slopes_;
  KeptMemory<GridTile> memory_;
  Value *coordinates_;                    // x, then y
  Index *indices_;                        // (rows, then columns; neighbour, position)
  Value *axis_weights_, *axis_slopes_{};  // likewise
  Value *weights_, *slopes_[2]{};         // by Place
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
