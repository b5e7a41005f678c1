// SPDX-License-Identifier: Apache-2.0
// Scored boxes in slots of the Unified Buffer, a plane for each field: decay by one box, the largest score,
// and the slots whose score fell below a bound. A record is one box, a block of its fields.
#pragma once

#include "iou.h"

namespace avo {

constexpr uint32_t kRecord = 8;             // elements of a record
constexpr uint32_t kSlotGroup = kBoxLanes;  // slots of a repeat: vector instructions start at their multiples

// Elements of a record, and planes of slots, behind those of boxes; then planes to work in.
enum SlotPlane : uint32_t {
  kIndex = kBoxPlanes,
  kScore,
  kFields,
  kWork = kFields,
  kNumbers = 11,
  kSlotPlanes
};

enum DecayMethod : uint32_t { kNaive, kLinear, kGaussian };

struct DecayRule {
  uint32_t method;
  float offset, iou_threshold, sigma;
};

__aicore__ inline float MinusInfinity() {
  return AscendC::GetScalarBitcodeValue<uint32_t, float>(0xff800000u);
}

__aicore__ inline bool IsNan(float value) { return !(value == value); }

class BoxSlots {
  using F = AscendC::LocalTensor<float>;
  using U = AscendC::LocalTensor<uint32_t>;

 public:
  struct Best {
    uint32_t slot;
    float score;
  };

  __aicore__ inline void Init(uint32_t slots, const DecayRule &rule, AscendC::TPipe *pipe) {
    slots_ = slots;
    rule_ = rule;
    pipe->InitBuffer(planes_, kSlotPlanes * slots * sizeof(float));
    pipe->InitBuffer(mask_, slots / 8 < kBlockBytes ? kBlockBytes : slots / 8);
    pipe->InitBuffer(small_, (kRecord * (2 * kRecord + kLanes_ + 4)) * sizeof(float));
    AscendC::Duplicate(planes_.Get<float>(), 0.0f, kSlotPlanes * slots);
    auto numbers = Plane(kNumbers).ReinterpretCast<int32_t>();
    AscendC::CreateVecIndex(numbers, 0, slots);
    // Bit l of each byte: lane l of each block.
    for (uint32_t lane = 0; lane < kLanes_; ++lane) {
      AscendC::Duplicate(Lane(lane), 0x01010101u << lane, kRecord);
    }
    AscendC::Duplicate(Small(kOne), 1.0f, kRecord);
    AscendC::Duplicate(Small(kSigma), -rule.sigma, kRecord);
    Renew();
  }

  __aicore__ inline F Plane(uint32_t plane) { return planes_.Get<float>()[plane * slots_]; }
  __aicore__ inline uint32_t slots() const { return slots_; }
  // Elements `lane` of blocks, as a pattern of GatherMask that repeats every repeat.
  __aicore__ inline U Lane(uint32_t lane) {
    return Small(kPatterns + lane * kRecord).ReinterpretCast<uint32_t>();
  }

  // The record of a slot.
  __aicore__ inline void Read(const F &record, uint32_t slot) {
    uint64_t kept = 0;
    const AscendC::GatherMaskParams fields{1, kRecord, static_cast<uint16_t>(slots_ / kRecord), 0};
    AscendC::GatherMask(record, planes_.Get<float>()[slot / kRecord * kRecord], Lane(slot % kRecord), true,
                        kRecord, fields, kept);
  }

  // A block of each element of a record.
  __aicore__ inline void Spread(const F &blocks, const F &record) {
    AscendC::Brcb(blocks, record, 1, {1, 8});
  }

  // A record, spread, into a slot.
  __aicore__ inline void Write(uint32_t slot, const F &blocks) {
    const uint64_t lane[] = {uint64_t{1} << slot % kRecord, 0};
    AscendC::Copy(planes_.Get<float>()[slot / kRecord * kRecord], blocks, lane, kFields,
                  {1, 1, static_cast<uint16_t>(slots_ / kRecord), 1});
  }

  // Areas of all boxes.
  __aicore__ inline void ComputeAreas() {
    BoxAreas({planes_.Get<float>(), slots_}, Plane(kWork), rule_.offset, slots_);
  }

  // Scores of slots [first, last) are multiplied by the weight of their overlap with a box, given as blocks;
  // those before them are given up.
  __aicore__ inline void Decay(const F &picked, uint32_t first, uint32_t last) {
    SetRange(first, last);
    auto weight = Work(0);
    const BoxPlanes boxes{planes_.Get<float>()[begin_], slots_};
    IouOf(SpreadBox{boxes, count_, picked}, weight, Work(1), Work(3), rule_.offset, count_);
    if (rule_.method == kGaussian) {
      AscendC::Mul(weight, weight, weight, count_);
      AscendC::Div(weight, weight, Small(kSigma), kSlotGroup, repeats_, {1, 1, 0, 8, 8, 0});
      AscendC::Exp(weight, weight, count_);
    } else {
      AscendC::CompareScalar(Mask(), weight, rule_.iou_threshold, AscendC::CMPMODE::GE, count_);
      if (rule_.method == kLinear) {
        AscendC::Sub(weight, Small(kOne), weight, kSlotGroup, repeats_, {1, 0, 1, 8, 0, 8});
      } else {
        AscendC::Duplicate(weight, 0.0f, count_);
      }
      AscendC::Select(weight, Mask(), weight, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count_);
    }
    AscendC::Mul(Score(), Score(), weight, count_);
    GiveUp(MinusInfinity());
  }

