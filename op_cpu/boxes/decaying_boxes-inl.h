// SPDX-License-Identifier: Apache-2.0
// Boxes whose scores decay, in blocks of neighbours: a pick visits the blocks that it reaches into alone, a
// twentieth of 5,000 boxes in heaps. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_DECAYING_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DECAYING_BOXES_INL_H_
#undef AVO_OP_CPU_COMMON_DECAYING_BOXES_INL_H_
#else
#define AVO_OP_CPU_COMMON_DECAYING_BOXES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/boxes/box_order.h"
#include "op_cpu/boxes/exp-inl.h"
#include "op_cpu/boxes/iou-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// How an overlap decays a score: 0 to nothing and 1 linearly, where it reaches the threshold; 2 by a
// Gaussian.
struct Decay {
  int64_t method;
  float iou_threshold, sigma;

  // The former two.
  template <class D, class V = hn::Vec<D>>
  V Weight(D d, V iou) const {
    const V one = hn::Set(d, 1.0f);
    const V least = hn::Set(d, iou_threshold);
    return hn::IfThenElse(hn::Ge(iou, least), method == 1 ? hn::Sub(one, iou) : hn::Zero(d), one);
  }
  // Whether boxes without a common point leave each other alone, other than Everywhere() says.
  bool NeedsOverlap(const std::vector<Box> &boxes) const {
    return (method == 2 || iou_threshold > 0) && std::all_of(boxes.begin(), boxes.end(), [](const Box &box) {
             return box.area >= 0 && std::isfinite(box.area);
           });
  }
  // Two boxes without an area overlap by 0/0, which a Gaussian makes NaN of.
  bool Everywhere(const Box &picked) const { return method == 2 && picked.area == 0; }
};

// Boxes lie in memory by place; their slots are numbers, which decide between equal scores and who takes
// whose slot. Lanes without a box, and boxes that are picked or given up, have NaN for a score: never the
// best, never too low.
class DecayingBoxes {
 public:
  struct Picked {
    Box box;
    float score;
    int64_t index;
  };

  DecayingBoxes(const std::vector<Box> &boxes, const std::vector<float> &scores, float offset, Decay decay)
      : offset_(offset), decay_(decay), by_place_(decay.NeedsOverlap(boxes)), at_(boxes.size()) {
    const int64_t count = static_cast<int64_t>(boxes.size()), blocks = RoundUp(count) / kLanes;
    indices_ = by_place_ ? ByPlace(boxes, kLanes) : InOrder(count);
    slots_ = indices_;
    slots_.resize(static_cast<size_t>(RoundUp(count)));  // read a vector at a time, as scores are
    boxes_ = Boxes(RoundUp(count));
    scores_.assign(RoundUp(count), kNaN);
    visited_.resize(RoundUp(count));
    decays_.resize((RoundUp(count) + 1) * kMaskBytes);
    weights_.resize(RoundUp(count) + kLanes);  // stored a vector at a time
    // Bounds are read a vector at a time; behind the last one nothing is reached.
    bounds_ = Boxes(RoundUp(blocks));
    best_.assign(RoundUp(blocks), -kInfinity);
    for (int64_t block = 0; block < RoundUp(blocks); ++block) {
      Box bound{kInfinity, kInfinity, -kInfinity, -kInfinity, 0};
      for (int64_t i = block * kLanes; i < std::min((block + 1) * kLanes, count); ++i) {
        const Box &box = boxes[indices_[i]];
        bound = {std::min(bound.x1, box.x1), std::min(bound.y1, box.y1), std::max(bound.x2, box.x2),
                 std::max(bound.y2, box.y2), 0};
        boxes_.Set(i, box);
        scores_[i] = scores[indices_[i]];
        at_[slots_[i]] = static_cast<int32_t>(i);
      }
      bounds_.Set(block, bound);
    }
    for (int64_t block = 0; block < blocks; ++block) FindBest(block);
  }

  // Slots that are not given up, those of picked boxes included.
  int64_t count() const { return static_cast<int64_t>(at_.size()); }

