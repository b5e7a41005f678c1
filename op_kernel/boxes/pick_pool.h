// SPDX-License-Identifier: Apache-2.0
// Soft suppression by pools: takes many picks before it decays the scores of the table. No score rises, so as
// long as some box has a score of t or more, the next pick is one of the boxes that have it now:
//
//   pool    These boxes, at most 64. Their weights on each other fill a tile.
//   picks   The largest score of the pool is picked, until it is less than t. A pick decays the 64 scores of
//           the pool with one instruction.
//   decay   All scores of the table are multiplied by the weights of all picks, in the order of the picks.
//   drop    Boxes that were picked, and boxes whose score is below min_score, leave the table.
//
// Boxes keep the order of the input here. Picks of SoftNmsPadded move boxes to other entries, which makes a
// difference where several boxes have the largest score, or where a score is NaN. Run() returns false then.
#pragma once

#include "../common/vectors/bits.h"
#include "box_table.h"
#include "pick_pool_buffers.h"
#include "picked_boxes.h"

namespace avo {

template <typename T, typename I>
class PickPool {
  using F = AscendC::LocalTensor<float>;
  static constexpr uint32_t kRow = kEntryGroup;
  static constexpr uint32_t kEntry = kFields;  // the plane of entries in the table

 public:
  // min_score: boxes of a lower score are dropped; above 0.
  __aicore__ inline void Init(const PickPoolBuffers &buffers, float offset, float min_score,
                              AscendC::TPipe *pipe) {
    offset_ = offset;
    min_score_ = min_score;
    pipe->InitBuffer(weights_, buffers.weights.bytes);
    pipe->InitBuffer(spread_, buffers.spread.bytes);
    pipe->InitBuffer(picked_, buffers.picked.bytes);
    pipe->InitBuffer(scores_, buffers.scores.bytes);
    pipe->InitBuffer(planes_, buffers.planes.bytes);
    pipe->InitBuffer(best_, buffers.best.bytes);
    pipe->InitBuffer(mask_, buffers.mask.bytes);
    pipe->InitBuffer(work_, buffers.work.bytes);
    AscendC::Duplicate(spread_.Get<float>(), 0.0f, PickPoolBuffers::kTile);
  }

  // Picks from the first `count` entries of the table. Returns whether all picks are certain; otherwise the
  // table and the picked boxes have no meaning.
  __aicore__ inline bool Run(BoxTable &table, PickedBoxes<T, I> &picked, uint32_t count) {
    count_ = count;
    if (!ScoresOnlyFall(table)) return false;
    ceiling_ = table.FindLargest(0, count, false).score;
    if (!(ceiling_ >= min_score_)) return false;
    width_ = (ceiling_ - min_score_) * kPoolBoxes / static_cast<float>(static_cast<int32_t>(count));
    while (count_ > 0) {
      if (!FillPool(table)) return false;
      const uint32_t picks = Pick(table);
      if (HasTie(table, picks)) return false;
      picked.AddSpread(picked_.Get<float>(), table.Pattern(0), picks);
      DecayAll(table, picks);
      Drop(table);
    }
    return true;
  }

 private:
  __aicore__ inline F Plane(uint32_t plane) { return planes_.Get<float>()[plane * kPoolBoxes]; }
  __aicore__ inline F Weights(uint32_t row) { return weights_.Get<float>()[row * kRow]; }
  // Tiles for intermediate results. They start 256 bytes further than the weights, modulo 512 bytes.
  __aicore__ inline F Work(uint32_t n) {
    return work_.Get<float>()[n * PickPoolBuffers::kTile + kEntryGroup];
  }
  __aicore__ inline F Scores(uint32_t pick) { return scores_.Get<float>()[pick * kRow]; }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Mask() { return mask_.Get<uint8_t>(); }
  __aicore__ inline uint32_t WholeGroups() { return (count_ + kEntryGroup - 1) / kEntryGroup * kEntryGroup; }

