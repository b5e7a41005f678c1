// SPDX-License-Identifier: Apache-2.0
// Bilinear samples of planes, with samples as lanes. Two neighbours of a sample in the same row lie side by
// side in memory: one gather of elements of twice the size fetches both. So a sample takes two gathers, one
// for each row:
//
//   row y0      . . [a b] . .        sample = w0 a + w1 b + w2 c + w3 d
//   row y1      . . [c d] . .
#if defined(AVO_OP_CPU_GRID_GRID_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_PAIRS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_PAIRS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_PAIRS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/gather-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/grid/grid_planes-inl.h"
#include "op_cpu/grid/grid_rows-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Gathers pairs of elements, which begin `offsets` bytes behind `base`: a vector of their first elements, and
// one of their second elements.
template <class D>
HWY_INLINE void GatherPairs(D d, const float *base, const uint32_t *offsets, hn::Vec<D> *first,
                            hn::Vec<D> *second) {
  // Pairs of even lanes and of odd lanes, as 64 bits each.
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> pairs;
  auto even_lanes = hn::Undefined(pairs), odd_lanes = even_lanes;
  if (LoadsElements()) {
    even_lanes = LoadEach(pairs, base, [&](int64_t lane) { return offsets[2 * lane]; });
    odd_lanes = LoadEach(pairs, base, [&](int64_t lane) { return offsets[2 * lane + 1]; });
  } else {
    const hn::RebindToSigned<decltype(pairs)> wide;
    const auto both = hn::BitCast(pairs, hn::Load(hn::RebindToUnsigned<D>(), offsets));
    const auto even_offsets = hn::BitCast(wide, hn::And(both, hn::Set(pairs, 0xffffffffu)));
    const auto odd_offsets = hn::BitCast(wide, hn::ShiftRight<32>(both));
    const auto *from = reinterpret_cast<const uint64_t *>(base);
    even_lanes = hn::GatherOffset(pairs, from, even_offsets);
    odd_lanes = hn::GatherOffset(pairs, from, odd_offsets);
  }
  *first = hn::InterleaveEven(d, hn::BitCast(d, even_lanes), hn::BitCast(d, odd_lanes));
  *second = hn::InterleaveOdd(d, hn::BitCast(d, even_lanes), hn::BitCast(d, odd_lanes));
}
template <class D>
HWY_INLINE void GatherPairs(D d, const double *base, const uint64_t *offsets, hn::Vec<D> *first,
                            hn::Vec<D> *second) {
  LoadNeighbours(d, base, [&](int64_t lane) { return offsets[lane] / sizeof(*base); }, first, second);
}
template <class D, typename T>
HWY_INLINE void GatherPairs(D d, const T *base, const uint32_t *offsets, hn::Vec<D> *first,
                            hn::Vec<D> *second) {
  const hn::RebindToUnsigned<D> bits;
  const auto pairs =
      GatherAt<1>(bits, reinterpret_cast<const uint32_t *>(base), reinterpret_cast<const int32_t *>(offsets));
  *first = WidenBits(d, hn::And(pairs, hn::Set(bits, 0xffffu)), T{});
  *second = WidenBits(d, hn::ShiftRight<16>(pairs), T{});
}

template <typename T>
class GridPairs : public GridPlanes<T, GridPairs<T>> {
  using Base = GridPlanes<T, GridPairs>;
  using U = hn::RebindToUnsigned<ComputeTag<T>>;
  using Offset = hn::TFromD<U>;
  using Pair = GridPair<ComputeTag<T>>;
  using Base::count_, Base::images_, Base::kLanes;
  using typename Base::D;
  using typename Base::V;
  using typename Base::Value;
  static constexpr int64_t kPlanesByRows = 4;  // from which on rows save more time than it takes to find them

 public:
  // Whether images of these sizes and strides have pairs, and 32 bits hold the offsets of all of them.
  static bool Fit(const Tensor &images) {
    const Shape &size = images.shape, &s = images.strides;
    return s[3] == 1 && size[3] > 1 && s[2] >= 0 && (size[2] - 1) * s[2] + size[3] < INT32_MAX / 4;
  }

