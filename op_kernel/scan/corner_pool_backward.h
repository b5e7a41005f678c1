// SPDX-License-Identifier: Apache-2.0
// Gradient of corner pooling (leader_gradients.h). An element leads where the forward call gave it as the
// result of its own position, or where it is NaN. It is bound by memory, and needs neither a workspace nor
// scattered writes.
//   columns  along H
//   rows     along W: rows are transposed to lanes
#pragma once

#include "corner_pool_backward_tiling.h"
#include "leader_gradients.h"

template <typename T, uint32_t KEY>
class CornerPoolBackward : avo::LeaderGradients<T, KEY == 1> {
  using Tiles = avo::ScanTiles<T, KEY == 1>;
  using Pieces = avo::ScanPieces<T, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR output, GM_ADDR out, GM_ADDR,
                              const CornerPoolBackwardTiling &tiling, AscendC::TPipe *pipe) {
    const CornerPoolBackwardBuffers buffers(tiling, Pieces::kLayout);
    this->InitGradients(grad_output, out, tiling, buffers.sums, pipe);
    const int64_t elements = tiling.outer * tiling.length * tiling.inner;
    input_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(input), elements);
    output_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(output), elements);
    compared_ = CornerPoolBackwardBuffers::Compared(avo::ScanTileSize(Pieces::kLayout, tiling));
    pipe->InitBuffer(input_queue_, buffers.input.count, buffers.input.bytes);
    pipe->InitBuffer(output_queue_, buffers.output.count, buffers.output.bytes);
    avo::ZeroQueue<T>(input_queue_, 1, compared_);
    avo::ZeroQueue<T>(output_queue_, 1, compared_);
    pipe->InitBuffer(marks_, buffers.marks.bytes);
    pipe->InitBuffer(leads_, buffers.leads.bytes);
    pipe->InitBuffer(nans_, buffers.nans.bytes);
    if constexpr (!std::is_same_v<T, float>) pipe->InitBuffer(widened_, buffers.widened.bytes);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Pieces;

  __aicore__ inline void Compute() {
    auto input = this->CopyIn(input_queue_, input_gm_), output = this->CopyIn(output_queue_, output_gm_);
    const auto leads = leads_.template Get<uint16_t>(), nans = nans_.template Get<uint16_t>();
    const auto marks = marks_.template Get<float>();
    if constexpr (std::is_same_v<T, float>) {
      CompareElements(input, output);
    } else {
      const auto widened = widened_.template Get<float>();
      AscendC::Cast(marks, input, AscendC::RoundMode::CAST_NONE, compared_);
      AscendC::Cast(widened, output, AscendC::RoundMode::CAST_NONE, compared_);
      CompareElements(marks, widened);
    }
    input_queue_.FreeTensor(input);
    output_queue_.FreeTensor(output);
    AscendC::Not(nans, nans, compared_ / 16);
    AscendC::Or(leads, leads, nans, compared_ / 16);
    // -1, which as int32 is all ones, where an element follows a leader; else 0.
    AscendC::Duplicate(marks, 0.0f, compared_);
    AscendC::Select(marks, leads, marks, -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, compared_);
    const auto following = this->Following();
    if constexpr (KEY == 1) {
      const auto rows = marks.template ReinterpretCast<int32_t>();
      AscendC::Cast(rows, marks, AscendC::RoundMode::CAST_RINT, compared_);
      this->ToPositions(following, rows);
    } else {
      AscendC::Cast(following, marks, AscendC::RoundMode::CAST_RINT, this->Elements());
    }
    this->Sum();
  }

  // Sets the bits of inputs that are equal to their output, and of those that are numbers.
  __aicore__ inline void CompareElements(const AscendC::LocalTensor<float> &input,
                                         const AscendC::LocalTensor<float> &output) {
    constexpr auto kEqual = AscendC::CMPMODE::EQ;
    AscendC::Compare(leads_.template Get<uint8_t>(), input, output, kEqual, compared_);
    AscendC::Compare(nans_.template Get<uint8_t>(), input, input, kEqual, compared_);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> input_queue_, output_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> marks_, widened_, leads_, nans_;
  AscendC::GlobalTensor<T> input_gm_, output_gm_;
  uint32_t compared_;  // elements of a tile as it is copied, in whole repeats
};