  // Swaps the best of the slots from `slot` on, the first of equal ones, into `slot` and takes it. A NaN
  // there stays and is taken: nothing is above it.
  Picked Pick(int64_t slot) {
    const int32_t there = at_[slot], best = std::isnan(scores_[there]) ? there : Best();
    std::swap(at_[slot], at_[slots_[best]]);
    std::swap(slots_[there], slots_[best]);
    const Picked picked{boxes_[best], std::exchange(scores_[best], kNaN), indices_[best]};
    FindBest(best / kLanes);
    return picked;
  }

  // Decays the scores behind `slot` by the overlap with the box picked into it, then gives up those below
  // `least`: such a slot takes the last one, and that one's score is judged in its turn.
  void Apply(const Box &picked, int64_t slot, float least) {
    low_.clear();
    // The first pick also finds what is too low from the start.
    const bool everywhere = !by_place_ || slot == 0 || decay_.Everywhere(picked);
    for (size_t first = 0; first < best_.size(); first += kLanes) {
      uint32_t reached = everywhere ? (1u << kLanes) - 1 : Reached(first, picked);
      for (; reached != 0; reached &= reached - 1) {
        const size_t block = first + hwy::Num0BitsBelowLS1Bit_Nonzero32(reached);
        if (block * kLanes >= scores_.size()) break;
        if (decay_.method == 2) {
          CollectOverlaps(block, picked, everywhere);
        } else {
          DecayBlock(block, picked, least, everywhere);
        }
      }
    }
    DecayCollected(least);
    std::sort(low_.begin(), low_.end());
    for (const int32_t low : low_) {
      while (low < count() && scores_[at_[low]] < least) {
        scores_[at_[low]] = kNaN;
        FindBest(at_[low] / kLanes);
        at_[low] = at_.back();
        slots_[at_[low]] = low;
        at_.pop_back();
      }
    }
  }

 private:
  static constexpr int64_t kLanes = 16;
  static constexpr size_t kMaskBytes = 8;
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using F32 = hn::CappedTag<float, kLanes>;
  using V = hn::Vec<F32>;