  // stream: whether results go around the caches; most: most samples of a tile.
  GridPairs(const Tensor &images, const Tensor &out, bool stream, int64_t most)
      : Base(images, out, stream, most), by_rows_(GridRows<T>::kWorth && images.shape[1] >= kPlanesByRows) {
    const int64_t vectors = most / kLanes + 1, samples = vectors * kLanes;
    memory_.Allocate(KeptArray{&offsets_, samples}, KeptArray{&weights_, 4 * samples},
                     KeptArray{&rows_, vectors});
  }

  // Goes on to a tile. `grid` must have its neighbours.
  void Move(const GridTile<T> &grid, const Tile &tile) {
    const D d;
    const U u;
    count_ = tile.positions();
    int64_t by_rows = 0;
    const int64_t row_bytes = images_.strides[2] * sizeof(T);
    step_ = images_.strides[2];
    for (int64_t p = 0; p < count_; p += kLanes) {
      const Pair y = PairOf(grid, 0, p), x = PairOf(grid, 1, p);
      const auto offset = hn::MulAdd(hn::BitCast(u, y.index), hn::Set(u, static_cast<Offset>(row_bytes)),
                                     hn::Mul(hn::BitCast(u, x.index), hn::Set(u, sizeof(T))));
      hn::Store(offset, u, &offsets_[p]);
      auto all = hn::FirstN(d, kLanes);
      for (int k = 0; k < 4; ++k) {
        const V product = hn::Mul(y.weight[k / 2], x.weight[k % 2]);
        const auto counts = hn::And(y.counts[k / 2], x.counts[k % 2]);
        all = hn::And(all, counts);
        // A weight of NaN stays, so that the sample becomes NaN.
        const V kept = hn::IfThenElse(hn::Or(counts, hn::IsNaN(product)), product, hn::Set(d, kExcluded));
        hn::Store(kept, d, &weights_[4 * p + k * kLanes]);
      }
      rows_[p / kLanes] = {};
      if constexpr (GridRows<T>::kWorth) {
        if (by_rows_ && hn::AllTrue(d, all) && p + kLanes <= count_) {
          rows_[p / kLanes] = GridRows<T>::Find(y, x, images_, &offsets_[p]);
        }
      }
      by_rows += rows_[p / kLanes].count != 0;
    }
    // With many planes and tiles of a whole image, two planes of random samples at a time stay in L1, and the
    // next ones come to L2 meanwhile: 1.1 x as fast at AVX-512.
    Base::Move(tile, this->ManyPlanes() && 2 * by_rows * kLanes <= count_ ? 2 : 4);
  }

  // Calls body(side) with the number of neighbours along an axis as a type.
  template <class Body>
  void WithSide(const Body &body) const {
    body(std::integral_constant<int64_t, 2>());
  }

  template <int kPlanes>
  HWY_INLINE void Weigh(std::integral_constant<int64_t, 2>, const T *plane, int64_t stride, int64_t p,
                        V (&values)[kPlanes]) const {
    if constexpr (GridRows<T>::kWorth) {
      if (by_rows_ && rows_[p / kLanes].count > 0) {
        return rows_[p / kLanes].Weigh(plane, stride, images_.strides[2], &offsets_[p], &weights_[4 * p],
                                       values);
      }
    }
    WeighPairs(plane, stride, p, values);
  }

 private:
  // The weight of a pixel that is no neighbour. No other weight has the sign bit.
  static constexpr Value kExcluded{-0.0f};