  // Marks the entries whose element of a plane compares with a bound. Returns how many they are.
  __aicore__ inline uint32_t Mark(BoxTable &table, const F &plane, float bound, AscendC::CMPMODE mode) {
    AscendC::CompareScalar(Mask(), plane, bound, mode, WholeGroups());
    return PackMarked(table.Plane(kWork + 1), plane, Mask(), count_);
  }

  // Whether no score rises or becomes NaN before its box is dropped: all boxes have a width, a height and a
  // finite area, so that weights are from 0 to 1, and scores are finite. Scores below 0 are dropped.
  __aicore__ inline bool ScoresOnlyFall(BoxTable &table) {
    using AscendC::CMPMODE;
    const float largest = AscendC::GetScalarBitcodeValue<uint32_t, float>(0x7f7fffffu);
    auto side = table.Plane(kWork), height = table.Plane(kWork + 2);
    const auto area = table.Plane(kArea), score = table.Plane(kScore);
    Extent(side, table.Plane(kX2), table.Plane(kX1), offset_, WholeGroups());
    Extent(height, table.Plane(kY2), table.Plane(kY1), offset_, WholeGroups());
    AscendC::Min(side, side, height, WholeGroups());
    return Mark(table, side, 0.0f, CMPMODE::GT) == count_ && Mark(table, area, 0.0f, CMPMODE::GT) == count_ &&
           Mark(table, area, largest, CMPMODE::LE) == count_ &&
           Mark(table, score, largest, CMPMODE::LE) == count_ &&
           Mark(table, score, -largest, CMPMODE::GE) == count_;
  }

  // Marks the boxes of the next pool: finds a bound_ that 32 to 64 scores reach; at least one where that
  // takes many attempts; all that are left in the end. Returns false where it finds none.
  __aicore__ inline bool MarkPool(BoxTable &table) {
    constexpr uint32_t kAttempts = 32, kEnough = kPoolBoxes / 2, kPatience = 8;
    float below = min_score_, above = ceiling_;  // too many boxes reach `below`, too few reach `above`
    bool bracketed = false;
    bound_ = ceiling_ - width_;
    for (uint32_t attempt = 0; attempt < kAttempts; ++attempt) {
      if (!(bound_ > min_score_)) bound_ = min_score_;
      boxes_ = Mark(table, table.Plane(kScore), bound_, AscendC::CMPMODE::GE);
      if (boxes_ > kPoolBoxes) {
        below = bound_;
        bracketed = true;
      } else if (boxes_ >= kEnough || bound_ == min_score_ || (boxes_ > 0 && attempt >= kPatience)) {
        width_ = ceiling_ - bound_;
        ceiling_ = bound_;
        return true;
      } else {
        above = bound_;
      }
      bound_ = bracketed ? (below + above) * 0.5f : ceiling_ - 2.0f * (ceiling_ - bound_);
    }
    return false;
  }

  // Copies the boxes of the next pool to its planes and computes their weights on each other. A box has
  // weight 0 on itself, so that it is picked once.
  __aicore__ inline bool FillPool(BoxTable &table) {
    if (!MarkPool(table)) return false;
    constexpr float kVast = 1e30f;  // the area of lanes without a box: nothing overlaps with them
    AscendC::Duplicate(planes_.Get<float>(), 0.0f, (kFields + 1) * kPoolBoxes);
    AscendC::Duplicate(Plane(kArea), kVast, kPoolBoxes);
    for (uint32_t plane = 0; plane < kFields; ++plane)
      PackMarked(Plane(plane), table.Plane(plane), Mask(), count_);
    PackMarked(Plane(kEntry), table.Plane(kNumbers), Mask(), count_);
    for (uint32_t plane = 0; plane <= kIndex; ++plane) {
      AscendC::Brcb(spread_.Get<float>()[plane * kRecord], Plane(plane), kPoolBoxes / kRecord,
                    {kRecord, kRecord * kRecord});
    }
    const SpreadBoxRows pairs{{planes_.Get<float>(), kPoolBoxes}, spread_.Get<float>(), boxes_};
    table.WeightsOf(pairs, Weights(0), Work(0), Work(1), Mask(), boxes_ * kRow);
    for (uint32_t lane = 0; lane < kRecord; ++lane) {
      // Rows lane, lane + 8, …: the box itself is in this lane of data block 0, 1, …
      uint64_t itself[] = {uint64_t{1} << lane, 0};
      AscendC::Duplicate(Weights(lane), 0.0f, itself, kPoolBoxes / kRecord, 1, kRecord * kRow / kRecord + 1);
    }
    return true;
  }

