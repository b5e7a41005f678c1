// SPDX-License-Identifier: Apache-2.0
// Linear interpolation along rows. Each output is a weighted sum of two neighbouring inputs. There are three
// paths:
//
//   phases  The lengths are in a small ratio: a period has inStep inputs and outStep outputs. Rows become
//           lanes, so that each position is one slot of 16 rows (lanes.h). The outputs with the same place in
//           their period form a phase. They have the same two weights, and their inputs are inStep slots
//           apart, so a tile takes two instructions for each phase. With inStep = 1 and outStep = 2:
//
//             inputs    x0        x1        x2
//             outputs   y0   y1   y2   y3   y4   y5
//             phase 0   y0 = 0.25 x(-1) + 0.75 x0     y2 = 0.25 x0 + 0.75 x1     …
//             phase 1   y1 = 0.75 x0 + 0.25 x1        y3 = 0.75 x1 + 0.25 x2     …
//
//   gather  Any other lengths. A table holds offsets and weights of both inputs for each output of a tile,
//           and all rows use it.
//   copy    The lengths are equal.
#pragma once

#include "../common/sampling/linear_positions.h"
#include "../common/vectors/lanes.h"
#include "row_tiles.h"
#include "upsample_linear1d_tiling.h"

template <typename T, uint32_t KEY>
class UpsampleLinear1d;

