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
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/grid/grid_axis-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A rectangle of pixels of an image: rows [row, row + rows), and columns likewise.
struct GridBox {
  int64_t row, column, rows, columns;

  int64_t pixels() const { return rows * columns; }
};

// Neighbour k of a sample is number k / side of its neighbours along y and number k % side of those along x.
template <typename T>
class GridTile {
 public:
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // most_positions: most samples of a tile.
  GridTile(const Tensor &grid, int64_t height, int64_t width, const GridRules &rules, int64_t most_positions)
      : grid_(grid),
        size_{height, width},
        y_(height, rules),
        x_(width, rules),
        side_(NeighboursOf(rules.interpolation)),
        most_(AlignUp<int64_t>(most_positions, kLanes)),
        coordinates_(AllocateAligned<Value>(2 * most_)),
        indices_(AllocateAligned<Index>(2 * side_ * most_)),
        axis_weights_(AllocateAligned<Value>(2 * side_ * most_)),
        weights_(AllocateAligned<Value>(side_ * side_ * most_)) {}

  int64_t side() const { return side_; }  // neighbours along an axis
  int64_t neighbours() const { return side_ * side_; }
  int64_t most() const { return most_; }
  // The place of sample p and neighbour 0 in weights(); neighbour k is k * kLanes further.
  HWY_INLINE int64_t Place(int64_t p) const { return p / kLanes * kLanes * neighbours() + p % kLanes; }
  const Value *weights() const { return weights_.get(); }  // by Place
  // Rows (axis 0) or columns (axis 1) of neighbour k of all samples; -1 is outside the image. And their
  // weights.
  const Index *indices(int axis, int64_t k) const { return &indices_[(axis * side_ + k) * most_]; }
  const Value *axis_weights(int axis, int64_t k) const { return &axis_weights_[(axis * side_ + k) * most_]; }
  const GridBox &box() const { return box_; }  // around all neighbours that lie in the image

  // Goes on to a tile, and finds its neighbours along both axes and their box.
  void Move(const Tile &tile) {
    const D d;
    Read(tile);
    count_ = tile.positions();
    Index *columns = indices_.get() + side_ * most_;
    Value *column_weights = axis_weights_.get() + side_ * most_;
    for (int64_t p = 0; p < count_; p += kLanes) {
      y_.Locate(hn::Load(d, &coordinates_[most_ + p]), &indices_[p], &axis_weights_[p], most_);
      x_.Locate(hn::Load(d, &coordinates_[p]), columns + p, column_weights + p, most_);
    }
    int64_t end;
    Range(indices_.get(), &box_.row, &end);
    box_.rows = end - box_.row;
    Range(columns, &box_.column, &end);
    box_.column = box_.column / kAlign * kAlign;
    end = std::min(AlignUp(end, kAlign), size_[1]);
    box_.columns = end - box_.column;
  }

  // Multiplies the weights along both axes, for weights().
  void Weigh() {
    const D d;
    for (int64_t p = 0; p < count_; p += kLanes) {
      for (int64_t k = 0; k < neighbours(); ++k) {
        const auto row = hn::Load(d, axis_weights(0, k / side_) + p);
        const auto column = hn::Load(d, axis_weights(1, k % side_) + p);
        hn::Store(hn::Mul(row, column), d, &weights_[p * neighbours() + k * kLanes]);
      }
    }
  }

  // Gives row and column of neighbour k of sample p; returns false if it lies outside the image.
  HWY_INLINE bool At(int64_t k, int64_t p, int64_t *row, int64_t *column) const {
    *row = indices_[k / side_ * most_ + p];
    *column = indices_[(side_ + k % side_) * most_ + p];
    return (*row | *column) >= 0;
  }

  // Stores the number of each neighbour's pixel in the box, times `scale`, by Place. A neighbour outside the
  // image gets the number box().pixels().
  void Number(Index scale, Index *numbers) const {
    const I d;
    const auto none = hn::Set(d, static_cast<Index>(box_.pixels()));
    const auto columns = hn::Set(d, static_cast<Index>(box_.columns));
    const auto first = hn::Set(d, static_cast<Index>(box_.row * box_.columns + box_.column));
    for (int64_t k = 0; k < neighbours(); ++k) {
      for (int64_t p = 0; p < count_; p += kLanes) {
        const auto row = hn::Load(d, &indices_[k / side_ * most_ + p]);
        const auto column = hn::Load(d, &indices_[(side_ + k % side_) * most_ + p]);
        const auto number = hn::Sub(hn::MulAdd(row, columns, column), first);
        const auto inside = hn::Ge(hn::Or(row, column), hn::Zero(d));
        hn::Store(hn::Mul(hn::IfThenElse(inside, number, none), hn::Set(d, scale)), d,
                  numbers + p * neighbours() + k * kLanes);
      }
    }
  }

 private:
  static constexpr int64_t kAlign = 16;  // a box begins and ends at multiples of so many columns

  // Reads the coordinates of the tile; the last one is repeated up to a whole vector.
  void Read(const Tile &tile) {
    const D d;
    const Shape &s = grid_.strides;
    const T *from =
        static_cast<const T *>(grid_.data) + tile.image * s[0] + tile.row * s[1] + tile.column * s[2];
    Value *x = coordinates_.get(), *y = x + most_;
    // Rows that follow each other are one row.
    const bool one_run = tile.columns == grid_.shape[2] && s[1] == s[2] * tile.columns;
    const int64_t rows = one_run ? 1 : tile.rows, columns = one_run ? tile.positions() : tile.columns;
    for (int64_t row = 0; row < rows; ++row, from += s[1], x += columns, y += columns) {
      int64_t i = 0;
      if (s[3] == 1 && s[2] == 2) {
        for (; i + kLanes <= columns; i += kLanes) {
          const auto low = LoadFloat(d, from + 2 * i), high = LoadFloat(d, from + 2 * i + kLanes);
          hn::StoreU(hn::ConcatEven(d, high, low), d, x + i);
          hn::StoreU(hn::ConcatOdd(d, high, low), d, y + i);
        }
      }
      for (; i < columns; ++i) {
        x[i] = Widen(from[i * s[2]]);
        y[i] = Widen(from[i * s[2] + s[3]]);
      }
    }
    const int64_t count = tile.positions(), padded = AlignUp(count, kLanes);
    std::fill(x, coordinates_.get() + padded, x[-1]);
    std::fill(y, coordinates_.get() + most_ + padded, y[-1]);
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
  hwy::AlignedFreeUniquePtr<Value[]> coordinates_;  // x, then y
  hwy::AlignedFreeUniquePtr<Index[]> indices_;      // (rows, then columns; neighbour, position)
  hwy::AlignedFreeUniquePtr<Value[]> axis_weights_, weights_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