  // Picks boxes of the pool until the largest score is below the bound. Their scores in the table become 0.
  // Returns how many are picked.
  __aicore__ inline uint32_t Pick(BoxTable &table) {
    auto best = best_.Get<float>();
    const auto entries = Plane(kEntry).template ReinterpretCast<uint32_t>();
    AscendC::Adds(Scores(0), Plane(kScore), 0.0f, kRow);
    uint32_t picks = 0;
    for (; picks < boxes_; ++picks) {
      const auto found = best[picks * kRecord];
      AscendC::WholeReduceMax(found, Scores(picks), kRow, 1, 1, 1, 8);
      if (found.GetValue(0) < bound_) break;
      const uint32_t box = found.template ReinterpretCast<uint32_t>().GetValue(1);
      AscendC::Mul(Scores(picks + 1), Scores(picks), Weights(box), kRow);
      AscendC::Copy(picked_.Get<float>()[picks * kRow], spread_.Get<float>()[box * kRow], kRow, 1,
                    {1, 1, 8, 8});
      table.Plane(kScore).SetValue(entries.GetValue(box), 0.0f);
    }
    return picks;
  }

  // Adds the scores of picked boxes to what is spread of them. Returns whether several boxes had the largest
  // score at a pick.
  __aicore__ inline bool HasTie(BoxTable &table, uint32_t picks) {
    if (picks == 0) return false;
    auto best = best_.Get<float>(), values = best[kPoolBoxes * kRecord];
    uint64_t gathered = 0;
    const uint32_t repeats = (picks + kRecord - 1) / kRecord;
    AscendC::GatherMask(values, best, table.Pattern(0), true, kRow, {1, static_cast<uint16_t>(repeats), 8, 0},
                        gathered);
    auto blocks = picked_.Get<float>()[kScore * kRecord];
    AscendC::Brcb(blocks, values, static_cast<uint8_t>(repeats), {kRecord, kRecord * kRecord});
    AscendC::Compare(Mask(), Scores(0), blocks, AscendC::CMPMODE::EQ, kRow, static_cast<uint8_t>(picks),
                     {1, 1, 0, 8, 8, 8});
    return PackMarked(Work(0), Scores(0), Mask(), picks * kRow) != picks;
  }

  // Multiplies all scores of the table by the weights of the picked boxes, one after the other.
  __aicore__ inline void DecayAll(BoxTable &table, uint32_t picks) {
    if (picks == 0) return;
    for (uint32_t first = 0; first < count_; first += kEntryGroup) {
      const SpreadBoxRows pairs{{table.Plane(0)[first], table.entries()}, picked_.Get<float>(), picks};
      table.WeightsOf(pairs, Weights(0), Work(0), Work(1), Mask(), picks * kRow);
      auto score = table.Plane(kScore)[first];
      AscendC::Mul(score, Weights(0), score, kRow, static_cast<uint8_t>(picks), {1, 1, 1, 0, 8, 0});
    }
  }

  // Lets boxes with a score below min_score leave the table.
  __aicore__ inline void Drop(BoxTable &table) {
    const uint32_t left = Mark(table, table.Plane(kScore), min_score_, AscendC::CMPMODE::GE);
    if (left > 0 && left < count_) {
      for (uint32_t plane = 0; plane < kFields; ++plane) {
        PackMarked(table.Plane(plane), table.Plane(plane), Mask(), count_);
      }
    }
    count_ = left;
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_, spread_, picked_, scores_, planes_, best_, mask_,
      work_;
  float offset_, min_score_;
  float ceiling_;           // no score of the table is larger
  float width_;             // from the ceiling of the last pool down to its bound
  float bound_;             // scores of the pool are at least this
  uint32_t count_, boxes_;  // boxes of the table and of the pool
};

}  // namespace avo
