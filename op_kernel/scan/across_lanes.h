// SPDX-License-Identifier: Apache-2.0
// The leader among the lanes of each repeat of LaneLeaders. Keys are taken apart into float32 limbs that
// order them one after the other: a limb's maximum is found, and lanes that do not reach it are out. Of a
// float the first limb says whether it is NaN, so that no NaN enters a reduction; integers give 16 bits a
// limb.
#pragma once

#include "lane_leaders.h"

namespace avo {

template <typename T>
class AcrossLanes {
  using Leaders = LaneLeaders<T>;

 public:
  static constexpr uint32_t kLimbs = 2 * Leaders::kPlanes;

  // `rows`: most repeats, one result each.
  __aicore__ inline void Init(uint32_t rows, bool last, AscendC::TPipe *pipe) {
    last_ = last;
    pitch_ = (rows + kBlocks - 1) / kBlocks * kBlocks;
    pipe->InitBuffer(limb_, rows * kRepeat * sizeof(float));
    pipe->InitBuffer(order_, rows * kRepeat * sizeof(float));
    pipe->InitBuffer(maxima_, pitch_ * kBlockBytes);
    pipe->InitBuffer(in_, pitch_ * kRepeat / 8);
    pipe->InitBuffer(spare_, Leaders::kWhole ? rows * kRepeat * sizeof(int32_t) : pitch_ * kRepeat / 8);
    pipe->InitBuffer(found_, (kLimbs + 1) * pitch_ * sizeof(float));
    pipe->InitBuffer(numbers_, kRepeat * sizeof(int32_t));
    AscendC::Duplicate(found_.Get<float>(), 0.0f, (kLimbs + 1) * pitch_);
    auto numbers = numbers_.Get<int32_t>();
    AscendC::CreateVecIndex(numbers, int32_t{0}, kRepeat);
  }

  // Of `rows` repeats, whose first `lanes` lanes count. A lane's index is its place plus its number, and less
  // than 2^24.
  __aicore__ inline void Reduce(Leaders &leaders, uint32_t rows, uint32_t lanes) {
    rows_ = rows;
    lanes_ = lanes;
    const uint32_t count = rows * kRepeat;
    const auto order = order_.Get<float>();
    const auto places = leaders.Places();
    AscendC::Add(places, places, numbers_.Get<int32_t>(), uint64_t{kRepeat}, static_cast<uint8_t>(rows),
                 {1, 1, 1, 8, 8, 0});
    AscendC::Cast(order, places, AscendC::RoundMode::CAST_RINT, count);
    if (last_) AscendC::Muls(order, order, -1.0f, count);
    for (uint32_t p = 0; p < Leaders::kPlanes; ++p) {
      if constexpr (Leaders::kWhole) {
        FindWhole(leaders.Best(p), p);
      } else {
        FindFloat(leaders.Best(p));
      }
    }
    constexpr float kOut = 3.0e38f;
    AscendC::Select(order, in_.Get<uint8_t>(), order, kOut, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::WholeReduceMin(Found(kLimbs), order, static_cast<int32_t>(lanes), static_cast<int32_t>(rows), 1,
                            1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    if (last_) AscendC::Abs(Found(kLimbs), Found(kLimbs), rows);
  }

  // The limbs of the leader of each row, and behind them its index.
  __aicore__ inline AscendC::LocalTensor<float> Found(uint32_t limb) {
    return found_.Get<float>()[limb * pitch_];
  }
  __aicore__ inline uint32_t FoundPitch() const { return pitch_; }

 private:
  static constexpr uint32_t kRepeat = Leaders::kRepeat, kBlocks = 8;

  template <typename Best>
  __aicore__ inline void FindFloat(const Best &best) {
    const uint32_t count = rows_ * kRepeat;
    const auto limb = limb_.Get<float>(), order = order_.Get<float>();
    const auto numbers = spare_.Get<uint8_t>();
    AscendC::Compare(numbers, best, best, AscendC::CMPMODE::EQ, count);
    if (last_) {
      // The first NaN leads, not the last.
      AscendC::Muls(limb, order, -1.0f, count);
      AscendC::Select(order, numbers, order, limb, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    }
    AscendC::Duplicate(limb, 0.0f, count);
    AscendC::Select(limb, numbers, limb, 1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    Find(0);
    AscendC::Select(limb, numbers, best, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    Find(1);
  }

  template <typename Best>
  __aicore__ inline void FindWhole(const Best &best, uint32_t plane) {
    constexpr int32_t kLimbBits = 16;
    const uint32_t count = rows_ * kRepeat;
    const auto half_of = spare_.Get<int32_t>();
    AscendC::ShiftRight(half_of, best, kLimbBits, count);
    AscendC::Cast(limb_.Get<float>(), half_of, AscendC::RoundMode::CAST_RINT, count);
    Find(2 * plane);
    AscendC::ShiftLeft(half_of, half_of, kLimbBits, count);
    AscendC::Sub(half_of, best, half_of, count);
    AscendC::Cast(limb_.Get<float>(), half_of, AscendC::RoundMode::CAST_RINT, count);
    Find(2 * plane + 1);
  }

  // Lanes that reach the limb's maximum among those that are in stay in.
  __aicore__ inline void Find(uint32_t limb) {
    const auto values = limb_.Get<float>(), maxima = maxima_.Get<float>();
    if (limb > 0) {
      AscendC::Select(values, in_.Get<uint8_t>(), values, -__builtin_inff(),
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, rows_ * kRepeat);
    }
    AscendC::WholeReduceMax(Found(limb), values, static_cast<int32_t>(lanes_), static_cast<int32_t>(rows_), 1,
                            1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    AscendC::Brcb(maxima, Found(limb), static_cast<uint8_t>((rows_ + kBlocks - 1) / kBlocks), {1, kBlocks});
    AscendC::Compare(in_.Get<uint8_t>(), values, maxima, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                     static_cast<uint8_t>(rows_), {1, 1, 0, 8, 8, 1});
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> limb_, order_, maxima_, in_, spare_, found_, numbers_;
  uint32_t pitch_ = 0, rows_ = 0, lanes_ = 0;
  bool last_ = false;
};

// The leader of parts of a line, from what AcrossLanes found of each; on the scalar unit, for few of them.
template <typename T>
struct PartLeader {
  static constexpr uint32_t kLimbs = AcrossLanes<T>::kLimbs;

  float best[kLimbs] = {};
  int64_t index = -1;  // none yet

  // A part behind those before it, which begins at `begin`; its limbs and its index are `pitch` elements
  // apart.
  __aicore__ inline void Offer(const AscendC::LocalTensor<float> &found, uint32_t pitch, int64_t begin,
                               bool last) {
    // Limb 0 of a NaN is 1; of NaNs the first leads in any case.
    bool leads = index < 0 || (last && (LaneLeaders<T>::kWhole || best[0] == 0.0f));
    float limbs[kLimbs];
    for (uint32_t k = kLimbs; k-- > 0;) {
      limbs[k] = found.GetValue(k * pitch);
      if (index >= 0 && limbs[k] != best[k]) leads = limbs[k] > best[k];
    }
    if (!leads) return;
    for (uint32_t k = 0; k < kLimbs; ++k) best[k] = limbs[k];
    index = begin + static_cast<int32_t>(found.GetValue(kLimbs * pitch));
  }
};

}  // namespace avo
