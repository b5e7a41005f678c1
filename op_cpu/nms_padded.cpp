// SPDX-License-Identifier: Apache-2.0
// Boxes by descending score, each against the boxes of its class kept before it, until one suppresses it.
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "op_cpu/common/iou.h"
#include "op_cpu/common/score_order.h"
#include "op_cpu/common/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/nms_padded.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/kept_boxes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::nms_padded::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::KeptGrid;

template <typename T>
T At(const Tensor &tensor, int64_t i) {
  return static_cast<const T *>(tensor.data)[i * tensor.strides[0]];
}

void Store(const Tensor &tensor, int64_t i, int64_t value) {
  if (tensor.dtype == DType::kInt32) {
    static_cast<int32_t *>(tensor.data)[i * tensor.strides[0]] = static_cast<int32_t>(value);
  } else {
    static_cast<int64_t *>(tensor.data)[i * tensor.strides[0]] = value;
  }
}

template <typename T>
int64_t Keep(const Args &args, int64_t most, const ParallelFor &parallel_for) {
  const auto offset = static_cast<float>(args.offset);
  const std::vector<uint64_t> order = ByScore<T>(args.scores, args.score_threshold);
  // Places in the order, class by class.
  std::vector<std::vector<int64_t>> groups(args.idxs ? 0 : 1);
  std::unordered_map<int64_t, size_t> classes;
  for (int64_t place = 0; place < static_cast<int64_t>(order.size()); ++place) {
    size_t group = 0;
    if (args.idxs) {
      group = classes.try_emplace(At<int64_t>(*args.idxs, order[place]), groups.size()).first->second;
      if (group == groups.size()) groups.emplace_back();
    }
    groups[group].push_back(place);
  }
  std::vector<uint8_t> kept(order.size());
  parallel_for(static_cast<int64_t>(groups.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      std::vector<Box> boxes;
      for (const int64_t place : groups[group]) {
        boxes.push_back(LoadBox<T>(args.boxes, static_cast<int64_t>(order[place]), offset));
      }
      KeptGrid grid(boxes, offset, static_cast<float>(args.iou_threshold));
      int64_t count = 0;
      for (size_t i = 0; i < boxes.size() && count < most; ++i) {
        if (grid.Suppress(boxes[i])) continue;
        grid.Add(boxes[i]);
        kept[groups[group][i]] = 1;
        ++count;
      }
    }
  });
  int64_t count = 0;
  for (size_t place = 0; place < order.size() && count < most; ++place) {
    if (kept[place] != 0) Store(args.indices, count++, static_cast<int64_t>(order[place]));
  }
  return count;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  int64_t most = args.indices.shape[0], count = 0;
  if (args.max_num > 0) most = std::min(most, args.max_num);
  DispatchFloat32(args.boxes.dtype,
                  [&](auto element) { count = Keep<decltype(element)>(args, most, parallel_for); });
  for (int64_t i = count; i < args.indices.shape[0]; ++i) Store(args.indices, i, -1);
  Store(args.count, 0, count);
}

}  // namespace avo::nms_padded::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::nms_padded {
AVO_RUN_CPU(Run)
}  // namespace avo::nms_padded
#endif
