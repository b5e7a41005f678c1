// SPDX-License-Identifier: Apache-2.0
// A table of scored boxes in UB: decay of all scores by one box, the largest score, and the entries whose
// score is below a bound.
//
// The table has a plane for each field (box_planes.h), so that one instruction works on 64 entries. A box
// moves from one entry to another as a record, a data block of its fields; to write a record, it is spread:
// each field is repeated over a data block.
//
//   planes    x1 of entries 0, 1, 2, …   y1 of entries 0, 1, 2, …   x2 …   y2 …   area …   index …   score …
//   record    x1 y1 x2 y2 area index score .
//   spread    x1 x1 x1 x1 x1 x1 x1 x1 | y1 y1 … | x2 x2 … | y2 y2 … | area … | index … | score … | . .
//
// Operations take a range of entries [first, last). Vector instructions start at a multiple of 64 entries, so
// the entries between that multiple and `first` are dropped: their score becomes -inf.
#pragma once

#include "box_table_buffers.h"
#include "iou.h"

namespace avo {

enum DecayMethod : uint32_t { kNaive, kLinear, kGaussian };

struct DecayRule {
  uint32_t method;
  float offset, iou_threshold, sigma;
};

__aicore__ inline float MinusInfinity() {
  return AscendC::GetScalarBitcodeValue<uint32_t, float>(0xff800000u);
}

__aicore__ inline bool IsNan(float value) { return !(value == value); }

class BoxTable {
  using F = AscendC::LocalTensor<float>;
  using U = AscendC::LocalTensor<uint32_t>;

 public:
  struct Best {
    uint32_t entry;
    float score;
  };

  // entries: a multiple of 64.
  __aicore__ inline void Init(uint32_t entries, const BoxTableBuffers &buffers, const DecayRule &rule,
                              AscendC::TPipe *pipe) {
    entries_ = entries;
    rule_ = rule;
    pipe->InitBuffer(planes_, buffers.planes.bytes);
    pipe->InitBuffer(mask_, buffers.mask.bytes);
    pipe->InitBuffer(small_, buffers.small.bytes);
    AscendC::Duplicate(planes_.Get<float>(), 0.0f, kTablePlanes * entries);
    auto numbers = Plane(kNumbers).ReinterpretCast<int32_t>();
    AscendC::CreateVecIndex(numbers, 0, entries);
    // The pattern of element e has bit e of each byte: a byte of bits belongs to a record of eight elements.
    for (uint32_t element = 0; element < kRecord; ++element) {
      AscendC::Duplicate(Pattern(element), 0x01010101u << element, kRecord);
    }
    AscendC::Duplicate(Small(kOne), 1.0f, kRecord);
    AscendC::Duplicate(Small(kSigma), -rule.sigma, kRecord);
    AssumeNan();
  }

  __aicore__ inline F Plane(uint32_t plane) { return planes_.Get<float>()[plane * entries_]; }
  __aicore__ inline uint32_t entries() const { return entries_; }

  // The pattern with which GatherMask picks one element of each record.
  __aicore__ inline U Pattern(uint32_t element) {
    return Small(kPatterns + element * kRecord).ReinterpretCast<uint32_t>();
  }

  // Copies an entry to a record.
  __aicore__ inline void ReadRecord(const F &record, uint32_t entry) {
    uint64_t gathered = 0;
    const AscendC::GatherMaskParams fields{1, kRecord, static_cast<uint16_t>(entries_ / kRecord), 0};
    AscendC::GatherMask(record, planes_.Get<float>()[entry / kRecord * kRecord], Pattern(entry % kRecord),
                        true, kRecord, fields, gathered);
  }

  // Repeats each element of a record over a data block.
  __aicore__ inline void Spread(const F &blocks, const F &record) {
    AscendC::Brcb(blocks, record, 1, {1, 8});
  }

