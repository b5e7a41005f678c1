// SPDX-License-Identifier: Apache-2.0
// Gradient of corner pooling: an element leads where it is what the forward call gave there, or NaN; sums
// between leaders, memory-bound, without workspace or scattering.
//   columns  along H
//   rows     along W: rows as lanes, then the same
#pragma once

#include "corner_pool_backward_tiling.h"
#include "leader_gradients.h"

template <typename T, uint32_t KEY>
class CornerPoolBackward : avo::LeaderGradients<T, KEY == 1> {
  using Gradients = avo::LeaderGradients<T, KEY == 1>;
  using Tiles = avo::ScanTiles<T, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR output, GM_ADDR out, GM_ADDR,
                              const CornerPoolBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitGradients(grad_output, out, tiling, tiling.reverse != 0, pipe);
    const int64_t elements = tiling.outer * tiling.length * tiling.inner;
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(input), elements);
    output_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(output), elements);
    compared_ = (this->copied_ + Tiles::kRepeat - 1) / Tiles::kRepeat * Tiles::kRepeat;
    pipe->InitBuffer(input_queue_, 1, compared_ * sizeof(T));
    pipe->InitBuffer(output_queue_, 1, compared_ * sizeof(T));
    avo::ZeroQueue<T>(input_queue_, 1, compared_);
    avo::ZeroQueue<T>(output_queue_, 1, compared_);
    pipe->InitBuffer(input_, compared_ * sizeof(float));
    pipe->InitBuffer(leads_, compared_ / 8);
    pipe->InitBuffer(nans_, compared_ / 8);
    if constexpr (!std::is_same_v<T, float>) pipe->InitBuffer(output_, compared_ * sizeof(float));
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Tiles;

  __aicore__ inline void Compute() {
    auto input = this->CopyIn(input_queue_, input_gm_), output = this->CopyIn(output_queue_, output_gm_);
    const auto leads = leads_.template Get<uint16_t>(), nans = nans_.template Get<uint16_t>();
    const auto marks = input_.template Get<float>();
    if constexpr (std::is_same_v<T, float>) {
      CompareElements(input, output);
    } else {
      const auto results = output_.template Get<float>();
      AscendC::Cast(marks, input, AscendC::RoundMode::CAST_NONE, compared_);
      AscendC::Cast(results, output, AscendC::RoundMode::CAST_NONE, compared_);
      CompareElements(marks, results);
    }
    input_queue_.FreeTensor(input);
    output_queue_.FreeTensor(output);
    AscendC::Not(nans, nans, compared_ / 16);
    AscendC::Or(leads, leads, nans, compared_ / 16);
    // -1, as int32 all ones, where an element follows another.
    AscendC::Duplicate(marks, 0.0f, compared_);
    AscendC::Select(marks, leads, marks, -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, compared_);
    const auto following = this->Following();
    if constexpr (KEY == 1) {
      const auto rows = marks.template ReinterpretCast<int32_t>();
      AscendC::Cast(rows, marks, AscendC::RoundMode::CAST_RINT, compared_);
      this->ToSlots(following, rows);
    } else {
      AscendC::Cast(following, marks, AscendC::RoundMode::CAST_RINT, this->Elements());
    }
    this->Sum();
  }

  __aicore__ inline void CompareElements(const AscendC::LocalTensor<float> &input,
                                         const AscendC::LocalTensor<float> &output) {
    constexpr auto kEqual = AscendC::CMPMODE::EQ;
    AscendC::Compare(leads_.template Get<uint8_t>(), input, output, kEqual, compared_);
    AscendC::Compare(nans_.template Get<uint8_t>(), input, input, kEqual, compared_);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> input_queue_, output_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> input_, output_, leads_, nans_;
  AscendC::GlobalTensor<T> input_gm_, output_gm_;
  uint32_t compared_;  // elements of a tile, in whole repeats
};
