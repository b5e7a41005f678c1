// SPDX-License-Identifier: Apache-2.0
// Linear interpolation along rows, memory-bound by design: no workspace, no scalar access to elements.
//   phases  output and input lengths in a small ratio: rows as lanes, each phase of a period is one weighted
//   sum. gather  any ratio: a table of offsets and weights for a tile's outputs, reused over the rows. copy
//   equal lengths.
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
    // Lanes of inputs come first and those of outputs last: far apart they lie in different banks, so that
    // reads of the one do not wait for writes of the other.
    const uint32_t in_slots = t_.inStep * t_.inPitch, out_slots = t_.outStep * t_.outPitch;
    pipe->InitBuffer(in_lanes_, in_slots * avo::kLanes * sizeof(float));
    if constexpr (sizeof(T) != sizeof(float)) {
      pipe->InitBuffer(staging_, (in_slots > out_slots ? in_slots : out_slots) * avo::kLanes * sizeof(T));
    }
    this->InitRows(self, out, t_.rows, t_.inLength, t_.outLength, avo::kLanes, t_.inRow, t_.outRow, pipe);
    pipe->InitBuffer(out_lanes_, out_slots * avo::kLanes * sizeof(float));
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
      // Along the rows first: the input before a tile is then the last one of the tile before, still in its
      // lanes, and loads start on the tile's own alignment.
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
  // Position in the lanes of a phase's first left input.
  static __aicore__ inline uint32_t LeftOf(const avo::Position &at) {
    return static_cast<uint32_t>(at.whole + 1);
  }

  // Position x of the lanes is input x - 1 of the tile; `first` is the position of the first input loaded.
  __aicore__ inline void Compute(uint32_t first) {
    auto staging = sizeof(T) == sizeof(float) ? AscendC::LocalTensor<T>() : staging_.template Get<T>();
    auto rows = this->CopyIn();
    avo::RowsToLanes(inputs_, first, rows, t_.inRow, this->rows_, this->in_count_, staging);
    this->in_queue_.FreeTensor(rows);

    // Beyond either end of the signal its last sample goes on.
    const uint32_t end = first + this->in_count_;
    if (this->in_begin_ + this->in_count_ == t_.inLength) {
      AscendC::Muls(inputs_.At(end), inputs_.At(end - 1), 1.0f, avo::kLanes);
    }
    if (this->in_begin_ == 0) {
      // x' < 0 reads sample 0 with weight 1 and sample 1 with weight 0, which shows where that is Inf or NaN.
      AscendC::Muls(inputs_.At(0), inputs_.At(2), 0.0f, avo::kLanes);
      AscendC::Add(inputs_.At(0), inputs_.At(0), inputs_.At(1), avo::kLanes);
    }

    // Each phase of the outputs is a weighted sum of two runs of inputs.
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

    // The last input of the tile is the one before the next.
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
    const uint32_t outputs = t_.tileRows * t_.outRow;
    pipe->InitBuffer(left_offsets_, outputs * sizeof(int32_t));
    pipe->InitBuffer(right_offsets_, outputs * sizeof(int32_t));
    pipe->InitBuffer(left_weights_, outputs * sizeof(float));
    pipe->InitBuffer(right_weights_, outputs * sizeof(float));
    pipe->InitBuffer(left_, outputs * sizeof(float));
    pipe->InitBuffer(right_, outputs * sizeof(float));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(gathered_, outputs * sizeof(T));
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this, t_); }

 private:
  friend class avo::RowTiles<T>;

  // Outputs and inputs of a tile's rows, and the table that leads from one to the other.
  __aicore__ inline void SetLength(int64_t tile) {
    this->SetOutputs(tile * t_.tileUnits, t_.tileUnits);
    const avo::Position first = avo::PositionAt(map_, this->out_begin_);
    const avo::Position last = avo::PositionAt(map_, this->out_begin_ + this->out_count_ - 1);
    // One more than the last pair: its position may be rounded up to a whole number.
    this->SetInputs(first.whole, last.whole + 3);
    BuildTable(first.fraction, static_cast<float>(static_cast<int32_t>(first.whole - this->in_begin_)));
  }

  // Offsets of both samples and their weights, for one row and then for each row of the tile.
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

    // Left of the first input its weight is 1: the comparison 0 <= whole of whole numbers is a clamped sum.
    AscendC::Adds(temp, whole, 1.0f, n);
    avo::Clamp(temp, 0.0f, 1.0f, n);
    AscendC::Mul(right_weight, right_weight, temp, n);
    AscendC::Muls(left_weight, right_weight, -1.0f, n);
    AscendC::Adds(left_weight, left_weight, 1.0f, n);

    // Both samples are inputs of the tile; at the end of the signal they are the same.
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
