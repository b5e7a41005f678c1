// SPDX-License-Identifier: Apache-2.0
// The overlap of one box with a vector of boxes, in the order of operations of Iou() in iou.h. Compiled once
// for each instruction set.
//
// `boxes` is a struct with an array for each coordinate: x1, y1, x2, y2. A vector of boxes is boxes i, i + 1,
// ….
#if defined(AVO_OP_CPU_BOXES_IOU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_IOU_INL_H_
#undef AVO_OP_CPU_BOXES_IOU_INL_H_
#else
#define AVO_OP_CPU_BOXES_IOU_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "op_cpu/boxes/iou.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Returns the width, or the height, of the intersection of `box` with each box; it is 0 or negative where
// there is none.
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

// Returns the area of the intersection of `box` with each box.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> Inter(D d, const Arrays &boxes, size_t i, const Box &box, float offset) {
  return hn::Mul(hn::Max(hn::Zero(d), CommonWidth(d, boxes, i, box, offset)),
                 hn::Max(hn::Zero(d), CommonHeight(d, boxes, i, box, offset)));
}

// Returns the areas of the boxes, as BoxArea() computes them.
template <class D, class Arrays>
HWY_INLINE hn::Vec<D> Areas(D d, const Arrays &boxes, size_t i, float offset) {
  const auto width = hn::Sub(hn::LoadU(d, &boxes.x2[i]), hn::LoadU(d, &boxes.x1[i]));
  const auto height = hn::Sub(hn::LoadU(d, &boxes.y2[i]), hn::LoadU(d, &boxes.y1[i]));
  return hn::Mul(hn::Add(width, hn::Set(d, offset)), hn::Add(height, hn::Set(d, offset)));
}

// Returns the overlap of `box` with each box: intersection over union. areas: of the boxes.
template <class D>
HWY_INLINE hn::Vec<D> OverUnion(D d, hn::Vec<D> inter, hn::Vec<D> areas, const Box &box) {
  const auto both = hn::Add(areas, hn::Set(d, box.area));
  return hn::Div(inter, hn::Sub(both, inter));
}

// Returns where the overlap of `box` with each box may be above a threshold, without a division; elsewhere it
// is not above. Rounding keeps order: the rounded inter / union is above the threshold only where inter is at
// least the rounded threshold * union. The threshold must not be below 0.
template <class D>
HWY_INLINE hn::Mask<D> MayExceed(D d, hn::Vec<D> inter, hn::Vec<D> areas, const Box &box, float threshold) {
  const auto both = hn::Add(areas, hn::Set(d, box.area));
  const auto least = hn::Mul(hn::Sub(both, inter), hn::Set(d, threshold));
  // An intersection of 0 never suffices.
  return hn::Ge(inter, hn::Max(least, hn::Set(d, std::numeric_limits<float>::denorm_min())));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