template <typename T>
class UpsampleLinear1d<T, 0> : avo::RowTiles<T> {
 public:
  __aicore__ inline void Init(GM_ADDR self, GM_ADDR out, GM_ADDR, const UpsampleLinear1dTiling &tiling,
                              AscendC::TPipe *pipe) {
    t_ = tiling;
    const avo::PhaseBuffers buffers(t_.inRow, t_.outRow, t_.inStep * t_.inPitch, t_.outStep * t_.outPitch,
                                    sizeof(T));
    // Slots of inputs come first and slots of outputs last. So far apart they lie in different banks, and
    // reading the former does not wait for writing the latter.
    pipe->InitBuffer(in_lanes_, buffers.in_lanes.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(staging_, buffers.staging.bytes);
    this->InitRows(self, out, t_.rows, t_.inLength, t_.outLength, avo::kLanes, t_.inRow, t_.outRow, pipe);
    pipe->InitBuffer(out_lanes_, buffers.out_lanes.bytes);
    sums_ = {out_lanes_.template Get<float>(), t_.outStep, t_.outPitch};
    inputs_ = {in_lanes_.template Get<float>(), t_.inStep, t_.inPitch};
    for (uint32_t phase = 0; phase < t_.outStep; ++phase) {
      sums_.skew[phase] =
          avo::OppositeSkew(avo::AddressOf(sums_.lanes, sums_.Offset(phase)),
                            avo::AddressOf(inputs_.lanes, inputs_.Offset(LeftOf(PhaseAt(phase)) + 1)));
    }
  }

  __aicore__ inline void Process() {
    const auto share = avo::CoreShare(t_.rowGroups * t_.lengthTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      // Tiles follow each other along the rows. So the input before a tile is the last one of the tile
      // before, which is still in its lanes, and the load of a tile starts at its first input, which is
      // aligned.
      this->SetRows(item / t_.lengthTiles);
      const int64_t period = item % t_.lengthTiles * t_.tileUnits;
      const int64_t in_begin = period * t_.inStep, in_tile = static_cast<int64_t>(t_.tileUnits) * t_.inStep;
      const uint32_t before = period > 0 && item == share.begin ? 1 : 0;
      this->SetOutputs(period * t_.outStep, static_cast<int64_t>(t_.tileUnits) * t_.outStep);
      this->SetInputs(in_begin - before, in_begin + in_tile + 1);
      Compute(1 - before);
    }
  }

 private:
  __aicore__ inline avo::Position PhaseAt(uint32_t phase) {
    return avo::PhasePosition(phase, t_.inStep, t_.outStep, t_.halfPixel != 0);
  }
  // Position in inputs_ of the left input of a phase's first output.
  static __aicore__ inline uint32_t LeftOf(const avo::Position &at) {
    return static_cast<uint32_t>(at.whole + 1);
  }

  // Computes the current tile. Position x of inputs_ is input x - 1 of the tile. The first input that is
  // loaded goes to position `first`: 0, or 1 where position 0 holds the last input of the tile before.
  __aicore__ inline void Compute(uint32_t first) {
    auto staging = sizeof(T) == sizeof(float) ? AscendC::LocalTensor<T>() : staging_.template Get<T>();
    auto rows = this->CopyIn();
    avo::RowsToLanes(inputs_, first, rows, t_.inRow, this->rows_, this->in_count_, staging);
    this->in_queue_.FreeTensor(rows);

    // Beyond either end of the signal, the sample at that end is repeated.
    const uint32_t end = first + this->in_count_;
    if (this->in_begin_ + this->in_count_ == t_.inLength) {
      AscendC::Muls(inputs_.At(end), inputs_.At(end - 1), 1.0f, avo::kLanes);
    }
    if (this->in_begin_ == 0) {
      // A position below 0 reads sample 0 with weight 1 and sample 1 with weight 0. The latter counts where
      // sample 1 is Inf or NaN.
      AscendC::Muls(inputs_.At(0), inputs_.At(2), 0.0f, avo::kLanes);
      AscendC::Add(inputs_.At(0), inputs_.At(0), inputs_.At(1), avo::kLanes);
    }

    // Each phase is a weighted sum of two runs of slots.
    const uint32_t outputs = this->out_count_;
    for (uint32_t phase = 0; phase < t_.outStep && phase < outputs; ++phase) {
      const avo::Position at = PhaseAt(phase);
      const uint32_t left = LeftOf(at);
      const uint32_t count = (outputs - phase + t_.outStep - 1) / t_.outStep * avo::kLanes;
      AscendC::Muls(sums_.At(phase), inputs_.At(left), 1.0f - at.fraction, count);
      AscendC::Axpy(sums_.At(phase), inputs_.At(left + 1), at.fraction, count);
    }
    avo::ZeroLanes(sums_, outputs,
                   (outputs + avo::kRowPositions - 1) / avo::kRowPositions * avo::kRowPositions);

    // Keep the last input of the tile for the next tile.
    const uint32_t last = t_.tileUnits * t_.inStep;
    if (last < end) AscendC::Muls(inputs_.At(0), inputs_.At(last), 1.0f, avo::kLanes);

    auto result = this->out_queue_.template AllocTensor<T>();
    avo::LanesToRows(result, t_.outRow, sums_, 0, outputs, staging);
    this->CopyOut(result);
  }

  UpsampleLinear1dTiling t_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> in_lanes_, out_lanes_, staging_;
  avo::LanePlanes inputs_, sums_;
};

template <typename T>
class UpsampleLinear1d<T, 1> : avo::RowTiles<T> {
 public:
  __aicore__ inline void Init(GM_ADDR self, GM_ADDR out, GM_ADDR, const UpsampleLinear1dTiling &tiling,
                              AscendC::TPipe *pipe) {
    t_ = tiling;
    map_ = {t_.stepWhole, t_.stepHigh, t_.stepLow, t_.offset, t_.step0, t_.step1, t_.step2};
    this->InitRows(self, out, t_.rows, t_.inLength, t_.outLength, t_.tileRows, t_.inRow, t_.outRow, pipe);
    const UpsampleLinear1dGatherBuffers buffers(t_.tileRows, t_.inRow, t_.outRow, sizeof(T));
    pipe->InitBuffer(left_offsets_, buffers.left_offsets.bytes);
    pipe->InitBuffer(right_offsets_, buffers.right_offsets.bytes);
    pipe->InitBuffer(left_weights_, buffers.left_weights.bytes);
    pipe->InitBuffer(right_weights_, buffers.right_weights.bytes);
    pipe->InitBuffer(left_, buffers.left.bytes);
    pipe->InitBuffer(right_, buffers.right.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(gathered_, buffers.gathered.bytes);
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this, t_); }

 private:
  friend class avo::RowTiles<T>;

  // Chooses the outputs and inputs of tile `tile` of a row, and builds the table that leads from one to the
  // other.
  __aicore__ inline void SetLength(int64_t tile) {
    this->SetOutputs(tile * t_.tileUnits, t_.tileUnits);
    const avo::Position first = avo::PositionAt(map_, this->out_begin_);
    const avo::Position last = avo::PositionAt(map_, this->out_begin_ + this->out_count_ - 1);
    // One input more than the last pair: rounding may move the last position up to a whole number.
    this->SetInputs(first.whole, last.whole + 3);
    BuildTable(first.fraction, static_cast<float>(static_cast<int32_t>(first.whole - this->in_begin_)));
  }

