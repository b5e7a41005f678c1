// SPDX-License-Identifier: Apache-2.0
// The maximum of the samples of a bin, with channels as lanes.
#if defined(AVO_OP_CPU_REGIONS_ROI_MAXIMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_MAXIMUM_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_MAXIMUM_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_MAXIMUM_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The larger one; `best` where both are equal, or where one is NaN.
template <class V>
HWY_INLINE V Larger(V best, V value) {
#if HWY_ARCH_X86
  return hn::Max(value, best);  // the processor's instruction is defined so
#else
  return hn::IfThenElse(hn::Gt(value, best), value, best);
#endif
}

// The larger one; NaN counts as larger than any number.
template <class V>
HWY_INLINE V LargerOrNaN(V best, V value) {
  return hn::IfThenElse(hn::IsNaN(value), value, Larger(best, value));
}

// The values of corner `n` of a sample, weighted; 0 where it does not count.
template <int kCount, class D, typename T, typename Weight>
HWY_INLINE void LoadCorner(D d, const BilinearSample<Weight> &sample, int n, const T *from, int64_t step,
                           hn::Vec<D> (&values)[kCount]) {
  const bool outside = sample.offset[n] == kOutside;
  const T *corner = outside ? from : from + sample.offset[n];
  const auto weight = hn::Set(d, sample.weight[n]);
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) {
    values[v] = outside ? hn::Zero(d) : hn::Mul(weight, LoadFloat(d, corner + v * step));
  }
}

// The values of a sample: the weighted sums of its corners.
template <int kCount, class D, typename T, typename Weight>
HWY_INLINE void LoadSample(D d, const BilinearSample<Weight> &sample, const T *from, int64_t step,
                           hn::Vec<D> (&values)[kCount]) {
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) values[v] = hn::Zero(d);
#pragma GCC unroll 4
  for (int n = 0; n < 4; ++n) {
    if (sample.offset[n] == kOutside) continue;
    const T *corner = from + sample.offset[n];
    const auto weight = hn::Set(d, sample.weight[n]);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v)
      values[v] = FusedMulAdd(weight, LoadFloat(d, corner + v * step), values[v]);
  }
}

// The maximum of samples, or with `kCorners` of their weighted corners, where no value is NaN. Also the sum
// of all values, which is NaN if one of them is.
template <int kCount, bool kCorners, class D, typename T, typename Weight>
HWY_INLINE void MaximumAndSum(D d, const BilinearSample<Weight> *samples, int64_t count, const T *from,
                              int64_t step, hn::Vec<D> (&best)[kCount], hn::Vec<D> (&sums)[kCount]) {
  for (const BilinearSample<Weight> *sample = samples; sample < samples + count; ++sample) {
    hn::Vec<D> values[kCorners ? 4 : 1][kCount];
    if constexpr (kCorners) {
#pragma GCC unroll 4
      for (int n = 0; n < 4; ++n) LoadCorner(d, *sample, n, from, step, values[n]);
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        const auto upper = Larger(values[0][v], values[1][v]), lower = Larger(values[2][v], values[3][v]);
        best[v] = Larger(best[v], Larger(upper, lower));
        const auto sum = hn::Add(hn::Add(values[0][v], values[1][v]), hn::Add(values[2][v], values[3][v]));
        sums[v] = hn::Add(sums[v], sum);
      }
    } else {
      LoadSample(d, *sample, from, step, values[0]);
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        best[v] = Larger(best[v], values[0][v]);
        sums[v] = hn::Add(sums[v], values[0][v]);
      }
    }
  }
}

// The same maximum, where a value may be NaN.
template <int kCount, bool kCorners, class D, typename T, typename Weight>
HWY_NOINLINE void MaximumOrNaN(D d, const BilinearSample<Weight> *samples, int64_t count, const T *from,
                               int64_t step, hn::Vec<D> (&best)[kCount]) {
  for (const BilinearSample<Weight> *sample = samples; sample < samples + count; ++sample) {
    for (int n = 0; n < (kCorners ? 4 : 1); ++n) {
      hn::Vec<D> values[kCount];
      if constexpr (kCorners) {
        LoadCorner(d, *sample, n, from, step, values);
      } else {
        LoadSample(d, *sample, from, step, values);
      }
      for (int v = 0; v < kCount; ++v) best[v] = LargerOrNaN(best[v], values[v]);
    }
  }
}

template <int kCount, bool kCorners, class D, typename T, typename Weight>
HWY_INLINE void MaximumOf(D d, const BilinearSample<Weight> *samples, int64_t count, const T *from,
                          int64_t step, bool all, hn::Vec<D> (&best)[kCount]) {
  const auto least = hn::Set(d, all ? -std::numeric_limits<Weight>::infinity() : 0);
  hn::Vec<D> sums[kCount];
#pragma GCC unroll 4
  for (int v = 0; v < kCount; ++v) best[v] = least, sums[v] = hn::Zero(d);
  MaximumAndSum<kCount, kCorners>(d, samples, count, from, step, best, sums);
#pragma GCC unroll 4
  for (int v = 1; v < kCount; ++v) sums[0] = hn::Add(sums[0], sums[v]);
  if (HWY_LIKELY(hn::AllFalse(d, hn::IsNaN(sums[0])))) return;
  for (int v = 0; v < kCount; ++v) best[v] = least;
  MaximumOrNaN<kCount, kCorners>(d, samples, count, from, step, best);
}

// Computes the maximum of samples; with `corners` that of their weighted corners. Unless `all` samples of the
// bin lie inside the feature map, 0 is one of the values. It takes `kCount` vectors of channels, the next one
// `step` elements behind the one before.
template <int kCount, class D, typename T, typename Weight>
HWY_INLINE void RoiMaximum(D d, const BilinearSample<Weight> *samples, int64_t count, const T *from,
                           int64_t step, bool corners, bool all, hn::Vec<D> (&best)[kCount]) {
  if (corners) {
    MaximumOf<kCount, true>(d, samples, count, from, step, all, best);
  } else {
    MaximumOf<kCount, false>(d, samples, count, from, step, all, best);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
