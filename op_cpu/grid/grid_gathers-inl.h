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

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/grid/grid_planes-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Gathers elements that lie `offsets` bytes behind `base`. `last` is the largest offset that may be read.
template <class D, class VI, typename T>
HWY_INLINE hn::Vec<D> GatherElements(D d, const T *base, VI offsets, [[maybe_unused]] VI last) {
  if constexpr (sizeof(T) == 2) {
    // A gather fetches 32 bits: the element and the next one, or for the last element the one before it.
    const hn::RebindToUnsigned<D> bits;
    const VI at = hn::Min(offsets, hn::Sub(last, hn::Set(hn::DFromV<VI>(), 2)));
    const auto pairs = hn::GatherOffset(bits, reinterpret_cast<const uint32_t *>(base), at);
    const auto shift = hn::BitCast(bits, hn::ShiftLeft<3>(hn::Sub(offsets, at)));
    return WidenBits(d, hn::And(hn::Shr(pairs, shift), hn::Set(bits, 0xffffu)), T{});
  } else {
    return hn::GatherOffset(d, base, offsets);
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
        last_(static_cast<Index>(LastOffset(images) * sizeof(T))),
        offsets_(AllocateAligned<Index>(2 * grid.side() * grid.most())) {}

  // Goes on to a tile. The GridTile must have its neighbours.
  void Move(const Tile &tile) {
    Base::Move(grid_, tile, true);
    const I i;
    for (int axis = 0; axis < 2; ++axis) {
      const auto step = hn::Set(i, static_cast<Index>(images_.strides[2 + axis] * sizeof(T)));
      for (int64_t k = 0; k < grid_.side(); ++k) {
        const Index *from = grid_.indices(axis, k);
        Index *to = offsets_.get() + (axis * grid_.side() + k) * grid_.most();
        for (int64_t p = 0; p < count_; p += kLanes) {
          const auto index = hn::Load(i, from + p);
          const auto inside = hn::Ge(index, hn::Zero(i));
          hn::Store(hn::IfThenElse(inside, hn::Mul(index, step), hn::Set(i, kOutsideBytes)), i, to + p);
        }
      }
    }
  }

  template <int kPlanes>
  HWY_INLINE void Weigh(const T *plane, int64_t stride, int64_t p, V (&values)[kPlanes]) const {
    switch (grid_.side()) {
      case 1:
        return WeighOf<1>(plane, stride, p, values);
      case 2:
        return WeighOf<2>(plane, stride, p, values);
      default:
        return WeighOf<4>(plane, stride, p, values);
    }
  }

 private:
  // The offset of a row or column outside the image: the sum with that of any column or row is below 0.
  static constexpr Index kOutsideBytes = std::numeric_limits<Index>::min() / 2;

  static int64_t LastOffset(const Tensor &images) {
    const Shape &size = images.shape, &s = images.strides;
    return (size[2] - 1) * s[2] + (size[3] - 1) * s[3];
  }

  // Adds the products in the order of GridChannels, so that both give the same bits.
  template <int kSide, int kPlanes>
  HWY_INLINE void WeighOf(const T *plane, int64_t stride, int64_t p, V (&values)[kPlanes]) const {
    const D d;
    const I i;
    const auto last = hn::Set(i, last_);
    for (V &value : values) value = hn::Zero(d);
    for (int y = 0; y < kSide; ++y) {
      const auto row = hn::Load(i, &offsets_[y * grid_.most() + p]);
      const V row_weight = hn::Load(d, grid_.axis_weights(0, y) + p);
      for (int x = 0; x < kSide; ++x) {
        const auto offset = hn::Add(row, hn::Load(i, &offsets_[(kSide + x) * grid_.most() + p]));
        const auto at = hn::Max(offset, hn::Zero(i));
        // A neighbour outside the image is 0, and its weight of NaN makes the sample NaN.
        const auto inside = hn::RebindMask(d, hn::Ge(offset, hn::Zero(i)));
        const V weight = hn::Mul(row_weight, hn::Load(d, grid_.axis_weights(1, x) + p));
#pragma GCC unroll 4
        for (int k = 0; k < kPlanes; ++k) {
          const V value = hn::IfThenElseZero(inside, GatherElements(d, plane + k * stride, at, last));
          values[k] = kSide == 1         ? value
                      : x == 0 && y == 0 ? hn::Mul(value, weight)
                                         : FusedMulAdd(weight, value, values[k]);
        }
      }
    }
  }

  const GridTile<T> &grid_;
  const Index last_;  // bytes from the first pixel of a plane to its last one
  // Bytes to the rows of neighbours, and from the start of a row to their columns, as in GridTile::indices.
  hwy::AlignedFreeUniquePtr<Index[]> offsets_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
