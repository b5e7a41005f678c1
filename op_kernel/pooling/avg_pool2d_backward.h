// SPDX-License-Identifier: Apache-2.0
// Gradient of mean pooling: every element of a window receives the same term, the window's gradient divided
// by the number of elements that count.
#pragma once

#include "avg_pool2d_backward_tiling.h"
#include "window_borders.h"
#include "window_gradients.h"

template <typename T, uint32_t KEY>
class AvgPool2dBackward : avo::WindowGradients<T, AvgPool2dBackwardTiling> {
  using Windows = avo::WindowGradients<T, AvgPool2dBackwardTiling>;
  friend Windows;

 public:
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR, GM_ADDR out, GM_ADDR,
                              const AvgPool2dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitWindows(grad, out, tiling, pipe);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  // Multiplies the gradient of each window by the factors of its mean.
  __aicore__ inline void Prepare() {
    using avo::kLanes;
    const auto &t = this->t_;
    const auto grads = this->grads_.template Get<float>();
    const uint32_t row = this->grad_pitch_ * kLanes;
    for (int32_t r = 0; r < this->chunk_rows_.count; ++r) {
      float factor = t.scale;
      if (t.borders != 0) {
        factor *= avo::BorderFactor(this->chunk_rows_.begin + r, t.inRows, t.kernelRows, t.strideRows,
                                    t.padRows, t.includePad != 0);
      }
      AscendC::Muls(grads[r * row], grads[r * row], factor, row);
    }
    for (int32_t x = 0; x < this->chunk_columns_.count && t.borders != 0; ++x) {
      const float factor = avo::BorderFactor(this->chunk_columns_.begin + x, t.inColumns, t.kernelColumns,
                                             t.strideColumns, t.padColumns, t.includePad != 0);
      for (int32_t r = 0; r < this->chunk_rows_.count && factor != 1.0f; ++r) {
        const auto slot = grads[r * row + x * kLanes];
        AscendC::Muls(slot, slot, factor, kLanes);
      }
    }
  }

  __aicore__ inline AscendC::LocalTensor<float> TermsOf(int64_t, int64_t) {
    return this->grads_.template Get<float>();
  }
};