  static int64_t RoundUp(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // A bit for each of kLanes blocks from `first` on: whether the box and its bounds have points in common.
  uint32_t Reached(int64_t first, const Box &box) const {
    const F32 d;
    uint32_t bits = 0;
    for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, bounds_, first + i, box, offset_);
      bits |= static_cast<uint32_t>(hn::BitsFromMask(d, hn::Gt(inter, hn::Zero(d)))) << i;
    }
    return bits;
  }

  void DecayBlock(int64_t block, const Box &picked, float least, bool everywhere) {
    const F32 d;
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, boxes_, i, picked, offset_);
      if (!everywhere && hn::AllFalse(d, hn::Gt(inter, hn::Zero(d)))) continue;
      const V iou = OverUnion(d, inter, hn::LoadU(d, &boxes_.area[i]), picked);
      DecayVector(i, decay_.Weight(d, iou), least);
    }
    FindBest(block);
  }

  void DecayVector(int64_t i, V weight, float least) {
    const F32 d;
    const V scores = hn::Mul(hn::LoadU(d, &scores_[i]), weight);
    hn::StoreU(scores, d, &scores_[i]);
    uint64_t low = hn::BitsFromMask(d, hn::Lt(scores, hn::Set(d, least)));
    for (; low != 0; low &= low - 1) low_.push_back(slots_[i + hwy::Num0BitsBelowLS1Bit_Nonzero64(low)]);
  }

  // Of half of the lanes that a pick reaches the overlap is 0, whose weight is 1, and others have been
  // picked: exponentials are taken of the rest, side by side. 1.3 x at AVX-512.
  void CollectOverlaps(int64_t block, const Box &picked, bool everywhere) {
    const F32 d;
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, boxes_, i, picked, offset_);
      const V scores = hn::LoadU(d, &scores_[i]);
      const auto has_score = hn::Eq(scores, scores);
      if (!everywhere && hn::AllFalse(d, hn::And(hn::Gt(inter, hn::Zero(d)), has_score))) continue;
      const V iou = OverUnion(d, inter, hn::LoadU(d, &boxes_.area[i]), picked);
      // An overlap of 0/0 is one.
      const auto decays = hn::AndNot(hn::Eq(iou, hn::Zero(d)), has_score);
      hn::StoreMaskBits(d, decays, &decays_[visited_count_ * kMaskBytes]);
      visited_[visited_count_++] = static_cast<int32_t>(i);
      const V power = hn::Div(hn::Neg(hn::Mul(iou, iou)), hn::Set(d, decay_.sigma));
      weights_count_ += hn::CompressStore(power, decays, d, &weights_[weights_count_]);
    }
  }

  void DecayCollected(float least) {
    const F32 d;
    for (size_t i = 0; i < weights_count_; i += hn::Lanes(d)) {
      hn::StoreU(ExpRounded(d, hn::LoadU(d, &weights_[i])), d, &weights_[i]);
    }
    const float *weights = weights_.data();
    for (size_t v = 0; v < visited_count_; ++v) {
      const auto decays = hn::LoadMaskBits(d, &decays_[v * kMaskBytes]);
      const V weight = hn::IfThenElse(decays, hn::LoadExpand(decays, d, weights), hn::Set(d, 1.0f));
      weights += hn::CountTrue(d, decays);
      DecayVector(visited_[v], weight, least);
      if (v + 1 == visited_count_ || visited_[v] / kLanes != visited_[v + 1] / kLanes)
        FindBest(visited_[v] / kLanes);
    }
    visited_count_ = weights_count_ = 0;
  }

  // The best score of a block.
  void FindBest(int64_t block) {
    const F32 d;
    V best = hn::Set(d, -kInfinity);
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V scores = hn::LoadU(d, &scores_[i]);
      best = hn::IfThenElse(hn::Gt(scores, best), scores, best);
    }
    best_[block] = hn::ReduceMax(d, best);
  }

  // Where the box of the best score is, and of the first slot among those that have it.
  int32_t Best() const {
    const F32 d;
    V best = hn::LoadU(d, best_.data());
    for (size_t i = hn::Lanes(d); i < best_.size(); i += hn::Lanes(d))
      best = hn::Max(best, hn::LoadU(d, &best_[i]));
    best = hn::Set(d, hn::ReduceMax(d, best));
    int32_t slot = std::numeric_limits<int32_t>::max();
    for (size_t first = 0; first < best_.size(); first += hn::Lanes(d)) {
      uint64_t blocks = hn::BitsFromMask(d, hn::Eq(hn::LoadU(d, &best_[first]), best));
      for (; blocks != 0; blocks &= blocks - 1) {
        const size_t block = first + hwy::Num0BitsBelowLS1Bit_Nonzero64(blocks);
        if (block * kLanes >= scores_.size()) break;
        for (size_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
          uint64_t lanes = hn::BitsFromMask(d, hn::Eq(hn::LoadU(d, &scores_[i]), best));
          for (; lanes != 0; lanes &= lanes - 1) {
            slot = std::min(slot, slots_[i + hwy::Num0BitsBelowLS1Bit_Nonzero64(lanes)]);
          }
        }
      }
    }
    return at_[slot];
  }

  float offset_;
  Decay decay_;
  bool by_place_;
  Boxes boxes_{0}, bounds_{0};            // of lanes, of blocks
  std::vector<float> scores_, best_;      // the same
  std::vector<int32_t> indices_, slots_;  // of lanes: where a box is in the input, and its slot
  std::vector<int32_t> at_;               // of slots: the lane
  std::vector<int32_t> low_;              // slots of one pass
  std::vector<int32_t> visited_;          // lanes where vectors start that one pass reaches
  std::vector<uint8_t> decays_;           // bits of these: lanes whose scores decay
  std::vector<float> weights_;            // of those lanes, first as exponents
  size_t visited_count_ = 0, weights_count_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