  // Computes the offsets and the weights of both samples of each output, for one row and then for each row of
  // the tile. The first output lies fraction0 behind input whole0 of the tile.
  __aicore__ inline void BuildTable(float fraction0, float whole0) {
    const uint32_t n = t_.outRow;
    const float last = static_cast<float>(static_cast<int32_t>(this->in_count_ - 1));
    auto left_offset = left_offsets_.template Get<int32_t>();
    auto right_offset = right_offsets_.template Get<int32_t>();
    auto left_weight = left_weights_.template Get<float>();
    auto right_weight = right_weights_.template Get<float>();
    auto whole = left_.template Get<float>();
    auto temp = right_.template Get<float>();
    AscendC::CreateVecIndex(left_weight, 0.0f, n);
    avo::PositionRun(whole, right_weight, left_weight, temp, left_offsets_.template Get<float>(), map_,
                     fraction0, n);
    AscendC::Adds(whole, whole, whole0, n);

    // Left of the first input the right sample has weight 0. For whole numbers, clamp(whole + 1, 0, 1) is the
    // comparison 0 <= whole.
    AscendC::Adds(temp, whole, 1.0f, n);
    avo::Clamp(temp, 0.0f, 1.0f, n);
    AscendC::Mul(right_weight, right_weight, temp, n);
    AscendC::Muls(left_weight, right_weight, -1.0f, n);
    AscendC::Adds(left_weight, left_weight, 1.0f, n);

    // Clamp both samples to the inputs of the tile; at the end of the signal they are the same one.
    avo::Clamp(whole, 0.0f, last, n);
    AscendC::Adds(temp, whole, 1.0f, n);
    AscendC::Mins(temp, temp, last, n);
    avo::ByteOffsets<T>(left_offset, whole, n);
    avo::ByteOffsets<T>(right_offset, temp, n);
    avo::RepeatRow(left_offset, t_.tileRows, n, static_cast<int32_t>(t_.inRow * sizeof(T)));
    avo::RepeatRow(right_offset, t_.tileRows, n, static_cast<int32_t>(t_.inRow * sizeof(T)));
    avo::RepeatRow(left_weight, t_.tileRows, n, 0.0f);
    avo::RepeatRow(right_weight, t_.tileRows, n, 0.0f);
  }

  // Computes the current tile from the table.
  __aicore__ inline void Compute() {
    const uint32_t n = this->rows_ * t_.outRow;
    const auto left_offset = left_offsets_.template Get<uint32_t>();
    const auto right_offset = right_offsets_.template Get<uint32_t>();
    const auto left_weight = left_weights_.template Get<float>();
    const auto right_weight = right_weights_.template Get<float>();
    auto right = right_.template Get<float>();
    auto rows = this->CopyIn();
    auto result = this->out_queue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Gather(result, rows, left_offset, 0, n);
      AscendC::Gather(right, rows, right_offset, 0, n);
      AscendC::Mul(result, result, left_weight, n);
      AscendC::MulAddDst(result, right, right_weight, n);
    } else {
      auto left = left_.template Get<float>();
      auto gathered = gathered_.template Get<T>();
      AscendC::Gather(gathered, rows, left_offset, 0, n);
      AscendC::Cast(left, gathered, AscendC::RoundMode::CAST_NONE, n);
      AscendC::Gather(gathered, rows, right_offset, 0, n);
      AscendC::Cast(right, gathered, AscendC::RoundMode::CAST_NONE, n);
      AscendC::Mul(left, left, left_weight, n);
      AscendC::MulAddDst(left, right, right_weight, n);
      AscendC::Cast(result, left, AscendC::RoundMode::CAST_RINT, n);
    }
    this->in_queue_.FreeTensor(rows);
    this->CopyOut(result);
  }

  UpsampleLinear1dTiling t_;
  avo::LinearMap map_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> left_offsets_, right_offsets_, left_weights_, right_weights_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> left_, right_, gathered_;
};

template <typename T>
class UpsampleLinear1d<T, 2> {
 public:
  __aicore__ inline void Init(GM_ADDR self, GM_ADDR out, GM_ADDR, const UpsampleLinear1dTiling &tiling,
                              AscendC::TPipe *pipe) {
    copy_.Init(self, out, tiling.rows * tiling.inLength, tiling.tileUnits, pipe);
  }
  __aicore__ inline void Process() { copy_.Process(); }

 private:
  avo::TensorCopy<T> copy_;
};