  // Slots before `first`, from a multiple of kSlotGroup on, hold no box any more. Below and Largest expect
  // that.
  __aicore__ inline void GiveUpBefore(uint32_t first) {
    SetRange(first, first);
    GiveUp(MinusInfinity());
  }

  // How many slots of [first, last) are below the bound; where there are any, they and the others are listed.
  __aicore__ inline uint32_t Below(float bound, uint32_t first, uint32_t last) {
    SetRange(first, last);
    has_nan_ = true;
    others_ = 0;
    if (bound == MinusInfinity()) return 0;
    uint64_t above = 0, below = 0;
    AscendC::CompareScalar(Mask(), Score(), bound, AscendC::CMPMODE::GE, count_);
    Gather(Work(0), Score(), &above);
    has_nan_ = above != last - first;
    if (!has_nan_) return 0;
    // NaN is neither. What is given up is taken for not below, so that it comes first among the others.
    GiveUp(-MinusInfinity());
    AscendC::CompareScalar(Mask(), Score(), bound, AscendC::CMPMODE::LT, count_);
    GiveUp(MinusInfinity());
    Gather(Work(0), Numbers(), &below);
    auto bits = mask_.Get<uint16_t>();
    AscendC::Not(bits, bits, count_ / 16);
    Gather(Work(1), Numbers(), &others_);
    has_nan_ = above + below != last - first;
    return static_cast<uint32_t>(below);
  }

  // What Below listed, in ascending order: slots below the bound, and the n-th from the last of the others.
  __aicore__ inline AscendC::LocalTensor<int32_t> BelowList() { return Work(0).ReinterpretCast<int32_t>(); }
  __aicore__ inline uint32_t OtherFromLast(uint32_t n) {
    if (others_ == 0) return begin_ + listed_ - 1 - n;
    return Work(1).ReinterpretCast<uint32_t>().GetValue(static_cast<uint32_t>(others_) - 1 - n);
  }

  // The slots' boxes have been exchanged for others.
  __aicore__ inline void Renew() { has_nan_ = true; }

  // The first of the largest scores of [first, last). NaN is less than any score, but is infinite at the slot
  // whose turn it is: the first one, if it leads.
  __aicore__ inline Best Largest(uint32_t first, uint32_t last, bool leads) {
    SetRange(first, last);
    auto scores = Score(), result = Small(kResult);
    if (has_nan_) {
      if (leads && IsNan(Plane(kScore).GetValue(first))) return {first, -MinusInfinity()};
      AscendC::CompareScalar(Mask(), scores, MinusInfinity(), AscendC::CMPMODE::GE, count_);
      AscendC::Select(Work(0), Mask(), scores, MinusInfinity(), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                      count_);
      scores = Work(0);
    }
    AscendC::ReduceMax(result, scores, Work(1), static_cast<int32_t>(listed_), true);
    const float score = result.GetValue(0);
    const uint32_t slot = begin_ + result.ReinterpretCast<uint32_t>().GetValue(1);
    // Where all are minus infinity or NaN, slots that were given up tie with them.
    return {score == MinusInfinity() ? first : slot, score};
  }

 private:
  // Records and blocks, in elements of `small_`.
  static constexpr uint32_t kLanes_ = 8;
  static constexpr uint32_t kOne = 0, kSigma = kRecord, kResult = 2 * kRecord, kPatterns = 4 * kRecord;

  __aicore__ inline F Small(uint32_t at) { return small_.Get<float>()[at]; }
  __aicore__ inline F Work(uint32_t n) { return Plane(kWork + n)[begin_]; }
  __aicore__ inline F Score() { return Plane(kScore)[begin_]; }
  __aicore__ inline F Numbers() { return Plane(kNumbers)[begin_]; }
  __aicore__ inline AscendC::LocalTensor<uint8_t> Mask() { return mask_.Get<uint8_t>(); }

  // Vector instructions take [begin_, begin_ + count_) in whole repeats.
  __aicore__ inline void SetRange(uint32_t first, uint32_t last) {
    begin_ = first / kSlotGroup * kSlotGroup;
    given_up_ = first - begin_;
    listed_ = last - begin_;
    repeats_ = static_cast<uint8_t>((listed_ + kSlotGroup - 1) / kSlotGroup);
    count_ = repeats_ * kSlotGroup;
  }

  __aicore__ inline void GiveUp(float score) {
    if (given_up_ > 0) AscendC::Duplicate(Score(), score, given_up_, 1, 1, 8);
  }

  // The elements whose bit is set, of slots before the range's end.
  __aicore__ inline void Gather(const F &to, const F &from, uint64_t *kept) {
    AscendC::GatherMask(to, from, mask_.Get<uint32_t>(), true, listed_, {1, 1, 8, 8}, *kept);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, mask_, small_;
  DecayRule rule_;
  uint32_t slots_, begin_, count_, listed_;
  uint64_t given_up_, others_;
  uint8_t repeats_;
  bool has_nan_;
};

}  // namespace avo
