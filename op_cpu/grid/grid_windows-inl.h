// SPDX-License-Identifier: Apache-2.0
// Bicubic samples of planes from a copy with a margin, in which padding has moved the pixels. The neighbours
// of a sample are a square of 4 x 4 pixels of the copy, wherever it lies: four vectors, one for each row.
//
//   padding border    a a a | a b c d | d d d        a sample left of a: neighbours a a a b
#if defined(AVO_OP_CPU_GRID_GRID_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_WINDOWS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_WINDOWS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_WINDOWS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/grid/grid_planes-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"
#include "op_cpu/grid/kept_memory.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
class GridWindows : public GridPlanes<T, GridWindows<T>, Compute<T>> {
  using Base = GridPlanes<T, GridWindows, Compute<T>>;
  using I = typename GridTile<T>::I;
  using Index = typename GridTile<T>::Index;
  using Base::count_, Base::kLanes;
  using typename Base::D;
  using typename Base::V;
  using typename Base::Value;
  static constexpr int64_t kSide = 4;
  static constexpr int64_t kAlign = 8;             // copies begin and end at multiples of so many pixels
  static constexpr int64_t kMostPixels = 1 << 15;  // of a copy, so that it stays in L2

 public:
  // stream: whether results go around the caches; grid: has read the coordinates of a tile before Move.
  GridWindows(const Tensor &images, const Tensor &out, bool stream, GridTile<T> &grid)
      : Base(copy_, out, stream, grid.most()),
        original_(images),
        grid_(grid),
        samples_(out.shape[2] * out.shape[3]),
        copy_{images.dtype, images.shape, images.strides, nullptr} {
    memory_.Allocate(KeptArray{&offsets_, grid.most()});
  }

  // Goes on to a tile, and copies what its samples read, unless the last copy has it. Returns false where
  // that is not worth its time. The pixels that are copied of an image must not be more than its samples, and
  // after one failure none is tried.
  bool Move(const Tile &tile) {
    if (tile.image != image_) {
      image_ = tile.image;
      copied_ = 0;
      box_ = {};
    }
    if (copied_ > samples_) return false;
    Base::Move(tile);
    grid_.LocateFirst();
    const GridBox box = FindBox();
    const bool has = box.row >= box_.row && box.column >= box_.column &&
                     box.row + box.rows <= box_.row + box_.rows &&
                     box.column + box.columns <= box_.column + box_.columns;
    if (!has) {
      copied_ = box.pixels() > kMostPixels ? samples_ + 1 : copied_ + box.pixels();
      if (copied_ > samples_) return false;
      Copy(box);
    }
    const I i;
    const auto pitch = hn::Set(i, static_cast<Index>(box_.columns));
    const auto first = hn::Set(i, static_cast<Index>(box_.row * box_.columns + box_.column));
    for (int64_t p = 0; p < count_; p += kLanes) {
      const auto row = hn::Load(i, grid_.indices(0, 0) + p), column = hn::Load(i, grid_.indices(1, 0) + p);
      hn::Store(hn::Sub(hn::Add(hn::Mul(row, pitch), column), first), i, &offsets_[p]);
    }
    return true;
  }

  template <class Body>
  void WithSide(const Body &body) const {
    body(std::integral_constant<int64_t, kSide>());
  }

