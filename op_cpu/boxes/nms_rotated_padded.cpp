// SPDX-License-Identifier: Apache-2.0
#include "op_host/nms_rotated_padded_args.h"

#include "op_cpu/boxes/class_rows.h"
#include "op_cpu/boxes/rotated_box.h"
#include "op_cpu/boxes/score_order.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/boxes/nms_rotated_padded.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/boxes/rotated_kept-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::nms_rotated_padded::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::RotatedKept;

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto least = static_cast<float>(args.score_threshold);
  DispatchFloat32(args.boxes.dtype, [&](auto element) {
    using T = decltype(element);
    const auto find = [&](int64_t image, int64_t each, const Tensor &boxes, const Tensor &scores,
                          IndexRows<3> *rows) {
      RotatedKept kept(args.iou_threshold);
      for (const int32_t i : ByScore<T>(scores, 0)) {
        if (!(ToFloat(static_cast<const T *>(scores.data)[i * scores.strides[0]]) > least)) continue;
        const RotatedBox box = LoadRotatedBox<T>(boxes, i);
        if (kept.Suppress(box)) continue;
        kept.Add(box);
        rows->push_back({image, each, i});
      }
    };
    FindInClasses<3>(args.boxes, args.scores, args.selected, args.count, parallel_for, find);
  });
}

}  // namespace avo::nms_rotated_padded::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::nms_rotated_padded {
AVO_RUN_CPU(Run)
}  // namespace avo::nms_rotated_padded
#endif
