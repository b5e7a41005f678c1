// SPDX-License-Identifier: Apache-2.0
// Tells whether numbers are finite: it adds them up, and a sum with an infinity or a NaN in it is not finite.
// A sum of very large numbers may not be finite either.
#pragma once

#include "../common/copies/row_copy.h"
#include "roi_buffers.h"

namespace avo {

class FiniteTotal {
 public:
  // Takes FiniteTotalBuffers of the Unified Buffer.
  __aicore__ inline void Init(AscendC::TPipe *pipe) {
    pipe->InitBuffer(total_, FiniteTotalBuffers().total.bytes);
    Clear();
  }

  __aicore__ inline void Clear() { AscendC::Duplicate(total_.template Get<float>(), 0.0f, kRepeat); }

  // Adds `count` elements to the total, which has an element for each lane.
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &values, uint32_t count) {
    constexpr uint32_t kMaxRepeats = 255;
    const auto total = total_.template Get<float>();
    for (uint32_t i = 0; i < count; i += kMaxRepeats * kRepeat) {
      const uint32_t left = MinRemaining(count - i, kMaxRepeats * kRepeat), repeats = left / kRepeat;
      if (repeats > 0) {
        AscendC::Add(total, values[i], total, static_cast<uint64_t>(kRepeat), static_cast<uint8_t>(repeats),
                     {1, 1, 1, 0, 8, 0});
      }
      if (left % kRepeat > 0) AscendC::Add(total, values[i + repeats * kRepeat], total, left % kRepeat);
    }
  }

  // Whether the total is finite. Waits for the vector unit. Call Clear before the next Add.
  __aicore__ inline bool Finite() {
    const auto total = total_.template Get<float>();
    AscendC::Muls(total, total, 0.0f, kRepeat);
    AscendC::WholeReduceSum(total, total, static_cast<int32_t>(kRepeat), 1, 1, 1, 8);
    return total.GetValue(0) == 0.0f;
  }

 private:
  static constexpr uint32_t kRepeat = FiniteTotalBuffers::kTotal;

  AscendC::TBuf<AscendC::TPosition::VECCALC> total_;
};

}  // namespace avo