  // Writes a record that has been spread to an entry.
  __aicore__ inline void WriteSpread(uint32_t entry, const F &blocks) {
    const uint64_t lane[] = {uint64_t{1} << entry % kRecord, 0};
    AscendC::Copy(planes_.Get<float>()[entry / kRecord * kRecord], blocks, lane, kFields,
                  {1, 1, static_cast<uint16_t>(entries_ / kRecord), 1});
  }

  // Computes the areas of all boxes.
  __aicore__ inline void ComputeAreas() {
    BoxAreas({planes_.Get<float>(), entries_}, Plane(kWork), rule_.offset, entries_);
  }

  // Computes the weights by which the overlaps of all pairs (iou.h) decay scores, tiles of `count` elements,
  // a multiple of 64. mask: a bit for each element.
  template <typename Pairs>
  __aicore__ inline void WeightsOf(const Pairs &pairs, const F &weight, const F &work0, const F &work1,
                                   const AscendC::LocalTensor<uint8_t> &mask, uint32_t count) {
    const auto repeats = static_cast<uint8_t>(count / kEntryGroup);
    IouOf(pairs, weight, work0, work1, rule_.offset, count);
    if (rule_.method == kGaussian) {
      AscendC::Mul(weight, weight, weight, count);
      AscendC::Div(weight, weight, Small(kSigma), kEntryGroup, repeats, {1, 1, 0, 8, 8, 0});
      AscendC::Exp(weight, weight, count);
    } else {
      AscendC::CompareScalar(mask, weight, rule_.iou_threshold, AscendC::CMPMODE::GE, count);
      if (rule_.method == kLinear) {
        AscendC::Sub(weight, Small(kOne), weight, kEntryGroup, repeats, {1, 0, 1, 8, 0, 8});
      } else {
        AscendC::Duplicate(weight, 0.0f, count);
      }
      AscendC::Select(weight, mask, weight, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    }
  }

  // Multiplies the scores of entries [first, last) by the weight of their overlap with a box, which has been
  // spread. Entries before `first` are dropped.
  __aicore__ inline void Decay(const F &picked, uint32_t first, uint32_t last) {
    SetRange(first, last);
    auto weight = Work(0);
    const BoxPlanes boxes{planes_.Get<float>()[begin_], entries_};
    WeightsOf(SpreadBox{boxes, count_, picked}, weight, Work(1), Work(3), Mask(), count_);
    AscendC::Mul(Score(), Score(), weight, count_);
    SetDroppedScores(MinusInfinity());
  }

  // Drops the entries between a multiple of 64 and `first`. ListLow and FindLargest expect that.
  __aicore__ inline void DropBefore(uint32_t first) {
    SetRange(first, first);
    SetDroppedScores(MinusInfinity());
  }

  // Returns how many scores of entries [first, last) are below the bound. Where there are any, lists the
  // entries that have them, and the other entries of the range.
  __aicore__ inline uint32_t ListLow(float bound, uint32_t first, uint32_t last) {
    SetRange(first, last);
    has_nan_ = true;
    others_ = 0;
    if (bound == MinusInfinity()) return 0;
    uint64_t above = 0, low = 0;
    AscendC::CompareScalar(Mask(), Score(), bound, AscendC::CMPMODE::GE, count_);
    GatherMarked(Work(0), Score(), &above);
    has_nan_ = above != last - first;
    if (!has_nan_) return 0;
    // NaN is neither above nor below the bound. Dropped entries count as not low while the lists are made:
    // they come first among the others, which are read from the last one down.
    SetDroppedScores(-MinusInfinity());
    AscendC::CompareScalar(Mask(), Score(), bound, AscendC::CMPMODE::LT, count_);
    SetDroppedScores(MinusInfinity());
    GatherMarked(Work(0), Numbers(), &low);
    auto bits = mask_.Get<uint16_t>();
    AscendC::Not(bits, bits, count_ / 16);
    GatherMarked(Work(1), Numbers(), &others_);
    has_nan_ = above + low != last - first;
    return static_cast<uint32_t>(low);
  }

  // What ListLow has listed: the entries below the bound in ascending order, and the n-th of the other
  // entries, counted from the last one down.
  __aicore__ inline AscendC::LocalTensor<int32_t> LowEntries() { return Work(0).ReinterpretCast<int32_t>(); }
  __aicore__ inline uint32_t OtherFromLast(uint32_t n) {
    if (others_ == 0) return begin_ + covered_ - 1 - n;
    return Work(1).ReinterpretCast<uint32_t>().GetValue(static_cast<uint32_t>(others_) - 1 - n);
  }

  // Tells that the entries have new boxes, whose scores may be NaN.
  __aicore__ inline void AssumeNan() { has_nan_ = true; }

  // Finds the first of the largest scores of entries [first, last). NaN is less than any score; but where it
  // is the turn of `first` to be picked, a NaN there counts as infinite.
  __aicore__ inline Best FindLargest(uint32_t first, uint32_t last, bool turn_of_first) {
    SetRange(first, last);
    auto scores = Score(), result = Small(kResult);
    if (has_nan_) {
      if (turn_of_first && IsNan(Plane(kScore).GetValue(first))) return {first, -MinusInfinity()};
      AscendC::CompareScalar(Mask(), scores, MinusInfinity(), AscendC::CMPMODE::GE, count_);
      AscendC::Select(Work(0), Mask(), scores, MinusInfinity(), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                      count_);
      scores = Work(0);
    }
    AscendC::ReduceMax(result, scores, Work(1), static_cast<int32_t>(covered_), true);
    const float score = result.GetValue(0);
    const uint32_t entry = begin_ + result.ReinterpretCast<uint32_t>().GetValue(1);
    // Where all scores are -inf or NaN, dropped entries tie with them.
    return {score == MinusInfinity() ? first : entry, score};
  }

 private:
  // Where the records of `small_` start, in elements.
  static constexpr uint32_t kOne = 0, kSigma = kRecord, kResult = 2 * kRecord;
  static constexpr uint32_t kPatterns = kFixedRecords * kRecord;

  __aicore__ inline F Small(uint32_t element) { return small_.Get<float>()[element]; }
  __aicore__ inline F Work(uint32_t n) { return Plane(kWork + n)[begin_]; }
  __aicore__ inline F Score() { return Plane(kScore)[begin_]; }
  __aicore__ inline F Numbers() { return Plane(kNumbers)[begin_]; }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Mask() { return mask_.Get<uint8_t>(); }

  // Makes vector instructions work on whole repeats:
  //
  //   begin_             first               last          begin_ + count_
  //   | dropped_ entries | entries of the range | not read or of no meaning |
  //   | covered_ entries                        |
  __aicore__ inline void SetRange(uint32_t first, uint32_t last) {
    begin_ = first / kEntryGroup * kEntryGroup;
    dropped_ = first - begin_;
    covered_ = last - begin_;
    repeats_ = static_cast<uint8_t>((covered_ + kEntryGroup - 1) / kEntryGroup);
    count_ = repeats_ * kEntryGroup;
  }

  __aicore__ inline void SetDroppedScores(float score) {
    if (dropped_ > 0) AscendC::Duplicate(Score(), score, dropped_, 1, 1, 8);
  }

  // Packs the elements of covered entries whose bit of the mask is set.
  __aicore__ inline void GatherMarked(const F &to, const F &from, uint64_t *gathered) {
    AscendC::GatherMask(to, from, mask_.Get<uint32_t>(), true, covered_, {1, 1, 8, 8}, *gathered);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, mask_, small_;
  DecayRule rule_;
  uint32_t entries_, begin_, count_, covered_;
  uint64_t dropped_, others_;  // others_: length of the list of others, 0 where there is no list
  uint8_t repeats_;
  bool has_nan_;  // whether scores of the range may be NaN
};

}  // namespace avo
