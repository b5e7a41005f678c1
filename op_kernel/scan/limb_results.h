// SPDX-License-Identifier: Apache-2.0
// Results of lines in UB, as the parts of a line are joined: limbs, float32 numbers that order keys
// (lane_reduction.h), one number for each line; then indices in the same way.
#pragma once

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

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> results_;
  uint32_t pitch_ = 0;
};

}  // namespace avo
