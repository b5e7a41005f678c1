// SPDX-License-Identifier: Apache-2.0
// Soft non-maximum suppression on one thread: each pick depends on the one before.
#include "op_host/soft_nms_padded_args.h"

#include <array>
#include <vector>

#include "op_cpu/boxes/iou.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/boxes/soft_nms_padded.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/boxes/decaying_boxes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::soft_nms_padded::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::DecayingBoxes;
using avo::HWY_NAMESPACE::DecayRule;

// Computes all results. T: dtype of boxes and scores; I: dtype of indices and count.
template <typename T, typename I>
void SoftNms(const Args &args) {
  const int64_t count = args.boxes.shape[0];
  const float offset = static_cast<float>(args.offset);
  std::vector<Box> boxes(count);
  std::vector<float> scores(count);
  for (int64_t i = 0; i < count; ++i) {
    boxes[i] = LoadBox<T>(args.boxes, i, offset);
    scores[i] = ToFloat(static_cast<const T *>(args.scores.data)[i * args.scores.strides[0]]);
  }
  const DecayRule rule{args.method, static_cast<float>(args.iou_threshold), static_cast<float>(args.sigma)};
  DecayingBoxes table(boxes, scores, offset, rule);
  const auto store = [&](int64_t i, const std::array<float, 5> &row, int64_t index) {
    for (int64_t k = 0; k < 5; ++k) {
      static_cast<T *>(args.dets.data)[i * args.dets.strides[0] + k * args.dets.strides[1]] =
          FromFloat<T>(row[k]);
    }
    static_cast<I *>(args.indices.data)[i * args.indices.strides[0]] = static_cast<I>(index);
  };
  int64_t i = 0;
  for (; i < table.count(); ++i) {
    const auto [box, score, index] = table.Pick(i);
    store(i, {box.x1, box.y1, box.x2, box.y2, score}, index);
    table.Decay(box, i, static_cast<float>(args.min_score));
  }
  *static_cast<I *>(args.count.data) = static_cast<I>(i);
  for (; i < count; ++i) store(i, {}, -1);
}

void Run(const Args &args, const ParallelFor &) {
  DispatchFloat32(args.boxes.dtype, [&](auto element) {
    using T = decltype(element);
    args.indices.dtype == DType::kInt32 ? SoftNms<T, int32_t>(args) : SoftNms<T, int64_t>(args);
  });
}

}  // namespace avo::soft_nms_padded::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::soft_nms_padded {
AVO_RUN_CPU(Run)
}  // namespace avo::soft_nms_padded
#endif
