// SPDX-License-Identifier: Apache-2.0
// Results of lines in UB, as the parts of a line are joined: limbs, float32 numbers that order keys
// (lane_reduction.h), one number for each line; then indices in the same way.
#pragma once

#include <type_traits>

#include "../common/copies/row_copy.h"
#include "argmax_buffers.h"

namespace avo {

class LimbResults {
 public:
  // One float32 for each line: limb `limb` of the largest key, or, behind the limbs, its index.
  __aicore__ inline AscendC::LocalTensor<float> Results(uint32_t limb) {
    return results_.Get<float>()[limb * pitch_];
  }
  // From limb to limb.
  __aicore__ inline uint32_t ResultPitch() const { return pitch_; }

 protected:
  __aicore__ inline void InitResults(const Buffer &results, uint32_t pitch, AscendC::TPipe *pipe) {
    pitch_ = pitch;
    pipe->InitBuffer(results_, results.bytes);
    AscendC::Duplicate(results_.Get<float>(), 0.0f, static_cast<int32_t>(results.bytes / sizeof(float)));
  }

  // Sets limbs of the largest keys of so many lines: 1 for NaN, else 0; the number, 0 for NaN. nans: whether
  // there are any. number, mask: scratch, in whole repeats.
  template <typename Key>
  __aicore__ inline void SetLimbsOfFloat(const AscendC::LocalTensor<Key> &largest, uint32_t rows, bool nans,
                                         const AscendC::LocalTensor<float> &number,
                                         const AscendC::LocalTensor<uint8_t> &mask) {
    constexpr auto kScalar = AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    constexpr uint32_t kFloats = 64;  // of a repeat
    const uint32_t lines = RoundUp(rows, kFloats);
    if constexpr (std::is_same_v<Key, half>) {
      AscendC::Cast(number, largest, AscendC::RoundMode::CAST_NONE, rows);
    } else {
      AscendC::Adds(number, largest, 0.0f, static_cast<int32_t>(rows));
    }
    AscendC::Duplicate(Results(0), 0.0f, static_cast<int32_t>(lines));
    if (!nans) {
      AscendC::Adds(Results(1), number, 0.0f, static_cast<int32_t>(rows));
      return;
    }
    AscendC::Compare(mask, number, number, AscendC::CMPMODE::EQ, lines);
    AscendC::Select(Results(0), mask, Results(0), 1.0f, kScalar, lines);
    AscendC::Select(Results(1), mask, number, 0.0f, kScalar, lines);
  }

  // The same of whole keys: bits 31 … 16; bits 15 … 0.
  __aicore__ inline void SetLimbsOfWhole(const AscendC::LocalTensor<int32_t> &largest, uint32_t rows,
                                         const AscendC::LocalTensor<int32_t> &high) {
    constexpr int32_t kLimbBits = 16;
    constexpr auto kRint = AscendC::RoundMode::CAST_RINT;
    const int32_t lines = static_cast<int32_t>(rows);
    AscendC::ShiftRight(high, largest, kLimbBits, lines);
    AscendC::Cast(Results(0), high, kRint, rows);
    AscendC::ShiftLeft(high, high, kLimbBits, lines);
    AscendC::Sub(high, largest, high, lines);
    AscendC::Cast(Results(1), high, kRint, rows);
  }

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> results_;
  uint32_t pitch_ = 0;
};

}  // namespace avo
