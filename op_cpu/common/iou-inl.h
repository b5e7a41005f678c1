// SPDX-License-Identifier: Apache-2.0
// Iou() of a box with as many as a vector holds, in its order of operations. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_COMMON_IOU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_IOU_INL_H_
#undef AVO_OP_CPU_COMMON_IOU_INL_H_
#else
#define AVO_OP_CPU_COMMON_IOU_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/iou.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// What `box` and boxes i, i + 1, … have in common. `boxes` has an array for each coordinate.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> Inter(D d, const Arrays &boxes, size_t i, const Box &box, float offset) {
  const auto right = hn::Min(hn::LoadU(d, &boxes.x2[i]), hn::Set(d, box.x2));
  const auto left = hn::Max(hn::LoadU(d, &boxes.x1[i]), hn::Set(d, box.x1));
  const auto bottom = hn::Min(hn::LoadU(d, &boxes.y2[i]), hn::Set(d, box.y2));
  const auto top = hn::Max(hn::LoadU(d, &boxes.y1[i]), hn::Set(d, box.y1));
  const auto width = hn::Max(hn::Zero(d), hn::Add(hn::Sub(right, left), hn::Set(d, offset)));
  const auto height = hn::Max(hn::Zero(d), hn::Add(hn::Sub(bottom, top), hn::Set(d, offset)));
  return hn::Mul(width, height);
}

// That over what they cover together.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> OverUnion(D d, hn::Vec<D> inter, const Arrays &boxes, size_t i, const Box &box) {
  const auto both = hn::Add(hn::LoadU(d, &boxes.area[i]), hn::Set(d, box.area));
  return hn::Div(inter, hn::Sub(both, inter));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
