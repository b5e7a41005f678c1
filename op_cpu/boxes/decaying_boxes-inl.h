// SPDX-License-Identifier: Apache-2.0
// A table of boxes whose scores decay. Compiled once for each instruction set.
//
// Boxes lie in memory by place, in blocks of 16 neighbours. A block has bounds, so that a box that was picked
// visits only the blocks it overlaps with: a twentieth of 5,000 boxes in heaps. The entries of the table are
// numbers beside the boxes; a box moves to another entry, and stays where it is in memory.
//
//   block       0                   1                   …
//   bounds      one box around 16   one box around 16   …
//   best        the largest score   the largest score   …
//   lane        0    1    …    15   16   17   …    31   …     by place
//   entry       7    2    …    40    3   12   …     9   …     which entry holds the box of this lane
//   entries 0, 1, 2, 3, … have their boxes in lanes 21, 35, 1, 16, …            the other way round
#if defined(AVO_OP_CPU_BOXES_DECAYING_BOXES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_BOXES_DECAYING_BOXES_INL_H_
#undef AVO_OP_CPU_BOXES_DECAYING_BOXES_INL_H_
#else
#define AVO_OP_CPU_BOXES_DECAYING_BOXES_INL_H_
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

// How an overlap decays a score. Methods 0 and 1 decay it where the overlap is at least the threshold: 0 to
// nothing, 1 linearly. Method 2 decays it by a Gaussian.
struct DecayRule {
  int64_t method;
  float iou_threshold, sigma;

  // Returns the weights of overlaps by methods 0 and 1.
  template <class D, class V = hn::Vec<D>>
  V Weight(D d, V iou) const {
    const V one = hn::Set(d, 1.0f);
    const V least = hn::Set(d, iou_threshold);
    return hn::IfThenElse(hn::Ge(iou, least), method == 1 ? hn::Sub(one, iou) : hn::Zero(d), one);
  }
  // Returns whether an overlap of 0 may decay a score. A sigma that is 0 in float32 makes it NaN, exp(-0 /
  // 0).
  bool ZeroDecays() const { return method == 2 ? sigma == 0 : !(iou_threshold > 0); }
  // Returns whether only boxes that intersect decay each other; DecaysAll() tells the exceptions.
  bool NeedsOverlap(const std::vector<Box> &boxes) const {
    return !ZeroDecays() && std::all_of(boxes.begin(), boxes.end(), [](const Box &box) {
      return box.area >= 0 && std::isfinite(box.area);
    });
  }
  // Returns whether a picked box may decay boxes anywhere. The overlap of two boxes without an area is 0/0,
  // and the Gaussian of NaN is NaN.
  bool DecaysAll(const Box &picked) const { return method == 2 && picked.area == 0; }
};

// Entries decide which of equal scores is picked, and which box moves to which entry. Lanes without a box,
// and boxes that are picked or dropped, have NaN for a score: it is never the best and never low.
class DecayingBoxes {
 public:
  struct Picked {
    Box box;
    float score;
    int64_t index;
  };

