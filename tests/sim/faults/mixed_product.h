// SPDX-License-Identifier: Apache-2.0
// A small correct mixed kernel; broken variants of it are in cube_cases.cpp. It computes out = 2 * (self + 1)
// x other^T, all of 32 x 32 floats: vector cores write self + 1 to the workspace, the cube core writes the
// product to `fresh`, and vector cores double it.
#pragma once

#include "kernel_operator.h"

constexpr uint16_t kSize = 32;
constexpr uint32_t kValues = kSize * kSize;
constexpr uint16_t kSampled = 1;     // flag of the vector cores: self + 1 is in the workspace
constexpr uint16_t kMultiplied = 2;  // flag of the cube core: the product is in `fresh`

// CANN's TPipe takes the first event ids of a cube core for itself.
template <AscendC::HardEvent event>
__aicore__ inline void Order() {
  AscendC::SetFlag<event>(EVENT_ID4);
  AscendC::WaitFlag<event>(EVENT_ID4);
}

class MixedProduct {
 public:
  __aicore__ inline void Init(GM_ADDR self, GM_ADDR other, GM_ADDR out, GM_ADDR product, GM_ADDR workspace,
                              AscendC::TPipe *pipe) {
    self_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(self), kValues);
    other_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(other), kValues);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(out), kValues);
    product_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(product), kValues);
    workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), kValues);
    if ASCEND_IS_AIC {
      pipe->InitBuffer(l1_, 2 * kValues * sizeof(float));
      pipe->InitBuffer(l0a_, kValues * sizeof(float));
      pipe->InitBuffer(l0b_, kValues * sizeof(float));
      pipe->InitBuffer(l0c_, kValues * sizeof(float));
    } else {
      pipe->InitBuffer(in_, 1, kValues * sizeof(float) / 2);
      pipe->InitBuffer(result_, 1, kValues * sizeof(float) / 2);
    }
  }

  __aicore__ inline void Process() {
    if ASCEND_IS_AIC {
      AscendC::CrossCoreWaitFlag(kSampled);
      Multiply();
      AscendC::CrossCoreSetFlag<2, PIPE_FIX>(kMultiplied);
    } else {
      const uint32_t half = kValues / 2;
      const uint32_t first = AscendC::GetSubBlockIdx() * half;
      Scale(workspace_[first], self_[first], 1.0f, 1.0f);
      AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kSampled);
      AscendC::CrossCoreWaitFlag(kMultiplied);
      Scale(out_[first], product_[first], 2.0f, 0.0f);
    }
  }

 private:
  // Copies rows of 32 floats to four columns of fractals of 16 x 8; then loads L0A row by row, and L0B as it
  // lies.
  __aicore__ inline void Multiply() {
    constexpr uint16_t depth = kSize / 8, rows = kSize / 16;
    auto a1 = l1_.Get<float>(kValues), b1 = l1_.GetWithOffset<float>(kValues, kValues * sizeof(float));
    auto a2 = l0a_.Get<float>(), b2 = l0b_.Get<float>(), c = l0c_.Get<float>();
    const AscendC::Nd2NzParams rows_to_fractals(1, kSize, kSize, 0, kSize, kSize, 1, 0);
    AscendC::DataCopy(a1, workspace_, rows_to_fractals);
    AscendC::DataCopy(b1, other_, rows_to_fractals);
    Order<AscendC::HardEvent::MTE2_MTE1>();
    for (uint16_t row = 0; row < rows; ++row) {
      AscendC::LoadData(a2[row * depth * 128], a1[row * 128],
                        AscendC::LoadData2DParams(0, depth, rows, 0, 0, false, 0));
    }
    AscendC::LoadData(b2, b1, AscendC::LoadData2DParams(0, depth * rows, 1, 0, 0, false, 0));
    Order<AscendC::HardEvent::MTE1_M>();
    AscendC::Mmad(c, a2, b2, AscendC::MmadParams(kSize, kSize, kSize, 0, false, true));
    Order<AscendC::HardEvent::M_FIX>();
    AscendC::Fixpipe(product_, c, AscendC::FixpipeParamsV220(kSize, kSize, kSize, kSize, false));
  }

  __aicore__ inline void Scale(const AscendC::GlobalTensor<float> &to,
                               const AscendC::GlobalTensor<float> &from, float factor, float offset) {
    const uint32_t half = kValues / 2;
    auto x = in_.AllocTensor<float>();
    AscendC::DataCopy(x, from, half);
    in_.EnQue(x);
    x = in_.DeQue<float>();
    auto y = result_.AllocTensor<float>();
    AscendC::Muls(y, x, factor, half);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(y, y, offset, half);
    result_.EnQue(y);
    in_.FreeTensor(x);
    y = result_.DeQue<float>();
    AscendC::DataCopy(to, y, half);
    result_.FreeTensor(y);
  }

  AscendC::TBuf<AscendC::TPosition::A1> l1_;
  AscendC::TBuf<AscendC::TPosition::A2> l0a_;
  AscendC::TBuf<AscendC::TPosition::B2> l0b_;
  AscendC::TBuf<AscendC::TPosition::CO1> l0c_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> result_;
  AscendC::GlobalTensor<float> self_, other_, out_, product_, workspace_;
};
