// SPDX-License-Identifier: Apache-2.0
// Iou() of a box with as many as a vector holds, in its order of operations. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_IOU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_IOU_INL_H_
#undef AVO_OP_CPU_COMMON_IOU_INL_H_
#else
#define AVO_OP_CPU_COMMON_IOU_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "op_cpu/boxes/iou.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Width and height of what `box` and boxes i, i + 1, … have in common, negative or 0 where it is nothing.
// `boxes` has an array for each coordinate.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> CommonWidth(D d, const Arrays &boxes, size_t i, const Box &box, float offset) {
  const auto right = hn::Min(hn::LoadU(d, &boxes.x2[i]), hn::Set(d, box.x2));
  const auto left = hn::Max(hn::LoadU(d, &boxes.x1[i]), hn::Set(d, box.x1));
  return hn::Add(hn::Sub(right, left), hn::Set(d, offset));
}
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> CommonHeight(D d, const Arrays &boxes, size_t i, const Box &box, float offset) {
  const auto bottom = hn::Min(hn::LoadU(d, &boxes.y2[i]), hn::Set(d, box.y2));
  const auto top = hn::Max(hn::LoadU(d, &boxes.y1[i]), hn::Set(d, box.y1));
  return hn::Add(hn::Sub(bottom, top), hn::Set(d, offset));
}

// What they have in common.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> Inter(D d, const Arrays &boxes, size_t i, const Box &box, float offset) {
  return hn::Mul(hn::Max(hn::Zero(d), CommonWidth(d, boxes, i, box, offset)),
                 hn::Max(hn::Zero(d), CommonHeight(d, boxes, i, box, offset)));
}

// Areas of `boxes`, as BoxArea() computes them.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> Areas(D d, const Arrays &boxes, size_t i, float offset) {
  const auto width = hn::Sub(hn::LoadU(d, &boxes.x2[i]), hn::LoadU(d, &boxes.x1[i]));
  const auto height = hn::Sub(hn::LoadU(d, &boxes.y2[i]), hn::LoadU(d, &boxes.y1[i]));
  return hn::Mul(hn::Add(width, hn::Set(d, offset)), hn::Add(height, hn::Set(d, offset)));
}

// What `box` and others have in common over what they cover together, from the areas of the others.
template <class D>
HWY_INLINE hn::Vec<D> OverUnion(D d, hn::Vec<D> inter, hn::Vec<D> areas, const Box &box) {
  const auto both = hn::Add(areas, hn::Set(d, box.area));
  return hn::Div(inter, hn::Sub(both, inter));
}

// Where that may be above a threshold, which is not below 0, and nowhere else can it be: inter / union,
// rounded, is above it only where inter is not below threshold * union, rounded, since rounding keeps order.
template <class D>
HWY_INLINE hn::Mask<D> MayExceed(D d, hn::Vec<D> inter, hn::Vec<D> areas, const Box &box, float threshold) {
  const auto both = hn::Add(areas, hn::Set(d, box.area));
  const auto least = hn::Mul(hn::Sub(both, inter), hn::Set(d, threshold));
  // Not where they have nothing in common.
  return hn::Ge(inter, hn::Max(least, hn::Set(d, std::numeric_limits<float>::denorm_min())));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