  // The pair of pixels along an axis that holds the neighbours of samples p, p + 1, … At a border only one
  // neighbour is inside the image. The pair then moves by one pixel, and the neighbour changes its place in
  // it:
  //
  //   pixels         0 1 2 … 6 7        size 8
  //   neighbours   -1 0                 pair (0, 1): the upper neighbour, 0, is the first of the pair
  //   neighbours             7 8        pair (6, 7): the lower neighbour, 7, is the second of the pair
  HWY_INLINE Pair PairOf(const GridTile<T> &grid, int axis, int64_t p) const {
    const D d;
    const hn::RebindToSigned<D> i;
    const auto low = hn::Load(i, grid.indices(axis, 0) + p), high = hn::Load(i, grid.indices(axis, 1) + p);
    const V below = hn::Load(d, grid.axis_weights(axis, 0) + p),
            above = hn::Load(d, grid.axis_weights(axis, 1) + p);
    const auto zero = hn::Zero(i);
    const auto has_low = hn::Ge(low, zero), has_high = hn::Ge(high, zero);
    const int64_t size = images_.shape[2 + axis];
    const auto last = hn::Set(i, static_cast<hn::TFromD<decltype(i)>>(std::max<int64_t>(size - 2, 0)));
    const auto only_low = hn::AndNot(has_high, has_low), only_high = hn::AndNot(has_low, has_high);
    Pair pair;
    if (size == 1) {
      pair.index = zero;
      pair.weight[0] = hn::IfThenElse(hn::RebindMask(d, has_high), above, below);
      pair.weight[1] = above;
      pair.counts[0] = hn::RebindMask(d, hn::Or(has_low, has_high));
      pair.counts[1] = hn::MaskFalse(d);
      return pair;
    }
    pair.index = hn::Max(zero, hn::Min(low, last));
    const auto shift_up = hn::RebindMask(d, only_low), shift_down = hn::RebindMask(d, only_high);
    pair.weight[0] = hn::IfThenElse(shift_down, above, below);
    pair.weight[1] = hn::IfThenElse(shift_up, below, above);
    pair.counts[0] = hn::RebindMask(d, hn::AndNot(only_low, hn::Or(has_low, has_high)));
    pair.counts[1] = hn::RebindMask(d, hn::AndNot(only_high, hn::Or(has_low, has_high)));
    return pair;
  }

  // A vector of samples of some planes, from sample p on.
  template <int kPlanes>
  HWY_INLINE void WeighPairs(const T *plane, int64_t stride, int64_t p, V (&values)[kPlanes]) const {
    const D d;
    const Offset *offsets = &offsets_[p];
    const Value *weights = &weights_[4 * p];
    // It begins with 0, as GridRows does: a product of -0 becomes 0.
#pragma GCC unroll 4
    for (int i = 0; i < kPlanes; ++i) values[i] = hn::Zero(d);
    // A plane of one row has no lower one.
    const int rows = images_.shape[2] == 1 ? 1 : 2;
    for (int row = 0; row < rows; ++row, plane += step_, weights += 2 * kLanes) {
      const V left = hn::Load(d, weights), right = hn::Load(d, weights + kLanes);
      const auto has_left = Counts(left), has_right = Counts(right);
#pragma GCC unroll 4
      for (int i = 0; i < kPlanes; ++i) {
        V first, second;
        GatherPairs(d, plane + i * stride, offsets, &first, &second);
        values[i] = FusedMulAddWhere(has_left, first, left, values[i]);
        values[i] = FusedMulAddWhere(has_right, second, right, values[i]);
      }
    }
  }

  // Where weights are not kExcluded: 0 x infinity must not enter a sum.
  static HWY_INLINE hn::Mask<D> Counts(V weights) {
    const U u;
    const auto excluded = hn::BitCast(u, hn::Set(D(), kExcluded));
    return hn::RebindMask(D(), hn::Ne(hn::BitCast(u, weights), excluded));
  }

  int64_t step_ = 0;  // elements from the upper row of a sample to its lower row
  KeptMemory<GridPairs> memory_;
  // For each sample the bytes from the start of a plane to the pair in the upper row, or GridRows' places.
  Offset *offsets_;
  Value *weights_;      // [vector of samples][neighbour][sample]
  GridRows<T> *rows_;   // of each vector of samples
  const bool by_rows_;  // whether rows are looked for
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
