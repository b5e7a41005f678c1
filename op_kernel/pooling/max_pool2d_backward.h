// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling. The kernel finds the maximum of each window again (window_maxima.h). A
// window's gradient goes to the tap of its maximum.
#pragma once

#include "max_pool2d_backward_tiling.h"
#include "maximum_gradients.h"
#include "window_maxima.h"

template <typename T, uint32_t KEY>
class MaxPool2dBackward : avo::MaximumGradients<T, MaxPool2dBackwardTiling> {
  friend avo::WindowGradients<T, MaxPool2dBackwardTiling>;

 public:
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR input, GM_ADDR out, GM_ADDR,
                              const MaxPool2dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitWindows(grad, out, tiling, pipe);
    const uint32_t region_slots = tiling.regionRows * tiling.columnPlanes * tiling.regionPitch;
    const MaxPool2dBackwardBuffers buffers(this->BufferSizes(), region_slots, sizeof(T));
    maxima_.Init(input, static_cast<uint32_t>(tiling.kernelColumns), 1, tiling, buffers.maxima, pipe);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  __aicore__ inline void Prepare() {
    maxima_.Find(this->chunk_rows_, this->chunk_columns_, this->slots_, this->terms_.template Get<float>());
  }

  __aicore__ inline AscendC::LocalTensor<float> TermsOf(int64_t i, int64_t j) {
    return this->TermsWhere(maxima_.Taps(), maxima_.NumberOf(i, j), maxima_.Bits());
  }

  avo::WindowMaxima<T, MaxPool2dBackwardTiling> maxima_;
};
