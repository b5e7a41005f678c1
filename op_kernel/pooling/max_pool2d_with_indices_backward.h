// SPDX-License-Identifier: Apache-2.0
// Gradient of maximum pooling whose indices are given. From the index of each window the kernel subtracts
// where the window begins (window_places.h). What is left is the place of a tap, which receives the window's
// gradient.
//
// Windows that are wider than the image have taps of equal places in different rows. Of these, one at most
// lies inside the image, and the others are never asked for. Neither is a negative index: it is the place of
// no element.
#pragma once

#include "max_pool2d_with_indices_backward_tiling.h"
#include "maximum_gradients.h"
#include "window_places.h"

template <typename T, typename I, uint32_t KEY>
class MaxPool2dWithIndicesBackward : avo::MaximumGradients<T, MaxPool2dWithIndicesBackwardTiling, I> {
  friend avo::WindowGradients<T, MaxPool2dWithIndicesBackwardTiling, I>;

 public:
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR, GM_ADDR indices, GM_ADDR out, GM_ADDR,
                              const MaxPool2dWithIndicesBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitWindows(grad, out, tiling, pipe);
    indices_ = {{}, tiling.outRows, tiling.outColumns};
    indices_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices),
                                tiling.planes * tiling.outRows * tiling.outColumns);
    const MaxPool2dWithIndicesBackwardBuffers buffers(this->BufferSizes(), tiling.chunkPitch, sizeof(T),
                                                      sizeof(I));
    pipe->InitBuffer(taps_, buffers.taps.bytes);
    places_.Init(tiling, buffers.across.bytes, pipe);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    AscendC::Duplicate(Taps(), 0, tiling.chunkRows * tiling.chunkPitch * avo::kLanes);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  // Gives the place of the tap that receives the gradient of each window of the chunk.
  __aicore__ inline AscendC::LocalTensor<int32_t> Taps() { return taps_.template Get<int32_t>(); }

  __aicore__ inline void Prepare() {
    this->slots_.Load(this->Chunk(taps_), 0, 0, indices_, this->chunk_rows_, this->chunk_columns_);
    places_.Subtract(Taps(), this->chunk_rows_, this->chunk_columns_);
  }

  __aicore__ inline AscendC::LocalTensor<float> TermsOf(int64_t i, int64_t j) {
    return this->TermsWhere(Taps(), avo::TapPlace(this->t_, i, j), bits_.template Get<uint8_t>());
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> taps_, bits_;
  avo::WindowPlaces<MaxPool2dWithIndicesBackwardTiling> places_;
  avo::PlanesOf<I> indices_;
};
