// SPDX-License-Identifier: Apache-2.0
// Computes z = -dy / sqrt(1 - y^2) with a barrier behind each instruction; bfloat16_t is computed in float.
#pragma once

#include "kernel_operator.h"

struct AcosGradientTiling {
  uint32_t count;
  uint32_t share;  // of a core
  uint32_t tile;
};

template <typename T>
class AcosGradient {
 public:
  __aicore__ inline void Init(GM_ADDR y, GM_ADDR dy, GM_ADDR z, const AcosGradientTiling &tiling) {
    t_ = tiling;
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(y), t_.count);
    dy_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(dy), t_.count);
    z_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(z), t_.count);
    pipe_.InitBuffer(in_y_, 2, t_.tile * sizeof(T));
    pipe_.InitBuffer(in_dy_, 2, t_.tile * sizeof(T));
    pipe_.InitBuffer(out_, 2, t_.tile * sizeof(T));
    pipe_.InitBuffer(square_, t_.tile * sizeof(float));
    pipe_.InitBuffer(root_, t_.tile * sizeof(float));
    if constexpr (sizeof(T) < sizeof(float)) {
      pipe_.InitBuffer(wide_y_, t_.tile * sizeof(float));
      pipe_.InitBuffer(wide_dy_, t_.tile * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    const uint32_t begin = AscendC::GetBlockIdx() * t_.share;
    const uint32_t end = begin + t_.share < t_.count ? begin + t_.share : t_.count;
    for (uint32_t start = begin; start < end; start += t_.tile) {
      const uint32_t n = end - start < t_.tile ? end - start : t_.tile;
      CopyIn(start, n);
      Compute(n);
      auto out = out_.template DeQue<T>();
      AscendC::DataCopyPad(z_[start], out, AscendC::DataCopyExtParams(1, n * sizeof(T), 0, 0, 0));
      out_.FreeTensor(out);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t start, uint32_t n) {
    auto y = in_y_.template AllocTensor<T>();
    auto dy = in_dy_.template AllocTensor<T>();
    const AscendC::DataCopyExtParams row(1, n * sizeof(T), 0, 0, 0);
    const AscendC::DataCopyPadExtParams<T> no_padding(false, 0, 0, T(0));
    AscendC::DataCopyPad(y, y_[start], row, no_padding);
    AscendC::DataCopyPad(dy, dy_[start], row, no_padding);
    in_y_.EnQue(y);
    in_dy_.EnQue(dy);
  }

  __aicore__ inline void Compute(uint32_t n) {
    auto y = in_y_.template DeQue<T>();
    auto dy = in_dy_.template DeQue<T>();
    auto out = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) < sizeof(float)) {
      auto wide_y = wide_y_.template Get<float>(), wide_dy = wide_dy_.template Get<float>();
      AscendC::Cast(wide_y, y, AscendC::RoundMode::CAST_NONE, n);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Cast(wide_dy, dy, AscendC::RoundMode::CAST_NONE, n);
      AscendC::PipeBarrier<PIPE_V>();
      Divide(wide_dy, wide_y, wide_dy, wide_dy, n);
      AscendC::Cast(out, wide_dy, AscendC::RoundMode::CAST_RINT, n);
      AscendC::PipeBarrier<PIPE_V>();
    } else {
      Divide(out, y, dy, square_.template Get<float>(), n);
    }
    out_.EnQue(out);
    in_y_.FreeTensor(y);
    in_dy_.FreeTensor(dy);
  }

  using Floats = AscendC::LocalTensor<float>;
  __aicore__ inline void Divide(const Floats &z, const Floats &y, const Floats &dy, const Floats &negated,
                                uint32_t n) {
    auto square = square_.template Get<float>(), root = root_.template Get<float>();
    AscendC::Mul(square, y, y, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(square, square, -1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(root, square, 1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Sqrt(root, root, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Muls(negated, dy, -1.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Div(z, negated, root, n);
    AscendC::PipeBarrier<PIPE_V>();
  }

  AcosGradientTiling t_;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_y_, in_dy_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> square_, root_, wide_y_, wide_dy_;
  AscendC::GlobalTensor<T> y_, dy_, z_;
};

template <typename T>
__aicore__ inline void RunAcosGradient(GM_ADDR y, GM_ADDR dy, GM_ADDR z, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(AcosGradientTiling, data, tiling);
  AcosGradient<T> op;
  op.Init(y, dy, z, data);
  op.Process();
}

extern "C" __global__ __aicore__ void acos_gradient_float(GM_ADDR y, GM_ADDR dy, GM_ADDR z, GM_ADDR tiling) {
  RunAcosGradient<float>(y, dy, z, tiling);
}

extern "C" __global__ __aicore__ void acos_gradient_bfloat16(GM_ADDR y, GM_ADDR dy, GM_ADDR z,
                                                             GM_ADDR tiling) {
  RunAcosGradient<bfloat16_t>(y, dy, z, tiling);
}
