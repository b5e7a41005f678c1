// SPDX-License-Identifier: Apache-2.0
// Bilinear samples of a smooth grid: the neighbours of a vector of samples lie in a few rows of the image,
// and in one or two vectors of columns. Each of these rows is loaded, and a table lookup gives each sample
// its two columns.
//
//   row 3     a b c d e f g h        left  = b c d d      with columns 1 2 3 3
//   row 4     i j k l m n o p        right = c d e e
//
//   A sample between rows 3 and 4 adds two products of row 3, and then two of row 4; other rows do not change
//   its sum. So it adds them in the order in which GridPairs::Weigh does, and gets the same bits.
#if defined(AVO_OP_CPU_GRID_GRID_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_ROWS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_ROWS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_ROWS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Two pixels along an axis for each sample, which both lie in the image: `index` and the next one.
template <class D>
struct GridPair {
  hn::Vec<hn::RebindToSigned<D>> index;
  hn::Vec<D> weight[2];
  hn::Mask<D> counts[2];  // whether the pixel is a neighbour of the sample
};

// The rows that a vector of samples reads. `places` has the upper left neighbour of each sample, counted from
// the first row and column: the column in the low byte, the row in the next one.
template <typename T>
struct GridRows {
  using D = ComputeTag<T>;
  using I = hn::RebindToSigned<D>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  // With fewer lanes, there are as many rows as gathers.
  static constexpr bool kWorth = kLanes == 16;
  static constexpr int64_t kMostRows = 6;

  int32_t first = 0;    // offset in a plane of the first row and column
  int16_t count = 0;    // rows; 0 if there are too many rows or columns
  int16_t vectors = 0;  // of columns: 1 or 2

  // Finds the rows of a vector of samples. Stores `places`, or nothing if there are too many rows or columns.
  static GridRows Find(const GridPair<D> &y, const GridPair<D> &x, const Tensor &images, uint32_t *places) {
    const I i;
    const hn::RebindToUnsigned<D> u;
    const int64_t row = hn::ReduceMin(i, y.index), rows = hn::ReduceMax(i, y.index) - row + 2;
    const int64_t left = hn::ReduceMin(i, x.index), columns = hn::ReduceMax(i, x.index) - left + 2;
    const int64_t vectors = columns <= kLanes ? 1 : 2, width = images.shape[3];
    if (rows > kMostRows || columns > 2 * kLanes || width < vectors * kLanes) return {};
    const int64_t column = std::min(left, width - vectors * kLanes);
    const auto columns_on = hn::Sub(x.index, hn::Set(i, static_cast<int32_t>(column)));
    const auto rows_on = hn::Sub(y.index, hn::Set(i, static_cast<int32_t>(row)));
    hn::Store(hn::BitCast(u, hn::Or(columns_on, hn::ShiftLeft<8>(rows_on))), u, places);
    return {static_cast<int32_t>(row * images.strides[2] + column), static_cast<int16_t>(rows),
            static_cast<int16_t>(vectors)};
  }

  // Computes a vector of samples of kPlanes planes, which lie `stride` elements apart. It needs two lookups
  // for each row and plane instead of four gathers: 1.25 x as fast for a whole call with a smooth grid at
  // AVX-512.
  template <int kPlanes>
  HWY_INLINE void Weigh(const T *planes, int64_t stride, int64_t row_stride, const uint32_t *places,
                        const float *weights, V (&sums)[kPlanes]) const {
    if (vectors == 1) {
      WeighOf<1>(planes, stride, row_stride, places, weights, sums);
    } else {
      WeighOf<2>(planes, stride, row_stride, places, weights, sums);
    }
  }

 private:
  template <int kVectors, int kPlanes>
  HWY_INLINE void WeighOf(const T *planes, int64_t stride, int64_t row_stride, const uint32_t *places,
                          const float *weights, V (&sums)[kPlanes]) const {
    const D d;
    const hn::RebindToUnsigned<D> u;
    const auto place = hn::Load(u, places), row = hn::ShiftRight<8>(place);
    const auto column = hn::And(place, hn::Set(u, 0xffu));
    const auto at_left = hn::IndicesFromVec(d, column);
    const auto at_right = hn::IndicesFromVec(d, hn::Add(column, hn::Set(u, 1u)));
    V of_neighbours[4];
    for (int k = 0; k < 4; ++k) of_neighbours[k] = hn::Load(d, weights + k * kLanes);
#pragma GCC unroll 4
    for (int i = 0; i < kPlanes; ++i) sums[i] = hn::Zero(d);
    auto is_lower = hn::MaskFalse(d);
    const T *from = planes + first;
    for (int16_t r = 0; r < count; ++r, from += row_stride) {
      const auto is_upper = hn::RebindMask(d, hn::Eq(row, hn::Set(u, static_cast<uint32_t>(r))));
      // Samples that do not read this row must not add it with weight 0: 0 x infinity is NaN.
      const auto reads = hn::Or(is_upper, is_lower);
      const V left = hn::IfThenElse(is_upper, of_neighbours[0], of_neighbours[2]);
      const V right = hn::IfThenElse(is_upper, of_neighbours[1], of_neighbours[3]);
#pragma GCC unroll 4
      for (int i = 0; i < kPlanes; ++i) {
        const V values = LoadFloat(d, from + i * stride);
        sums[i] =
            FusedMulAddWhere(reads, LookUp<kVectors>(from + i * stride, values, at_left), left, sums[i]);
        sums[i] =
            FusedMulAddWhere(reads, LookUp<kVectors>(from + i * stride, values, at_right), right, sums[i]);
      }
      is_lower = is_upper;
    }
  }

  // The elements of one row at `indices`. `values` is the first vector of the row, which begins at `from`.
  template <int kVectors, class Indices>
  static HWY_INLINE V LookUp(const T *from, V values, Indices indices) {
    const D d;
    if constexpr (kVectors == 1) {
      return hn::TableLookupLanes(values, indices);
    } else {
      return hn::TwoTablesLookupLanes(d, values, LoadFloat(d, from + kLanes), indices);
    }
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
