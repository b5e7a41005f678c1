// SPDX-License-Identifier: Apache-2.0
// Boxes by descending score, each against the boxes of its class kept before it, until one suppresses it.
#include "op_host/nms_padded_args.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "op_cpu/common/iou.h"
#include "op_cpu/common/score_order.h"
#include "op_cpu/common/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/nms_padded.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/box_cells-inl.h"
#include "op_cpu/common/kept_boxes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::nms_padded::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::BoxCells;
using avo::HWY_NAMESPACE::KeptBoxes;

template <typename T>
T At(const Tensor &tensor, int64_t i) {
  return static_cast<const T *>(tensor.data)[i * tensor.strides[0]];
}

// Which boxes of one class are kept, `most` of them at most. Boxes are in the order of the visit.
class Suppression {
 public:
  Suppression(const std::vector<Box> &boxes, float offset, float threshold, int64_t most)
      : boxes_(boxes), offset_(offset), threshold_(threshold), most_(most), left_(boxes.size(), 1) {}

  // At each box, whether it is kept; of no meaning where enough are kept before it.
  std::vector<uint8_t> Run() {
    KeptBoxes first(offset_, threshold_);
    Scan(threshold_ < kLowThreshold ? kFewAtLowThreshold : kFew, &first);
    if (!Done() && boxes_.size() - next_ >= kFewLeft && threshold_ >= 0 && RunInCells(first)) {
      KeptBoxes rest(offset_, threshold_);
      Scan(boxes_.size(), &rest);
    } else {
      Scan(boxes_.size(), &first);
    }
    return std::move(left_);
  }

 private:
  // Cells pay for more kept boxes than these, later where a threshold lets boxes of all sizes suppress each
  // other, and for no fewer boxes that are left.
  static constexpr size_t kFewLeft = 1024, kFew = 128, kFewAtLowThreshold = 512;
  static constexpr float kLowThreshold = 0.25f;

  bool Done() const { return next_ == boxes_.size() || count_ >= most_; }

  // Compares boxes with all in `kept`, which takes those that are kept, until it has `enough`.
  void Scan(size_t enough, KeptBoxes *kept) {
    for (; !Done() && kept->count() < enough; ++next_) {
      if (left_[next_] == 0) continue;
      if (kept->Suppress(boxes_[next_])) {
        left_[next_] = 0;
      } else {
        kept->Add(boxes_[next_]);
        ++count_;
      }
    }
  }

  // False where cells do not suit the boxes: they have not been compared with `first` then. Otherwise all
  // that are left have been compared with all that are kept. 2.7 x for 20,000 boxes about objects, 6 x for
  // 100,000.
  bool RunInCells(const KeptBoxes &first) {
    std::vector<int32_t> places(boxes_.size());
    size_t count = 0;
    bool tiny = false;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const bool proper = BoxCells::Proper(boxes_[i], offset_);
      tiny |= proper && boxes_[i].area < 1e-30f;
      places[count] = static_cast<int32_t>(i);
      count += proper && i >= next_ ? 1 : 0;
    }
    // Overlaps of tiny boxes would be far from their rounded ones.
    if (tiny || count == 0) return false;
    places.resize(count);
    BoxCells cells(boxes_, places, offset_, threshold_);
    for (const Box &box : first.boxes()) {
      if (!cells.pays()) return false;
      if (BoxCells::Proper(box, offset_)) cells.Suppress(box, -1, left_.data());
    }
    for (; !Done() && cells.pays(); ++next_) {
      if (left_[next_] == 0) continue;
      if (BoxCells::Proper(boxes_[next_], offset_))
        cells.Suppress(boxes_[next_], static_cast<int32_t>(next_), left_.data());
      ++count_;
    }
    return true;
  }

  const std::vector<Box> &boxes_;
  float offset_, threshold_;
  int64_t most_, count_ = 0;  // kept boxes
  size_t next_ = 0;           // box of the visit
  std::vector<uint8_t> left_;
};

// Places in the order, class by class.
std::vector<std::vector<int32_t>> ByClass(const Tensor &idxs, const std::vector<uint64_t> &order) {
  std::vector<std::vector<int32_t>> groups;
  std::unordered_map<int64_t, size_t> classes;
  for (size_t place = 0; place < order.size(); ++place) {
    const size_t group = classes.try_emplace(At<int64_t>(idxs, order[place]), groups.size()).first->second;
    if (group == groups.size()) groups.emplace_back();
    groups[group].push_back(static_cast<int32_t>(place));
  }
  return groups;
}

// At each place in the order, whether its box is kept; of no meaning where enough are kept before it.
template <typename T>
std::vector<uint8_t> Kept(const Args &args, const std::vector<uint64_t> &order, int64_t most,
                          const ParallelFor &parallel_for) {
  const auto offset = static_cast<float>(args.offset), threshold = static_cast<float>(args.iou_threshold);
  std::vector<Box> boxes(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    boxes[i] = LoadBox<T>(args.boxes, static_cast<int64_t>(order[i]), offset);
  }
  if (!args.idxs) return Suppression(boxes, offset, threshold, most).Run();
  const std::vector<std::vector<int32_t>> groups = ByClass(*args.idxs, order);
  std::vector<uint8_t> kept(order.size());
  parallel_for(static_cast<int64_t>(groups.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      std::vector<Box> ours;
      for (const int32_t place : groups[group]) ours.push_back(boxes[place]);
      const std::vector<uint8_t> left = Suppression(ours, offset, threshold, most).Run();
      for (size_t i = 0; i < ours.size(); ++i) kept[groups[group][i]] = left[i];
    }
  });
  return kept;
}

template <typename I>
int64_t Store(const std::vector<uint64_t> &order, const std::vector<uint8_t> &kept, int64_t most,
              const Tensor &indices) {
  const auto store = [&](int64_t i, int64_t value) {
    static_cast<I *>(indices.data)[i * indices.strides[0]] = static_cast<I>(value);
  };
  int64_t count = 0;
  for (size_t place = 0; place < order.size() && count < most; ++place) {
    if (kept[place] != 0) store(count++, static_cast<int64_t>(order[place]));
  }
  for (int64_t i = count; i < indices.shape[0]; ++i) store(i, -1);
  return count;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  int64_t most = args.indices.shape[0];
  if (args.max_num > 0) most = std::min(most, args.max_num);
  DispatchFloat32(args.boxes.dtype, [&](auto element) {
    using T = decltype(element);
    const std::vector<uint64_t> order = ByScore<T>(args.scores, args.score_threshold);
    const std::vector<uint8_t> kept = Kept<T>(args, order, most, parallel_for);
    const int64_t count = args.indices.dtype == DType::kInt32
                              ? Store<int32_t>(order, kept, most, args.indices)
                              : Store<int64_t>(order, kept, most, args.indices);
    if (args.count.dtype == DType::kInt32) {
      *static_cast<int32_t *>(args.count.data) = static_cast<int32_t>(count);
    } else {
      *static_cast<int64_t *>(args.count.data) = count;
    }
  });
}

}  // namespace avo::nms_padded::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::nms_padded {
AVO_RUN_CPU(Run)
}  // namespace avo::nms_padded
#endif