  // Sums the rows of each column, weighted, sample by sample; and then the columns, with samples as lanes.
  template <int kPlanes>
  HWY_INLINE void Weigh(std::integral_constant<int64_t, kSide>, const Value *plane, int64_t stride, int64_t p,
                        V (&values)[kPlanes]) const {
    const D d;
    const hn::CappedTag<Value, kSide> four;
    const int64_t pitch = box_.columns, most = grid_.most();
    const Value *weights = grid_.axis_weights(0, 0) + p;
    HWY_ALIGN Value sums[kPlanes][kSide * kLanes];
    for (int64_t s = 0; s < kLanes; ++s, ++weights) {
      const Value *from = plane + offsets_[p + s];
      for (int64_t x = 0; x < kSide; x += hn::MaxLanes(four)) {
#pragma GCC unroll 4
        for (int k = 0; k < kPlanes; ++k) {
          const Value *at = from + k * stride + x;
          auto sum = hn::Mul(hn::Set(four, weights[0]), hn::LoadU(four, at));
#pragma GCC unroll 4
          for (int y = 1; y < kSide; ++y) {
            sum = FusedMulAdd(hn::Set(four, weights[y * most]), hn::LoadU(four, at + y * pitch), sum);
          }
          hn::StoreU(sum, four, &sums[k][s * kSide + x]);
        }
      }
    }
    const auto weight = [&](int64_t x) HWY_ATTR { return hn::Load(d, grid_.axis_weights(1, x) + p); };
#pragma GCC unroll 4
    for (int k = 0; k < kPlanes; ++k) {
      V a, b, c, e;
      hn::LoadInterleaved4(d, sums[k], a, b, c, e);
      values[k] = FusedMulAdd(weight(1), b, hn::Mul(weight(0), a));
      values[k] = FusedMulAdd(weight(3), e, FusedMulAdd(weight(2), c, values[k]));
    }
  }

 private:
  // The pixels that the samples of the tile read, as padding has not moved them.
  GridBox FindBox() const {
    const I i;
    int64_t begin[2], end[2];
    for (int axis = 0; axis < 2; ++axis) {
      const Index *first = grid_.indices(axis, 0);
      auto low = hn::Load(i, first), high = low;
      for (int64_t p = kLanes; p < count_; p += kLanes) {
        low = hn::Min(low, hn::Load(i, first + p));
        high = hn::Max(high, hn::Load(i, first + p));
      }
      begin[axis] = hn::ReduceMin(i, low) & -kAlign;
      end[axis] = (hn::ReduceMax(i, high) + kSide + kAlign - 1) & -kAlign;
    }
    return {begin[0], begin[1], end[0] - begin[0], end[1] - begin[1]};
  }

  void Copy(const GridBox &box) {
    const Shape &s = original_.strides;
    const int64_t channels = original_.shape[1];
    box_ = box;
    copy_.strides = {0, box.pixels(), box.columns, 1};
    Value *to = nullptr;
    Index *columns = nullptr;
    copy_memory_.Allocate(KeptArray{&to, channels * box.pixels()}, KeptArray{&columns, box.columns});
    copy_.data = to;
    for (int64_t x = 0; x < box.columns; ++x) columns[x] = grid_.axis(1).Neighbour(box.column + x);
    // Columns that lie in the image and are neighbours in memory; the others are copied one by one.
    const int64_t begin = std::clamp<int64_t>(-box.column, 0, box.columns);
    const int64_t end = s[3] == 1 ? std::clamp(original_.shape[3] - box.column, begin, box.columns) : begin;
    for (int64_t c = 0; c < channels; ++c) {
      const T *plane = static_cast<const T *>(original_.data) + image_ * s[0] + c * s[1];
      for (int64_t y = 0; y < box.rows; ++y, to += box.columns) {
        const int64_t row = grid_.axis(0).Neighbour(box.row + y);
        const T *line = plane + row * s[2];
        const auto copy = [&](int64_t x) {
          to[x] = columns[x] < 0 ? Value{} : Widen(line[columns[x] * s[3]]);
        };
        if (row < 0) {
          std::fill_n(to, box.columns, Value{});
          continue;
        }
        for (int64_t x = 0; x < begin; ++x) copy(x);
        ConvertLine(line + box.column + begin, end - begin, to + begin);
        for (int64_t x = end; x < box.columns; ++x) copy(x);
      }
    }
  }

  const Tensor &original_;
  GridTile<T> &grid_;
  const int64_t samples_;  // of an image
  Tensor copy_;            // of all channels of what box_ has of an image
  GridBox box_{};
  int64_t image_ = -1, copied_ = 0;  // pixels that were copied of the image
  KeptMemory<GridWindows[]> copy_memory_;
  KeptMemory<GridWindows> memory_;
  // Of each sample of the tile, from the first pixel of the copy to its first neighbour.
  Index *offsets_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
