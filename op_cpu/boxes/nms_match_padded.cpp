// SPDX-License-Identifier: Apache-2.0
#include "op_host/nms_match_padded_args.h"

#include <cmath>
#include <limits>
#include <vector>

#include "op_cpu/boxes/class_rows.h"
#include "op_cpu/boxes/iou.h"
#include "op_cpu/boxes/score_order.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/boxes/nms_match_padded.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/boxes/kept_boxes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::nms_match_padded::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::KeptBoxes;

// Visits the boxes of a class by descending score. What it finds is sorted by kept box at the end; the boxes
// of one keep their order.
template <typename T>
void Match(int64_t image, int64_t each, const Tensor &boxes, const Tensor &scores, float iou_threshold,
           float score_threshold, IndexRows<4> *rows) {
  // Of float32 numbers, those that are at least the threshold are above the next smaller one.
  KeptBoxes kept(0, std::nextafter(iou_threshold, -std::numeric_limits<float>::infinity()));
  std::vector<int32_t> indices;                  // of kept boxes
  std::vector<std::vector<int32_t>> suppressed;  // by each of them
  for (const int32_t i : ByScore<T>(scores, 0)) {
    const Box box = LoadBox<T>(boxes, i, 0);
    const int64_t by = kept.FirstAbove(box);
    if (by >= 0) {
      suppressed[by].push_back(i);
    } else {
      kept.Add(box);
      indices.push_back(i);
      suppressed.emplace_back();
    }
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    const T score = static_cast<const T *>(scores.data)[indices[k] * scores.strides[0]];
    if (!(ToFloat(score) > score_threshold)) continue;
    for (const int32_t i : suppressed[k]) rows->push_back({image, each, indices[k], i});
  }
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat32(args.boxes.dtype, [&](auto element) {
    using T = decltype(element);
    const float iou_threshold = ToFloat(*static_cast<const T *>(args.iou_threshold.data));
    const float score_threshold = ToFloat(*static_cast<const T *>(args.score_threshold.data));
    const auto find = [&](int64_t image, int64_t each, const Tensor &boxes, const Tensor &scores,
                          IndexRows<4> *rows) {
      Match<T>(image, each, boxes, scores, iou_threshold, score_threshold, rows);
    };
    FindInClasses<4>(args.boxes, args.scores, args.matches, args.count, parallel_for, find);
  });
}

}  // namespace avo::nms_match_padded::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::nms_match_padded {
AVO_RUN_CPU(Run)
}  // namespace avo::nms_match_padded
#endif
