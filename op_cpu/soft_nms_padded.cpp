// SPDX-License-Identifier: Apache-2.0
#include "op_host/soft_nms_padded_args.h"

#include <cmath>
#include <numeric>

#include "common/iou.h"

namespace avo::soft_nms_padded {
namespace {

// Boxes in slots, the picked ones first.
struct Slots {
  Boxes boxes;
  std::vector<float> scores;
  std::vector<int64_t> indices;

  explicit Slots(int64_t count) : boxes(count), scores(count), indices(count) {
    std::iota(indices.begin(), indices.end(), 0);
  }
  void Swap(int64_t i, int64_t j) {
    const Box box = boxes[i];
    boxes.Set(i, boxes[j]);
    boxes.Set(j, box);
    std::swap(scores[i], scores[j]);
    std::swap(indices[i], indices[j]);
  }
  void Move(int64_t to, int64_t from) {
    boxes.Set(to, boxes[from]);
    scores[to] = scores[from];
    indices[to] = indices[from];
  }
};

struct Decay {
  int64_t method;
  float iou_threshold, sigma;

  // The exponential is that of double, rounded: on every machine the same.
  float operator()(float iou) const {
    if (method == 2) return static_cast<float>(std::exp(static_cast<double>(-(iou * iou) / sigma)));
    return iou >= iou_threshold ? (method == 1 ? 1.0f - iou : 0.0f) : 1.0f;
  }
};

// Picks boxes until none is left; returns how many were picked.
int64_t Pick(Slots *slots, const Decay &decay, float offset, float min_score) {
  std::vector<float> &scores = slots->scores;
  int64_t count = static_cast<int64_t>(scores.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t best = i;
    for (int64_t j = i + 1; j < count; ++j) {
      if (scores[j] > scores[best]) best = j;
    }
    if (best != i) slots->Swap(i, best);
    const Box picked = slots->boxes[i];
    for (int64_t j = i + 1; j < count; ++j) {
      scores[j] *= decay(Iou(picked, slots->boxes[j], offset));
    }
    // Each slot that falls below takes the last one that does not, from there on given up.
    for (int64_t j = i + 1; j < count; ++j) {
      while (j < count && scores[j] < min_score) slots->Move(j, --count);
    }
  }
  return count;
}

template <typename T, typename I>
void Run(const Args &args) {
  const int64_t count = args.boxes.shape[0];
  const float offset = static_cast<float>(args.offset);
  Slots slots(count);
  for (int64_t i = 0; i < count; ++i) {
    slots.boxes.Set(i, LoadBox<T>(args.boxes, i, offset));
    slots.scores[i] = ToFloat(static_cast<const T *>(args.scores.data)[i * args.scores.strides[0]]);
  }
  const Decay decay{args.method, static_cast<float>(args.iou_threshold), static_cast<float>(args.sigma)};
  const int64_t picked = Pick(&slots, decay, offset, static_cast<float>(args.min_score));
  for (int64_t i = 0; i < count; ++i) {
    const Box box = slots.boxes[i];
    const float row[] = {box.x1, box.y1, box.x2, box.y2, slots.scores[i]};
    for (int64_t k = 0; k < 5; ++k) {
      static_cast<T *>(args.dets.data)[i * args.dets.strides[0] + k * args.dets.strides[1]] =
          FromFloat<T>(i < picked ? row[k] : 0.0f);
    }
    static_cast<I *>(args.indices.data)[i * args.indices.strides[0]] =
        static_cast<I>(i < picked ? slots.indices[i] : -1);
  }
  *static_cast<I *>(args.count.data) = static_cast<I>(picked);
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &) {
  DispatchFloat(args.boxes.dtype, [&](auto element) {
    using T = decltype(element);
    args.indices.dtype == DType::kInt32 ? Run<T, int32_t>(args) : Run<T, int64_t>(args);
  });
}

}  // namespace avo::soft_nms_padded
