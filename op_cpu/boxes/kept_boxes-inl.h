// SPDX-License-Identifier: Apache-2.0
// The kept boxes of a non-maximum suppression. A new box is compared with all of them, a block of 16 at a
// time. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_BOXES_KEPT_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_KEPT_BOXES_INL_H_
#undef AVO_OP_CPU_BOXES_KEPT_BOXES_INL_H_
#else
#define AVO_OP_CPU_BOXES_KEPT_BOXES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/boxes/iou-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class KeptBoxes {
 public:
  KeptBoxes(float offset, float threshold) : offset_(offset), threshold_(threshold) {}

  size_t count() const { return boxes_.size(); }
  const std::vector<Box> &boxes() const { return boxes_; }
  // Number of blocks that Suppress() has compared a box with up to now.
  size_t compared() const { return compared_; }

  void Add(const Box &box) {
    const size_t lane = boxes_.size() % kLanes;
    if (lane == 0) blocks_.emplace_back();
    Block &block = blocks_.back();
    block.x1[lane] = box.x1;
    block.y1[lane] = box.y1;
    block.x2[lane] = box.x2;
    block.y2[lane] = box.y2;
    block.area[lane] = box.area;
    boxes_.push_back(box);
  }

  // Returns whether a kept box suppresses `box`: whether their overlap is above the threshold.
  bool Suppress(const Box &box) { return FirstAbove(box) >= 0; }

  // Returns the first kept box that suppresses `box`, by its place among them; -1 where none does.
  int64_t FirstAbove(const Box &box) { return threshold_ >= 0 ? Find<true>(box) : Find<false>(box); }

 private:
  static constexpr size_t kLanes = 16;
  struct Block {
    float x1[kLanes], y1[kLanes], x2[kLanes], y2[kLanes], area[kLanes];
    // A lane without a box has a NaN area, which suppresses nothing.
    Block() { std::fill_n(area, kLanes, std::numeric_limits<float>::quiet_NaN()); }
  };

  // kMayExceed: skips the division where MayExceed() says that no overlap is above the threshold, which
  // is 1.3 times as fast with AVX-512. It asks for a threshold that is not below 0.
  template <bool kMayExceed>
  int64_t Find(const Box &box) {
    const hn::CappedTag<float, kLanes> d;
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const Block &block = blocks_[b];
      ++compared_;
      for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
        const auto inter = Inter(d, block, i, box, offset_), areas = hn::LoadU(d, &block.area[i]);
        if (kMayExceed && hn::AllFalse(d, MayExceed(d, inter, areas, box, threshold_))) continue;
        const auto iou = OverUnion(d, inter, areas, box);
        const intptr_t lane = hn::FindFirstTrue(d, hn::Gt(iou, hn::Set(d, threshold_)));
        if (lane >= 0) return static_cast<int64_t>(b * kLanes + i) + lane;
      }
    }
    return -1;
  }

  float offset_, threshold_;
  std::vector<Box> boxes_;
  std::vector<Block> blocks_;
  size_t compared_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
