// SPDX-License-Identifier: Apache-2.0
// Means of planes that are not finite: found while results are stored, and examined again afterwards.
#if defined(AVO_OP_CPU_REGIONS_ROI_NOT_FINITE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_NOT_FINITE_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_NOT_FINITE_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_NOT_FINITE_INL_H_
#endif

#include <algorithm>
#include <cmath>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rounds and stores `count` results; with `stream` they go around the caches. Returns whether all are finite.
template <typename T>
bool StoreRun(const float *from, int64_t count, T *to, bool stream) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  if (count < lanes) {
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Narrow<T>(from[i]);
      finite &= std::isfinite(from[i]);
    }
    return finite;
  }
  auto not_finite = hn::MaskFalse(d);
  // The last vector overlaps the one before it.
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t i = std::min(next, count - lanes);
    const auto value = hn::LoadU(d, from + i);
    not_finite = hn::Or(not_finite, hn::Not(hn::IsFinite(value)));
    if (stream && i == next) {
      StreamFloat(value, d, to + i);
    } else {
      StoreFloat(value, d, to + i);
    }
  }
  return hn::AllFalse(d, not_finite);
}

// Calls body(i) for each of `count` results that is not finite.
template <class Body>
void ForNotFinite(const float *from, int64_t count, const Body &body) {
  const hn::ScalableTag<float> d;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto not_finite = hn::Not(hn::IsFinite(hn::LoadN(d, from + i, count - i)));
    ForLanes(d, not_finite, [&](int64_t lane) { body(i + lane); });
  }
}

// Whether the mean of bin (p, q) of a plane reads an element that is NaN. `columns` are those of the plane,
// at least a vector: it is read by whole vectors, which makes calls with 1 % of NaN 1.35 x as fast.
template <typename T>
bool AnyNaN(const RoiRegion<float> &region, int64_t p, int64_t q, const T *plane, int64_t row_stride,
            int64_t columns) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  const RoiAxis<float> &y = region.y, &x = region.x;
  for (int32_t j = x.first_tap[q]; j < x.first_tap[q + 1];) {
    const auto column = [&] { return x.elements[x.taps[j].slot]; };
    const int64_t first = std::min<int64_t>(column(), columns - lanes);
    uint64_t counted = 0;
    for (; j < x.first_tap[q + 1] && column() < first + lanes; ++j)
      counted |= uint64_t{1} << (column() - first);
    auto found = hn::MaskFalse(d);
    for (int32_t i = y.first_tap[p]; i < y.first_tap[p + 1]; ++i) {
      const T *row = plane + y.elements[y.taps[i].slot] * row_stride;
      found = hn::Or(found, hn::IsNaN(LoadFloat(d, row + first)));
    }
    if (hn::BitsFromMask(d, found) & counted) return true;
  }
  return false;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
