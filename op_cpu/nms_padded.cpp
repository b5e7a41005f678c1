// SPDX-License-Identifier: Apache-2.0
// Boxes by descending score, each against the boxes of its class kept before it, until one suppresses it.
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <vector>

#include "common/iou.h"

namespace avo::nms_padded {
namespace {

constexpr int64_t kLanes = 16;  // kept boxes compared between two looks at the result

// The kept boxes of a class, and behind them boxes that suppress nothing.
class KeptBoxes {
 public:
  void Add(const Box &box) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    if (count_ == boxes_.size()) boxes_.Resize(std::max(4 * kLanes, 2 * count_), {0, 0, 0, 0, kNan});
    boxes_.Set(count_++, box);
  }

  bool Suppress(const Box &box, float offset, float threshold) const {
    for (int64_t first = 0; first < count_; first += kLanes) {
      int above = 0;
      for (int64_t i = first; i < first + kLanes; ++i) above |= Iou(boxes_[i], box, offset) > threshold;
      if (above != 0) return true;
    }
    return false;
  }

 private:
  Boxes boxes_;
  int64_t count_ = 0;
};

// Ascending where scores descend: NaN first, zeros of both signs equal.
uint32_t Rank(float score) {
  if (std::isnan(score)) return 0;
  const uint32_t bits = BitCast<uint32_t>(score + 0.0f);
  return (bits >> 31) != 0 ? bits : 0x7fffffffu - bits;
}

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

// Indices of the boxes to visit, in order.
template <typename T>
std::vector<int64_t> Order(const Tensor &scores, double score_threshold) {
  const float least = static_cast<float>(score_threshold);
  std::vector<uint64_t> keys;
  keys.reserve(scores.shape[0]);
  for (int64_t i = 0; i < scores.shape[0]; ++i) {
    const float score = ToFloat(At<T>(scores, i));
    if (score_threshold > 0 && !(score > least)) continue;
    keys.push_back(static_cast<uint64_t>(Rank(score)) << 32 | static_cast<uint64_t>(i));
  }
  std::sort(keys.begin(), keys.end());
  return {keys.begin(), keys.end()};
}

template <typename T>
int64_t Keep(const Args &args, int64_t most) {
  const auto offset = static_cast<float>(args.offset);
  const auto threshold = static_cast<float>(args.iou_threshold);
  std::vector<KeptBoxes> kept(1);
  std::unordered_map<int64_t, size_t> classes;
  int64_t count = 0;
  for (const int64_t key : Order<T>(args.scores, args.score_threshold)) {
    if (count == most) break;
    const int64_t i = key & 0xffffffff;
    size_t place = 0;
    if (args.idxs) {
      place = classes.try_emplace(At<int64_t>(*args.idxs, i), classes.size()).first->second;
      if (place == kept.size()) kept.emplace_back();
    }
    const Box box = LoadBox<T>(args.boxes, i, offset);
    if (kept[place].Suppress(box, offset, threshold)) continue;
    kept[place].Add(box);
    Store(args.indices, count++, i);
  }
  return count;
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &) {
  int64_t most = args.indices.shape[0], count = 0;
  if (args.max_num > 0) most = std::min(most, args.max_num);
  DispatchFloat(args.boxes.dtype, [&](auto element) { count = Keep<decltype(element)>(args, most); });
  for (int64_t i = count; i < args.indices.shape[0]; ++i) Store(args.indices, i, -1);
  Store(args.count, 0, count);
}

}  // namespace avo::nms_padded
