// SPDX-License-Identifier: Apache-2.0
// The largest whole key among the 64 lanes of each row of a LaneArgmax, and its index. The vector unit has a
// maximum across lanes for float32 alone. So a key is taken apart into limbs: float32 numbers that order the
// keys, the first limb before the second one, and so on. Trees (line_tree.h) give limbs of floats, too.
//
//   key        limbs
//   float32    1 for NaN, else 0; the number, 0 for NaN      so no NaN enters a reduction
//   int32      bits 31 … 16; bits 15 … 0                     each is exact in float32
//   int64      four times 16 bits, two of each plane
//
// Limb by limb, the largest one of each row is found, and the lanes that do not reach it are out.
#pragma once

#include "lane_argmax.h"
#include "limb_results.h"

namespace avo {

template <typename T>
class LaneReduction : public LimbResults {
  using Lanes = LaneArgmax<T>;
  static constexpr uint32_t kRepeat = Lanes::kRepeat, kKeyBlock = ArgmaxFormat::kKeyBlock;

 public:
  static constexpr uint32_t kLimbs = 2 * Lanes::kPlanes;

  // rows: most rows, one result each. last: of equal keys the last one wins.
  __aicore__ inline void Init(const LaneReductionBuffers &buffers, uint32_t rows, bool last,
                              AscendC::TPipe *pipe) {
    last_ = last;
    InitResults(buffers.results, LaneReductionBuffers::ResultPitch(rows), pipe);
    pipe->InitBuffer(limb_, buffers.limb.bytes);
    pipe->InitBuffer(order_, buffers.order.bytes);
    pipe->InitBuffer(maxima_, buffers.maxima.bytes);
    pipe->InitBuffer(in_, buffers.in.bytes);
    pipe->InitBuffer(spare_, buffers.spare.bytes);
    pipe->InitBuffer(lane_numbers_, buffers.lane_numbers.bytes);
    auto numbers = lane_numbers_.Get<int32_t>();
    AscendC::CreateVecIndex(numbers, int32_t{0}, kRepeat);
  }

  // Reduces `rows` rows, of which the first `lanes` lanes count. The index of a lane is what LaneArgmax has
  // plus the lane's number; it is less than 2^24, so that float32 holds it.
  __aicore__ inline void Reduce(Lanes &best, uint32_t rows, uint32_t lanes) {
    rows_ = rows;
    lanes_ = lanes;
    const uint32_t count = rows * kRepeat;
    const auto order = order_.Get<float>();
    const auto indices = best.Indices();
    AscendC::Add(indices, indices, lane_numbers_.Get<int32_t>(), uint64_t{kRepeat},
                 static_cast<uint8_t>(rows), {1, 1, 1, 8, 8, 0});
    AscendC::Cast(order, indices, AscendC::RoundMode::CAST_RINT, count);
    if (last_) AscendC::Muls(order, order, -1.0f, count);
    for (uint32_t p = 0; p < Lanes::kPlanes; ++p) ReduceWhole(best.Best(p), p);
    constexpr float kOut = 3.0e38f;
    AscendC::Select(order, in_.Get<uint8_t>(), order, kOut, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::WholeReduceMin(Results(kLimbs), order, static_cast<int32_t>(lanes), static_cast<int32_t>(rows),
                            1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    if (last_) AscendC::Abs(Results(kLimbs), Results(kLimbs), rows);
  }

 private:
  template <typename Best>
  __aicore__ inline void ReduceWhole(const Best &best, uint32_t plane) {
    constexpr int32_t kLimbBits = 16;
    const uint32_t count = rows_ * kRepeat;
    const auto half_of = spare_.Get<int32_t>();
    AscendC::ShiftRight(half_of, best, kLimbBits, count);
    AscendC::Cast(limb_.Get<float>(), half_of, AscendC::RoundMode::CAST_RINT, count);
    ReduceLimb(2 * plane);
    AscendC::ShiftLeft(half_of, half_of, kLimbBits, count);
    AscendC::Sub(half_of, best, half_of, count);
    AscendC::Cast(limb_.Get<float>(), half_of, AscendC::RoundMode::CAST_RINT, count);
    ReduceLimb(2 * plane + 1);
  }

  // Finds the largest limb among the lanes that are in. Lanes that do not reach it are out.
  __aicore__ inline void ReduceLimb(uint32_t limb) {
    const auto values = limb_.Get<float>(), maxima = maxima_.Get<float>();
    if (limb > 0) {
      AscendC::Select(values, in_.Get<uint8_t>(), values, -__builtin_inff(),
                      AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, rows_ * kRepeat);
    }
    AscendC::WholeReduceMax(Results(limb), values, static_cast<int32_t>(lanes_), static_cast<int32_t>(rows_),
                            1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    AscendC::Brcb(maxima, Results(limb), static_cast<uint8_t>((rows_ + kKeyBlock - 1) / kKeyBlock),
                  {1, kKeyBlock});
    AscendC::Compare(in_.Get<uint8_t>(), values, maxima, AscendC::CMPMODE::EQ, uint64_t{kRepeat},
                     static_cast<uint8_t>(rows_), {1, 1, 0, 8, 8, 1});
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> limb_, order_, maxima_, in_, spare_, lane_numbers_;
  uint32_t rows_ = 0, lanes_ = 0;  // of the call in hand
  bool last_ = false;
};

// The largest element of a line among the results of its parts. It works on the scalar unit, on few numbers.
template <typename T>
struct PartArgmax {
  static constexpr uint32_t kLimbs = LaneReduction<T>::kLimbs;

  float best[kLimbs] = {};
  int64_t index = -1;  // along the line; -1: no part yet

  // Keeps the larger one of the parts so far and of the next part, which begins at `begin` of the line.
  // results: limbs and index of the part, `pitch` elements apart.
  __aicore__ inline void KeepLarger(const AscendC::LocalTensor<float> &results, uint32_t pitch, int64_t begin,
                                    bool last) {
    // Limb 0 of a NaN is 1; of NaNs the first one wins in any case.
    bool larger = index < 0 || (last && (LaneArgmax<T>::kWhole || best[0] == 0.0f));
    float limbs[kLimbs];
    for (uint32_t k = kLimbs; k-- > 0;) {
      limbs[k] = results.GetValue(k * pitch);
      if (index >= 0 && limbs[k] != best[k]) larger = limbs[k] > best[k];
    }
    if (!larger) return;
    for (uint32_t k = 0; k < kLimbs; ++k) best[k] = limbs[k];
    index = begin + static_cast<int32_t>(results.GetValue(kLimbs * pitch));
  }
};

}  // namespace avo
