// SPDX-License-Identifier: Apache-2.0
// Samples of planes for all modes and dtypes, with samples as lanes. Each neighbour of a vector of samples
// takes one gather from the image itself, so time goes with the samples and not with the pixels.
#if defined(AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/gather-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/with_constant-inl.h"
#include "op_cpu/grid/grid_planes-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kFewGathers = 4;  // most channels that are faster by gathers than as lanes, for all modes

// Half types are gathered by bytes, others by elements.
template <typename T>
constexpr int64_t kGatherUnit = sizeof(T) == 2 ? sizeof(T) : 1;

// Gathers the elements of lanes of `inside`, which lie `offsets` units behind `base`; others are 0. `last` is
// the largest offset that may be read.
template <class D, class VI, typename T>
HWY_INLINE hn::Vec<D> GatherElements(D d, hn::Mask<D> inside, const T *base, VI offsets,
                                     [[maybe_unused]] VI last) {
  if constexpr (sizeof(T) == 2) {
    // A gather fetches 32 bits: the element and the next one, or for the last element the one before it.
    const hn::RebindToUnsigned<D> bits;
    const hn::DFromV<VI> i;
    const VI from = hn::Max(offsets, hn::Zero(i)), at = hn::Min(from, hn::Sub(last, hn::Set(i, 2)));
    const auto pairs = hn::GatherOffset(bits, reinterpret_cast<const uint32_t *>(base), at);
    const auto shift = hn::BitCast(bits, hn::ShiftLeft<3>(hn::Sub(from, at)));
    const auto wide = WidenBits(d, hn::And(hn::Shr(pairs, shift), hn::Set(bits, 0xffffu)), T{});
    return hn::IfThenElseZero(inside, wide);
  } else {
    return hn::MaskedGatherIndex(inside, d, base, offsets);
  }
}

template <typename T>
class GridGathers : public GridPlanes<T, GridGathers<T>> {
  using Base = GridPlanes<T, GridGathers>;
  using I = typename GridTile<T>::I;
  using Index = typename GridTile<T>::Index;
  using Base::count_, Base::images_, Base::kLanes;
  using typename Base::D;
  using typename Base::V;

 public:
  // Elements from the first pixel of a plane to its last one.
  static int64_t LastOffset(const Tensor &images) {
    const Shape &size = images.shape, &s = images.strides;
    return (size[2] - 1) * s[2] + (size[3] - 1) * s[3];
  }

  // Whether 32 bits hold the offsets of all pixels of a plane, and a plane has the two elements that a gather
  // of half types reads.
  static bool Fit(const Tensor &images) {
    const Shape &size = images.shape, &s = images.strides;
    const int64_t last = LastOffset(images);
    return s[2] >= 0 && s[3] >= 0 && (sizeof(T) > 2 || last > 0) && last < INT32_MAX / 16 &&
           size[2] < INT32_MAX && size[3] < INT32_MAX;
  }

  // stream: whether results go around the caches; `grid` has the neighbours of a tile.
  GridGathers(const Tensor &images, const Tensor &out, bool stream, const GridTile<T> &grid)
      : Base(images, out, stream, grid.most()),
        grid_(grid),
        each_(sizeof(T) > 2 && LoadsElements()),
        last_(static_cast<Index>(LastOffset(images) * kGatherUnit<T>)) {
    // NumberNearest stores up to a vector more.
    memory_.Allocate(KeptArray{&offsets_, 2 * grid.side() * grid.most() + kLanes},
                     KeptArray{&near_, grid.most() + kLanes});
  }

  // Goes on to a tile. The GridTile must have its neighbours, except in mode nearest.
  void Move(const Tile &tile) {
    Base::Move(tile);
    const I i;
    const Shape &s = images_.strides;
    if (grid_.side() == 1) {
      return grid_.NumberNearest(tile, s[2] * kGatherUnit<T>, s[3] * kGatherUnit<T>, kOutsideOffset, offsets_,
                                 each_ ? near_ : nullptr);
    }
    for (int axis = 0; axis < 2; ++axis) {
      const auto step = hn::Set(i, static_cast<Index>(s[2 + axis] * kGatherUnit<T>));
      for (int64_t k = 0; k < grid_.side(); ++k) {
        const Index *from = grid_.indices(axis, k);
        Index *to = offsets_ + (axis * grid_.side() + k) * grid_.most();
        for (int64_t p = 0; p < count_; p += kLanes) {
          const auto index = hn::Load(i, from + p);
          const auto inside = hn::Ge(index, hn::Zero(i));
          hn::Store(hn::IfThenElse(inside, hn::Mul(index, step), hn::Set(i, kOutsideOffset)), i, to + p);
        }
      }
    }
  }

