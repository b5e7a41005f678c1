// SPDX-License-Identifier: Apache-2.0
// Non-maximum suppression. Boxes are sorted by score and gathered as planes in that order; then they are
// decided a band at a time:
//   1. all cores compare the band with the boxes kept so far; what these suppress is dropped
//   2. all cores compare the rest with each other: a bit for each pair
//   3. one core walks through the bits, 64 boxes a word, and appends what is kept
// A tile of comparisons is a column of boxes against 64 better ones, whose bits are one word of each box. So
// work is shared evenly however few boxes are kept, and ends where enough are.
#pragma once

#include "nms_padded_tiling.h"
#include "sorted_boxes.h"

template <typename T, typename I, typename N, uint32_t KEY>
class NmsPadded {
 public:
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR idxs, GM_ADDR indices, GM_ADDR count,
                              GM_ADDR workspace, const NmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    boxes_ = boxes;
    scores_ = scores;
    idxs_ = idxs;
    workspace_ = workspace;
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(indices), tiling.outputs * kIndexHalves);
    count_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(count), kCountHalves);
    sorted_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.sorted));
    kept_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.kept));
    masks_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(workspace + tiling.masks));
    words_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint16_t *>(workspace + tiling.words));
    state_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(workspace + tiling.state), kStates);
  }

  __aicore__ inline void Process() {
    if (tiling_.most > 0 && tiling_.boxes > 0) SortBoxes();
    InitBuffers();
    for (int64_t begin = 0; begin < sorted_ && kept_ < tiling_.most; begin += tiling_.band) {
      DecideBand(begin, avo::MinRemaining(sorted_ - begin, tiling_.band));
    }
    StoreCount();
    FillRest();
  }

 private:
  static constexpr bool kClasses = KEY == 1;
  using Sorted = avo::SortedBoxes<T, kClasses>;
  static constexpr uint32_t kPlanes = Sorted::kCount;
  static constexpr uint32_t kColumns = avo::kBoxPlanes + (kClasses ? 2 : 0);  // planes that are compared
  static constexpr uint32_t kLanes = avo::kBoxLanes;
  static constexpr uint32_t kIndexHalves = sizeof(I) / sizeof(int32_t);
  static constexpr uint32_t kCountHalves = sizeof(N) / sizeof(int32_t);
  // A word has a bit for each of 64 boxes; logic works on 16 of them.
  static constexpr uint32_t kWordLanes = sizeof(uint64_t) / sizeof(uint16_t);
  static constexpr uint32_t kStates = 8;

  __aicore__ inline void SortBoxes() {
    avo::ScoreSort<T> sort;
    sort.Init(scores_, workspace_, tiling_, pipe_);
    sort.Process();
    const auto pairs = sort.Pairs();
    sorted_ = sort.Count();
    pipe_->Reset();
    Sorted sorted;
    sorted.Init(boxes_, idxs_, workspace_ + tiling_.sorted, tiling_, pipe_);
    sorted.Process(pairs, sorted_);
    avo::WaitForCores();
    pipe_->Reset();
  }

  __aicore__ inline void InitBuffers() {
    const uint32_t rows = tiling_.rows, band = tiling_.band, tile = rows * kLanes * sizeof(float);
    pipe_->InitBuffer(iou_, tile);
    pipe_->InitBuffer(band_, kPlanes * band * sizeof(float));
    pipe_->InitBuffer(alive_, kPlanes * band * sizeof(float));
    pipe_->InitBuffer(work_, 2 * tile + kHalfBanks * sizeof(float));
    pipe_->InitBuffer(column_, kColumns * rows * avo::kBlockBytes);
    pipe_->InitBuffer(lanes_, 2, kPlanes * tiling_.lanes * sizeof(float));
    pipe_->InitBuffer(bits_, 2, rows * sizeof(uint64_t));
    pipe_->InitBuffer(class_bits_, rows * sizeof(uint64_t));
    pipe_->InitBuffer(words_, band * sizeof(uint64_t));
    pipe_->InitBuffer(masks_, (AscendC::GetBlockNum() * band + kLanes) / 8);
    pipe_->InitBuffer(before_, kLanes * sizeof(uint64_t));
    pipe_->InitBuffer(pair_, 2 * kLanes * sizeof(uint64_t));
    pipe_->InitBuffer(kept_word_, avo::kBlockBytes);
    pipe_->InitBuffer(state_, kStates * sizeof(int32_t));
    auto before = before_.template Get<uint64_t>();
    for (uint32_t i = 0; i < kLanes; ++i) before.SetValue(i, (uint64_t{1} << i) - 1);
    avo::WaitFor<AscendC::HardEvent::S_V>(pipe_);
  }

  __aicore__ inline avo::BoxPlanes Band() { return {band_.template Get<float>(), tiling_.band}; }
  __aicore__ inline avo::BoxPlanes Alive() { return {alive_.template Get<float>(), tiling_.band}; }
  __aicore__ inline avo::BoxPlanes Column() {
    return {column_.template Get<float>(),
            tiling_.rows * avo::kBlockBytes / static_cast<uint32_t>(sizeof(float))};
  }

  __aicore__ inline void DecideBand(int64_t begin, uint32_t count) {
    auto mask = masks_.template Get<uint16_t>();
    AscendC::Duplicate(Band().planes, 0.0f, kPlanes * tiling_.band);
    avo::WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    avo::CopyRowsIn(Band().planes, tiling_.band, sorted_gm_, begin, tiling_.pitch, kPlanes, count);
    avo::WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    if (kept_lanes_ > 0) {
      CompareWithKept(count);
    } else {
      AscendC::Duplicate(mask, static_cast<uint16_t>(0xffff), tiling_.band / 16);
    }
    const uint32_t alive = Choose(Alive(), Band(), mask, count);
    CompareWithin(alive);
    avo::WaitForCores();
    if (AscendC::GetBlockIdx() == 0) Resolve(alive);
    avo::WaitForCores();
    auto state = state_.template Get<int32_t>();
    avo::CopyRowsIn(state, kStates, state_gm_, 0, 0, 1, kStates);
    avo::WaitFor<AscendC::HardEvent::MTE2_S>(pipe_);
    kept_ = state.GetValue(0);
    kept_lanes_ = state.GetValue(1);
  }

  // Packs the boxes whose bit is set, with NaN behind them, which neither suppresses nor is suppressed.
  __aicore__ inline uint32_t Choose(const avo::BoxPlanes &to, const avo::BoxPlanes &from,
                                    const AscendC::LocalTensor<uint16_t> &mask, uint32_t count) {
    AscendC::Duplicate(to.planes, __builtin_nanf(""), kPlanes * tiling_.band);
    uint64_t chosen = 0;
    for (uint32_t plane = 0; plane < kPlanes && count > 0; ++plane) {
      AscendC::GatherMask(to[plane], from[plane], mask.template ReinterpretCast<uint32_t>(), true, count,
                          {1, 1, 8, 8}, chosen);
    }
    return static_cast<uint32_t>(chosen);
  }

  // Clears the bits of `mask` of boxes that a kept one suppresses: tiles over the rows of the band, and over
  // the kept boxes.
  __aicore__ inline void CompareWithKept(uint32_t count) {
    const uint32_t groups = static_cast<uint32_t>(kept_lanes_ / kLanes);
    const uint32_t columns = (count + tiling_.rows - 1) / tiling_.rows;
    auto words = words_.template Get<uint16_t>();
    AscendC::Duplicate(words, static_cast<uint16_t>(0), tiling_.band * kWordLanes);
    const avo::Share share = avo::CoreShare(static_cast<int64_t>(columns) * groups);
    for (int64_t tile = share.begin; tile < share.end;) {
      const uint32_t first = static_cast<uint32_t>(tile / groups) * tiling_.rows;
      const int64_t last = tile - tile % groups + groups;
      const uint32_t rows = avo::RoundUp(avo::MinRemaining(count - first, tiling_.rows), kBrcbRows);
      SpreadColumn(Band().From(first), rows);
      for (const int64_t end = last < share.end ? last : share.end; tile < end;) {
        const uint32_t taken = avo::MinRemaining(end - tile, tiling_.lanes / kLanes);
        auto lanes = lanes_.template AllocTensor<float>();
        avo::CopyRowsIn(lanes, tiling_.lanes, kept_gm_, tile % groups * kLanes, tiling_.keptPitch, kPlanes,
                        taken * kLanes);
        lanes_.EnQue(lanes);
        lanes = lanes_.template DeQue<float>();
        for (uint32_t i = 0; i < taken; ++i) {
          auto bits = bits_.template AllocTensor<uint16_t>();
          CompareTile(bits, avo::BoxPlanes{lanes, tiling_.lanes}.From(i * kLanes), rows);
          AscendC::Or(words[first * kWordLanes], words[first * kWordLanes], bits, rows * kWordLanes);
          bits_.FreeTensor(bits);
        }
        lanes_.FreeTensor(lanes);
        tile += taken;
      }
    }
    CombineMasks(words);
  }

  // The boxes that no core found suppressed.
  __aicore__ inline void CombineMasks(const AscendC::LocalTensor<uint16_t> &words) {
    const uint32_t lanes = tiling_.band / 16, cores = AscendC::GetBlockNum();
    auto masks = masks_.template Get<uint16_t>();
    ZeroWords(masks, words, tiling_.band);
    avo::WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    avo::CopyRowsOut(masks_gm_, AscendC::GetBlockIdx() * lanes, lanes, masks, lanes, 1, lanes);
    avo::WaitForCores();
    avo::CopyRowsIn(masks, cores * lanes, masks_gm_, 0, 0, 1, cores * lanes);
    avo::WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    for (uint32_t left = cores; left > 1;) {
      const uint32_t half = left / 2;
      left -= half;
      AscendC::And(masks, masks, masks[left * lanes], half * lanes);
    }
  }

  // Bit i: whether word i is 0, for a multiple of 64 words.
  __aicore__ inline void ZeroWords(const AscendC::LocalTensor<uint16_t> &bits,
                                   const AscendC::LocalTensor<uint16_t> &words, uint32_t count) {
    constexpr uint8_t kEven = 1, kOdd = 2;
    auto low = work_.template Get<uint32_t>(), high = low[count];
    auto halves = words.template ReinterpretCast<uint32_t>();
    uint64_t taken = 0;
    AscendC::GatherMask(low, halves, kEven, true, 2 * count, {1, 1, 8, 0}, taken);
    AscendC::GatherMask(high, halves, kOdd, true, 2 * count, {1, 1, 8, 0}, taken);
    auto either = low.template ReinterpretCast<uint16_t>();
    AscendC::Or(either, either, high.template ReinterpretCast<uint16_t>(), 2 * count);
    AscendC::CompareScalar(bits.template ReinterpretCast<uint8_t>(), low.template ReinterpretCast<int32_t>(),
                           0, AscendC::CMPMODE::EQ, count);
  }

  // Which boxes of the band suppress which, as far as those are better: rows of words, one for each 64 boxes.
  __aicore__ inline void CompareWithin(uint32_t count) {
    const uint32_t whole = avo::RoundUp(count, kLanes);
    int64_t tiles = 0;
    for (uint32_t first = 0; first < whole; first += tiling_.rows) tiles += GroupsBefore(first, whole);
    const avo::Share share = avo::CoreShare(tiles);
    int64_t tile = 0;
    for (uint32_t first = 0; first < whole && tile < share.end; first += tiling_.rows) {
      const uint32_t groups = GroupsBefore(first, whole),
                     rows = avo::MinRemaining(whole - first, tiling_.rows);
      if (tile + groups > share.begin) SpreadColumn(Alive().From(first), rows);
      for (uint32_t group = 0; group < groups; ++group, ++tile) {
        if (tile < share.begin || tile >= share.end) continue;
        auto bits = bits_.template AllocTensor<uint16_t>();
        CompareTile(bits, Alive().From(group * kLanes), rows);
        bits_.EnQue(bits);
        bits = bits_.template DeQue<uint16_t>();
        const int64_t place = (static_cast<int64_t>(group) * tiling_.band + first) * kWordLanes;
        avo::CopyRowsOut(words_gm_, place, 0, bits, rows * kWordLanes, 1, rows * kWordLanes);
        bits_.FreeTensor(bits);
      }
    }
  }
  // Groups of 64 boxes that begin before the last row of a column.
  __aicore__ inline uint32_t GroupsBefore(uint32_t first, uint32_t whole) {
    return (avo::MinRemaining(whole, first + tiling_.rows) + kLanes - 1) / kLanes;
  }

  __aicore__ inline void SpreadColumn(const avo::BoxPlanes &boxes, uint32_t rows) {
    for (uint32_t plane = 0; plane < avo::kBoxPlanes; ++plane) {
      avo::SpreadRows(Column()[plane], boxes[plane], rows);
    }
    if constexpr (kClasses) {
      for (uint32_t half = 0; half < 2; ++half) {
        avo::SpreadRows(Column()[avo::kBoxPlanes + half], boxes[avo::kClassLow + half], rows);
      }
    }
  }

  // Word r: the bits of `lanes` that overlap row r of the column above the threshold, and are of its class.
  __aicore__ inline void CompareTile(const AscendC::LocalTensor<uint16_t> &bits, const avo::BoxPlanes &lanes,
                                     uint32_t rows) {
    auto iou = iou_.template Get<float>(), work = work_.template Get<float>()[kHalfBanks];
    const uint32_t count = rows * kLanes;
    avo::IouOf(avo::BoxRows{lanes, Column(), rows}, iou, work, work[tiling_.rows * kLanes], tiling_.offset,
               count);
    AscendC::CompareScalar(bits.template ReinterpretCast<uint8_t>(), iou, tiling_.iouThreshold,
                           AscendC::CMPMODE::GT, count);
    if constexpr (kClasses) {
      auto same = class_bits_.template Get<uint8_t>();
      for (uint32_t half = 0; half < 2; ++half) {
        AscendC::Compare(same, lanes[avo::kClassLow + half].template ReinterpretCast<int32_t>(),
                         Column()[avo::kBoxPlanes + half].template ReinterpretCast<int32_t>(),
                         AscendC::CMPMODE::EQ, static_cast<uint64_t>(kLanes), static_cast<uint8_t>(rows),
                         avo::BoxRows::Strides());
        AscendC::And(bits, bits, same.template ReinterpretCast<uint16_t>(), rows * kWordLanes);
      }
    }
  }

  // Walks through the band's boxes, 64 at a time, and appends those that are kept.
  __aicore__ inline void Resolve(uint32_t count) {
    const uint32_t groups = (count + kLanes - 1) / kLanes;
    auto removed = words_.template Get<uint16_t>();
    auto kept = masks_.template Get<uint64_t>();
    AscendC::Duplicate(removed, static_cast<uint16_t>(0), groups * kLanes * kWordLanes);
    for (uint32_t group = 0; group < groups; ++group) {
      const uint32_t later = (groups - group - 1) * kLanes;  // boxes behind the group
      auto words = iou_.template Get<uint16_t>();
      const int64_t place = static_cast<int64_t>(group) * (tiling_.band + kLanes) * kWordLanes;
      avo::WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
      avo::CopyRowsIn(words, (later + kLanes) * kWordLanes, words_gm_, place, 0, 1,
                      (later + kLanes) * kWordLanes);
      avo::WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
      const uint64_t word = KeptOf(removed[group * kLanes * kWordLanes], words, count - group * kLanes);
      kept.SetValue(group, word);
      if (later == 0 || word == 0) continue;
      // What the group's kept boxes suppress further on.
      auto all = kept_word_.template Get<uint64_t>();
      for (uint32_t i = 0; i < avo::kBlockBytes / sizeof(uint64_t); ++i) all.SetValue(i, word);
      avo::WaitFor<AscendC::HardEvent::S_V>(pipe_);
      constexpr uint64_t kRepeat = 128;  // 16-bit lanes
      words = words[kLanes * kWordLanes];
      AscendC::And(words, words, kept_word_.template Get<uint16_t>(), kRepeat,
                   static_cast<uint8_t>(later * kWordLanes / kRepeat), {1, 1, 0, 8, 8, 0});
      auto behind = removed[(group + 1) * kLanes * kWordLanes];
      AscendC::Or(behind, behind, words, later * kWordLanes);
    }
    avo::WaitFor<AscendC::HardEvent::S_V>(pipe_);
    Append(Choose(Band(), Alive(), masks_.template Get<uint16_t>(), count));
  }

  // Bits of the kept ones among the first `count` of 64 boxes; `words`: which of the 64 suppress each.
  __aicore__ inline uint64_t KeptOf(const AscendC::LocalTensor<uint16_t> &removed,
                                    const AscendC::LocalTensor<uint16_t> &words, uint32_t count) {
    constexpr uint32_t kWords = kLanes * kWordLanes;
    auto both = pair_.template Get<uint16_t>(), better = both[kWords];
    AscendC::Or(both, removed, removed, kWords);
    AscendC::And(better, words, before_.template Get<uint16_t>(), kWords);
    auto zero = kept_word_.template Get<uint16_t>();
    ZeroWords(zero, both, 2 * kLanes);
    avo::WaitFor<AscendC::HardEvent::V_S>(pipe_);
    uint64_t kept = zero.template ReinterpretCast<uint64_t>().GetValue(0);
    if (count < kLanes) kept &= (uint64_t{1} << count) - 1;
    // The others have no better box above the threshold.
    uint64_t open = kept & ~zero.template ReinterpretCast<uint64_t>().GetValue(1);
    while (open != 0) {
      const uint64_t bit = open & (~open + 1);
      const auto row = static_cast<uint32_t>(AscendC::ScalarGetSFFValue<1>(open));
      if ((better.template ReinterpretCast<uint64_t>().GetValue(row) & kept) != 0) kept &= ~bit;
      open &= ~bit;
    }
    return kept;
  }

  // The first `count` boxes of the band are kept, as far as there is room for them.
  __aicore__ inline void Append(uint32_t count) {
    const uint32_t stored = avo::MinRemaining(tiling_.most - kept_, count),
                   lanes = avo::RoundUp(count, kLanes);
    auto state = state_.template Get<int32_t>();
    for (uint32_t i = 0; i < kStates; ++i) state.SetValue(i, 0);
    state.SetValue(0, static_cast<int32_t>(kept_ + stored));
    state.SetValue(1, static_cast<int32_t>(kept_lanes_ + lanes));
    auto indices = Band()[avo::kIndex].template ReinterpretCast<int32_t>();
    if constexpr (kIndexHalves > 1) {
      auto wide = work_.template Get<I>();
      AscendC::Cast(wide, indices, AscendC::RoundMode::CAST_NONE, count);
      indices = wide.template ReinterpretCast<int32_t>();
    }
    avo::WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    avo::WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    avo::CopyRowsOut(state_gm_, 0, 0, state, kStates, 1, kStates);
    if (count == 0) return;
    avo::CopyRowsOut(kept_gm_, kept_lanes_, tiling_.keptPitch, Band().planes, tiling_.band, kPlanes, lanes);
    const uint32_t halves = stored * kIndexHalves;
    avo::CopyRowsOut(indices_gm_, kept_ * kIndexHalves, 0, indices, avo::RoundUp(halves, 8), 1, halves);
  }

  __aicore__ inline void StoreCount() {
    if (AscendC::GetBlockIdx() != 0) return;
    auto state = state_.template Get<int32_t>();
    for (uint32_t i = 0; i < kCountHalves; ++i) state.SetValue(i, i == 0 ? static_cast<int32_t>(kept_) : 0);
    avo::WaitFor<AscendC::HardEvent::S_MTE3>(pipe_);
    avo::CopyRowsOut(count_gm_, 0, 0, state, kStates, 1, kCountHalves);
  }

  // -1 behind the kept boxes, by all cores.
  __aicore__ inline void FillRest() {
    const uint32_t most = tiling_.rows * kLanes;
    const int64_t begin = kept_ * kIndexHalves, halves = tiling_.outputs * kIndexHalves - begin;
    AscendC::Duplicate(iou_.template Get<int32_t>(), -1, most);
    avo::WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
    const avo::Share share = avo::CoreShare((halves + most - 1) / most);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const uint32_t count = avo::MinRemaining(halves - i * most, most);
      avo::CopyRowsOut(indices_gm_, begin + i * most, 0, iou_.template Get<int32_t>(), most, 1, count);
    }
  }

  static constexpr uint32_t kHalfBanks = 64;  // floats: half of the bank groups
  static constexpr uint32_t kBrcbRows = 8;

  AscendC::TBuf<AscendC::TPosition::VECCALC> iou_, band_, alive_, work_, column_, class_bits_, words_, masks_,
      before_, pair_, kept_word_, state_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> lanes_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> bits_;
  AscendC::GlobalTensor<float> sorted_gm_, kept_gm_;
  AscendC::GlobalTensor<uint16_t> masks_gm_, words_gm_;
  AscendC::GlobalTensor<int32_t> indices_gm_, count_gm_, state_gm_;
  AscendC::TPipe *pipe_;
  NmsPaddedTiling tiling_;
  GM_ADDR boxes_;
  GM_ADDR scores_;
  GM_ADDR idxs_;
  GM_ADDR workspace_;
  int64_t sorted_ = 0;      // boxes in order
  int64_t kept_ = 0;        // boxes kept
  int64_t kept_lanes_ = 0;  // lanes they take: each band's start a new group
};