  // boxes, scores: of entries 0, 1, …; offset: added to widths and heights.
  DecayingBoxes(const std::vector<Box> &boxes, const std::vector<float> &scores, float offset, DecayRule rule)
      : offset_(offset), rule_(rule), by_place_(rule.NeedsOverlap(boxes)), lane_of_(boxes.size()) {
    const int64_t count = static_cast<int64_t>(boxes.size()), blocks = RoundUp(count) / kLanes;
    indices_ = by_place_ ? ByPlace(boxes, kLanes) : InOrder(count);
    entry_of_ = indices_;
    entry_of_.resize(static_cast<size_t>(RoundUp(count)));  // read a vector at a time, as scores are
    boxes_ = Boxes(RoundUp(count));
    scores_.assign(RoundUp(count), kNaN);
    visited_.resize(RoundUp(count));
    decays_.resize((RoundUp(count) + 1) * kMaskBytes);
    weights_.resize(RoundUp(count) + kLanes);  // stored a vector at a time
    // Bounds are read a vector at a time; those behind the last block are empty and overlap with nothing.
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
        lane_of_[entry_of_[i]] = static_cast<int32_t>(i);
      }
      bounds_.Set(block, bound);
    }
    for (int64_t block = 0; block < blocks; ++block) FindBest(block);
  }

  // Number of entries that are not dropped, those of picked boxes included.
  int64_t count() const { return static_cast<int64_t>(lane_of_.size()); }

  // Picks the best score of the entries from `entry` on, the first of equal ones, and exchanges its box with
  // that of `entry`. Where the score of `entry` is NaN, it is picked itself: no score is above it.
  Picked Pick(int64_t entry) {
    const int32_t lane = lane_of_[entry], best = std::isnan(scores_[lane]) ? lane : LaneOfBest();
    std::swap(lane_of_[entry], lane_of_[entry_of_[best]]);
    std::swap(entry_of_[lane], entry_of_[best]);
    const Picked picked{boxes_[best], std::exchange(scores_[best], kNaN), indices_[best]};
    FindBest(best / kLanes);
    return picked;
  }

  // Decays the scores behind `entry` by their overlap with the box picked into it. Then drops scores below
  // `least`: the box of the last entry moves to such an entry, unless it is low itself.
  void Decay(const Box &picked, int64_t entry, float least) {
    low_.clear();
    // The first pick visits all boxes, to find those that are low from the start.
    const bool all = !by_place_ || entry == 0 || rule_.DecaysAll(picked);
    for (size_t first = 0; first < best_.size(); first += kLanes) {
      uint32_t reached = all ? (1u << kLanes) - 1 : FindReached(first, picked);
      for (; reached != 0; reached &= reached - 1) {
        const size_t block = first + hwy::Num0BitsBelowLS1Bit_Nonzero32(reached);
        if (block * kLanes >= scores_.size()) break;
        if (rule_.method == 2) {
          CollectOverlaps(block, picked, all);
        } else {
          DecayBlock(block, picked, least, all);
        }
      }
    }
    DecayCollected(least);
    std::sort(low_.begin(), low_.end());
    for (const int32_t low : low_) {
      while (low < count() && scores_[lane_of_[low]] < least) {
        scores_[lane_of_[low]] = kNaN;
        FindBest(lane_of_[low] / kLanes);
        lane_of_[low] = lane_of_.back();
        entry_of_[lane_of_[low]] = low;
        lane_of_.pop_back();
      }
    }
  }

 private:
  static constexpr int64_t kLanes = 16;
  static constexpr size_t kMaskBytes = 8;  // of a mask that Highway stores
  static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using F32 = hn::CappedTag<float, kLanes>;
  using V = hn::Vec<F32>;

  static int64_t RoundUp(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // Returns a bit for each of kLanes blocks from `first` on: whether the box and the bounds of the block
  // intersect.
  uint32_t FindReached(int64_t first, const Box &box) const {
    const F32 d;
    uint32_t bits = 0;
    for (size_t i = 0; i < kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, bounds_, first + i, box, offset_);
      bits |= static_cast<uint32_t>(hn::BitsFromMask(d, hn::Gt(inter, hn::Zero(d)))) << i;
    }
    return bits;
  }

  // Decays the scores of a block by methods 0 and 1. all: also of boxes that do not intersect the picked one.
  void DecayBlock(int64_t block, const Box &picked, float least, bool all) {
    const F32 d;
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, boxes_, i, picked, offset_);
      if (!all && hn::AllFalse(d, hn::Gt(inter, hn::Zero(d)))) continue;
      const V iou = OverUnion(d, inter, hn::LoadU(d, &boxes_.area[i]), picked);
      DecayVector(i, rule_.Weight(d, iou), least);
    }
    FindBest(block);
  }

  // Multiplies the scores of a vector of lanes by their weights, and collects the entries whose scores are
  // low then.
  void DecayVector(int64_t i, V weight, float least) {
    const F32 d;
    const V scores = hn::Mul(hn::LoadU(d, &scores_[i]), weight);
    hn::StoreU(scores, d, &scores_[i]);
    uint64_t low = hn::BitsFromMask(d, hn::Lt(scores, hn::Set(d, least)));
    for (; low != 0; low &= low - 1) low_.push_back(entry_of_[i + hwy::Num0BitsBelowLS1Bit_Nonzero64(low)]);
  }

  // Collects the exponents of method 2, of the lanes of a block whose scores decay. About half of the lanes
  // that a pick reaches need none: their overlap is 0 and their weight 1, or they have been picked. So the
  // exponents of all blocks are packed before exponentials are computed, which is 1.3 times as fast with
  // AVX-512.
  void CollectOverlaps(int64_t block, const Box &picked, bool all) {
    const F32 d;
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V inter = Inter(d, boxes_, i, picked, offset_);
      const V scores = hn::LoadU(d, &scores_[i]);
      const auto has_score = hn::Eq(scores, scores);
      if (!all && hn::AllFalse(d, hn::And(hn::Gt(inter, hn::Zero(d)), has_score))) continue;
      const V iou = OverUnion(d, inter, hn::LoadU(d, &boxes_.area[i]), picked);
      // An overlap of 0/0 is not equal to 0, and decays the score.
      const auto decays = rule_.ZeroDecays() ? has_score : hn::AndNot(hn::Eq(iou, hn::Zero(d)), has_score);
      hn::StoreMaskBits(d, decays, &decays_[visited_count_ * kMaskBytes]);
      visited_[visited_count_++] = static_cast<int32_t>(i);
      const V power = hn::Div(hn::Neg(hn::Mul(iou, iou)), hn::Set(d, rule_.sigma));
      weights_count_ += hn::CompressStore(power, decays, d, &weights_[weights_count_]);
    }
  }

  // Computes the exponentials that are collected, and decays the scores of their lanes.
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

  // Finds the best score of a block.
  void FindBest(int64_t block) {
    const F32 d;
    V best = hn::Set(d, -kInfinity);
    for (int64_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
      const V scores = hn::LoadU(d, &scores_[i]);
      best = hn::IfThenElse(hn::Gt(scores, best), scores, best);
    }
    best_[block] = hn::ReduceMax(d, best);
  }

  // Returns the lane of the best score; of equal scores, that of the first entry.
  int32_t LaneOfBest() const {
    const F32 d;
    V best = hn::LoadU(d, best_.data());
    for (size_t i = hn::Lanes(d); i < best_.size(); i += hn::Lanes(d))
      best = hn::Max(best, hn::LoadU(d, &best_[i]));
    best = hn::Set(d, hn::ReduceMax(d, best));
    int32_t entry = std::numeric_limits<int32_t>::max();
    for (size_t first = 0; first < best_.size(); first += hn::Lanes(d)) {
      uint64_t blocks = hn::BitsFromMask(d, hn::Eq(hn::LoadU(d, &best_[first]), best));
      for (; blocks != 0; blocks &= blocks - 1) {
        const size_t block = first + hwy::Num0BitsBelowLS1Bit_Nonzero64(blocks);
        if (block * kLanes >= scores_.size()) break;
        for (size_t i = block * kLanes; i < (block + 1) * kLanes; i += hn::Lanes(d)) {
          uint64_t lanes = hn::BitsFromMask(d, hn::Eq(hn::LoadU(d, &scores_[i]), best));
          for (; lanes != 0; lanes &= lanes - 1) {
            entry = std::min(entry, entry_of_[i + hwy::Num0BitsBelowLS1Bit_Nonzero64(lanes)]);
          }
        }
      }
    }
    return lane_of_[entry];
  }

  float offset_;
  DecayRule rule_;
  bool by_place_;              // whether neighbours in memory lie near each other, and picks visit few blocks
  Boxes boxes_{0};             // by lane
  Boxes bounds_{0};            // by block: a box around its boxes
  std::vector<float> scores_;  // by lane
  std::vector<float> best_;    // by block: its best score
  std::vector<int32_t> indices_;   // by lane: where the box is in the input
  std::vector<int32_t> entry_of_;  // by lane: the entry that has the box
  std::vector<int32_t> lane_of_;   // by entry: the lane of its box
  // What one pick collects.
  std::vector<int32_t> low_;      // entries whose scores are low
  std::vector<int32_t> visited_;  // first lanes of the vectors it reaches
  std::vector<uint8_t> decays_;   // by such vector: bits of the lanes whose scores decay
  std::vector<float> weights_;    // of these lanes, packed; exponents before they become weights
  size_t visited_count_ = 0, weights_count_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