  // Calls body(side) with the number of neighbours along an axis as a type.
  template <class Body>
  void WithSide(const Body &body) const {
    WithConstant<1, 2, 4>(grid_.side(), body);
  }

  // Adds the products in the order of GridPairs; or of bicubic samples the rows of each column first, as
  // GridChannels and GridWindows do. So all give the same bits.
  template <int64_t kSide, int kPlanes>
  HWY_INLINE void Weigh(std::integral_constant<int64_t, kSide>, const T *plane, int64_t stride, int64_t p,
                        V (&values)[kPlanes]) const {
    const D d;
    const I i;
    const auto last = hn::Set(i, last_);
    if constexpr (kSide == 1) {
      const auto at = hn::Load(i, &offsets_[p]);
      const auto inside = hn::RebindMask(d, hn::Ge(at, hn::Zero(i)));
#pragma GCC unroll 4
      for (int k = 0; k < kPlanes; ++k) {
        const T *from = plane + k * stride;
        if constexpr (sizeof(T) > 2) {
          if (each_) {
            values[k] = hn::IfThenElseZero(inside, GatherAt<sizeof(T)>(d, from, &near_[p]));
            continue;
          }
        }
        values[k] = GatherElements(d, inside, from, at, last);
      }
      return;
    }
    constexpr bool kColumnsFirst = kSide == 4;
    V sums[kColumnsFirst ? kSide : 1][kPlanes];
#pragma GCC unroll 4
    for (int y = 0; y < kSide; ++y) {
      const auto row = hn::Load(i, &offsets_[y * grid_.most() + p]);
      const V row_weight = hn::Load(d, grid_.axis_weights(0, y) + p);
#pragma GCC unroll 4
      for (int x = 0; x < kSide; ++x) {
        const auto at = hn::Add(row, hn::Load(i, &offsets_[(kSide + x) * grid_.most() + p]));
        // A neighbour outside the image is 0, and its weight of NaN makes the sample NaN.
        const auto inside = hn::RebindMask(d, hn::Ge(at, hn::Zero(i)));
        const V column_weight = hn::Load(d, grid_.axis_weights(1, x) + p);
        const V weight = kColumnsFirst ? row_weight : hn::Mul(row_weight, column_weight);
        V(&sum)[kPlanes] = sums[kColumnsFirst ? x : 0];
#pragma GCC unroll 4
        for (int k = 0; k < kPlanes; ++k) {
          const V value = GatherElements(d, inside, plane + k * stride, at, last);
          const bool first = y == 0 && (kColumnsFirst || x == 0);
          sum[k] = first ? hn::Mul(weight, value) : FusedMulAdd(weight, value, sum[k]);
        }
      }
    }
#pragma GCC unroll 4
    for (int k = 0; k < kPlanes; ++k) {
      values[k] = sums[0][k];
      if constexpr (kColumnsFirst) {
        values[k] = hn::Mul(hn::Load(d, grid_.axis_weights(1, 0) + p), values[k]);
#pragma GCC unroll 4
        for (int x = 1; x < kSide; ++x) {
          values[k] = FusedMulAdd(hn::Load(d, grid_.axis_weights(1, x) + p), sums[x][k], values[k]);
        }
      }
    }
  }

 private:
  // The offset of a row or column outside the image: the sum with that of any column or row is below 0.
  static constexpr Index kOutsideOffset = std::numeric_limits<Index>::min() / 2;

  const GridTile<T> &grid_;
  const bool each_;   // whether nearest pixels are loaded one by one
  const Index last_;  // units from the first pixel of a plane to its last one
  // Units to the rows of neighbours, and from the start of a row to their columns, as in GridTile::indices.
  // In mode nearest, those to the pixels; and the same with some pixel in place of one outside the image.
  KeptMemory<GridGathers> memory_;
  Index *offsets_, *near_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
