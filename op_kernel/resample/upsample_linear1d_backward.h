// SPDX-License-Identifier: Apache-2.0
// Gradient of linear interpolation. Each path is the adjoint of the same path of upsample_linear1d.h. One
// core computes each sum, in one order, so results are deterministic.
//
//   phases  Rows become lanes. Each phase of the gradients adds its slots, times one weight, to the slots of
//           the left inputs, and times the other weight to the slots of the right inputs.
//   gather  Each input x sums over its window: the outputs whose position x' is less than one away from it.
//           The weight is the hat function 1 - |x' - x|:
//
//             weight 1            .^.
//                             . '   ' .
//                    0  ____.'         '.____      x': positions of outputs
//                         x - 1   x   x + 1
//
//   copy    The lengths are equal.
#pragma once

#include "../common/sampling/linear_positions.h"
#include "../common/vectors/lanes.h"
#include "row_tiles.h"
#include "upsample_linear1d_backward_tiling.h"

template <typename T, uint32_t KEY>
class UpsampleLinear1dBackward;

template <typename T>
class UpsampleLinear1dBackward<T, 0> : avo::RowTiles<T> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR out, GM_ADDR,
                              const UpsampleLinear1dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    this->InitRows(grad_output, out, t_.rows, t_.outLength, t_.inLength, avo::kLanes, t_.inRow, t_.outRow,
                   pipe);
    const avo::PhaseBuffers buffers(t_.inRow, t_.outRow, t_.outStep * t_.inPitch, t_.inStep * t_.outPitch,
                                    sizeof(T));
    pipe->InitBuffer(grad_lanes_, buffers.in_lanes.bytes);
    pipe->InitBuffer(sum_lanes_, buffers.out_lanes.bytes);
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(staging_, buffers.staging.bytes);
  }

  __aicore__ inline void Process() {
    const auto share = avo::CoreShare(t_.rowGroups * t_.lengthTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      this->SetRows(item / t_.lengthTiles);
      const int64_t period = item % t_.lengthTiles * t_.tileUnits;
      this->SetOutputs(period * t_.inStep, static_cast<int64_t>(t_.tileUnits) * t_.inStep);
      // The outputs of the periods beside the tile reach one input into it.
      const int64_t first = period > 0 ? period - 1 : 0;
      this->SetInputs(first * t_.outStep, (period + t_.tileUnits + 1) * t_.outStep);
      Compute(first * t_.inStep - 1);
    }
  }

 private:
  // Computes the current tile. `origin` is the input at position 0 of the sums.
  __aicore__ inline void Compute(int64_t origin) {
    const avo::LanePlanes grads{grad_lanes_.template Get<float>(), t_.outStep, t_.inPitch};
    const avo::LanePlanes sums{sum_lanes_.template Get<float>(), t_.inStep, t_.outPitch};
    auto staging = sizeof(T) == sizeof(float) ? AscendC::LocalTensor<T>() : staging_.template Get<T>();
    const uint32_t outputs = this->in_count_;
    auto rows = this->CopyIn();
    avo::RowsToLanes(grads, 0, rows, t_.inRow, this->rows_, outputs, staging);
    this->in_queue_.FreeTensor(rows);

    avo::ZeroLanes(sums, 0, t_.inStep * t_.outPitch);
    for (uint32_t phase = 0; phase < t_.outStep && phase < outputs; ++phase) {
      const avo::Position at = avo::PhasePosition(phase, t_.inStep, t_.outStep, t_.halfPixel != 0);
      const uint32_t left = static_cast<uint32_t>(at.whole + 1);
      const uint32_t count = (outputs - phase + t_.outStep - 1) / t_.outStep * avo::kLanes;
      AscendC::Axpy(sums.At(left), grads.At(phase), 1.0f - at.fraction, count);
      AscendC::Axpy(sums.At(left + 1), grads.At(phase), at.fraction, count);
    }

    // A sum beyond either end of the signal belongs to the sample at that end.
    const uint32_t first = static_cast<uint32_t>(this->out_begin_ - origin);
    const uint32_t last = first + this->out_count_ - 1;
    if (this->out_begin_ == 0) AscendC::Add(sums.At(first), sums.At(first), sums.At(first - 1), avo::kLanes);
    if (this->out_begin_ + this->out_count_ == t_.inLength) {
      AscendC::Add(sums.At(last), sums.At(last), sums.At(last + 1), avo::kLanes);
    }

    auto result = this->out_queue_.template AllocTensor<T>();
    avo::LanesToRows(result, t_.outRow, sums, first, this->out_count_, staging);
    this->CopyOut(result);
  }

  UpsampleLinear1dBackwardTiling t_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> grad_lanes_, sum_lanes_, staging_;
};

template <typename T>
class UpsampleLinear1dBackward<T, 1> : avo::RowTiles<T> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR out, GM_ADDR,
                              const UpsampleLinear1dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    map_ = {t_.stepWhole, t_.stepHigh, t_.stepLow, t_.offset, t_.step0, t_.step1, t_.step2};
    inverse_ = {t_.inverseWhole, t_.inverseHigh, t_.inverseLow, t_.inverseOffset,
                t_.inverse0,     t_.inverse1,    t_.inverse2};
    this->InitRows(grad_output, out, t_.rows, t_.outLength, t_.inLength, t_.tileRows, t_.inRow, t_.outRow,
                   pipe);
    const UpsampleLinear1dBackwardGatherBuffers buffers(t_.tileRows, t_.inRow, t_.outRow, sizeof(T));
    pipe->InitBuffer(offsets_, buffers.offsets.bytes);
    pipe->InitBuffer(distance_, buffers.distance.bytes);
    pipe->InitBuffer(lowest_, buffers.lowest.bytes);
    pipe->InitBuffer(highest_, buffers.highest.bytes);
    pipe->InitBuffer(weight_, buffers.weight.bytes);
    pipe->InitBuffer(grad_, buffers.grad.bytes);
    if constexpr (sizeof(T) != sizeof(float)) {
      pipe->InitBuffer(gathered_, buffers.gathered.bytes);
      pipe->InitBuffer(sum_, buffers.sum.bytes);
    }
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this, t_); }

 private:
  friend class avo::RowTiles<T>;

  // Returns the first output of the window of an input x. `whole` is the last output whose position is at
  // most x - 1, and the window starts after it, but early enough to be a whole window. Outputs that are too
  // early have weight zero.
  __aicore__ inline int64_t StartOfWindow(int64_t whole) {
    const int64_t latest = t_.outLength - t_.window;
    return whole + 1 < 0 ? 0 : (whole + 1 < latest ? whole + 1 : latest);
  }

  // Chooses the inputs of tile `tile` of a row, and builds their table.
  __aicore__ inline void SetLength(int64_t tile) {
    this->SetOutputs(tile * t_.tileUnits, t_.tileUnits);
    const int64_t begin = this->out_begin_, end = begin + this->out_count_ - 1;
    const avo::Position first = avo::PositionAt(inverse_, begin);
    base_ = StartOfWindow(first.whole);
    // Rounding may move a position up to the next whole number.
    spread_ = static_cast<uint32_t>(StartOfWindow(avo::PositionAt(inverse_, end).whole + 1) - base_);
    const avo::Position at = avo::PositionAt(map_, base_);
    BuildTable(first.fraction, static_cast<float>(static_cast<int32_t>(first.whole + 1 - base_)), at.fraction,
               static_cast<float>(static_cast<int32_t>(at.whole - begin)));
  }

  // Computes, for each input x of one row and then of each row of the tile: the offset of its window; the
  // distance x' - x of the first output of its window; and bounds of the distance. Positions x' are clamped
  // to the signal, so the first input has no distance below 0, and the last input has none above 0. The first
  // window starts fraction0 behind output base_ + whole0; the position of output base_ is near_distance +
  // far_distance behind the first input.
  __aicore__ inline void BuildTable(float fraction0, float whole0, float near_distance, float far_distance) {
    const uint32_t n = t_.outRow;
    auto offsets = offsets_.template Get<int32_t>();
    auto distance = distance_.template Get<float>();
    auto lowest = lowest_.template Get<float>();
    auto highest = highest_.template Get<float>();
    auto index = weight_.template Get<float>();
    auto whole = grad_.template Get<float>();
    AscendC::CreateVecIndex(index, 0.0f, n);
    avo::PositionRun(whole, distance, index, lowest, highest, inverse_, fraction0, n);
    AscendC::Adds(whole, whole, whole0, n);
    avo::Clamp(whole, 0.0f, static_cast<float>(static_cast<int32_t>(spread_)), n);

    // Whole numbers and products of step0 are exact, so what is large cancels exactly before what is small is
    // added.
    AscendC::Muls(distance, whole, t_.step0, n);
    AscendC::Sub(distance, distance, index, n);
    AscendC::Adds(distance, distance, far_distance, n);
    AscendC::Axpy(distance, whole, t_.step1, n);
    AscendC::Axpy(distance, whole, t_.step2, n);
    AscendC::Adds(distance, distance, near_distance, n);

    // For all other inputs the bounds are -2 and 2. They change nothing, as weights are zero beyond 1.
    const int64_t after = t_.inLength - 1 - this->out_begin_;
    AscendC::Adds(lowest, index, this->out_begin_ == 0 ? 0.0f : 1.0f, n);
    AscendC::Mins(lowest, lowest, 1.0f, n);
    AscendC::Muls(lowest, lowest, -2.0f, n);
    AscendC::Muls(highest, index, -1.0f, n);
    AscendC::Adds(highest, highest, static_cast<float>(static_cast<int32_t>(after < n ? after : n)), n);
    avo::Clamp(highest, 0.0f, 1.0f, n);
    AscendC::Muls(highest, highest, 2.0f, n);

    avo::ByteOffsets<T>(offsets, whole, n);
    avo::RepeatRow(offsets, t_.tileRows, n, static_cast<int32_t>(t_.inRow * sizeof(T)));
    avo::RepeatRow(distance, t_.tileRows, n, 0.0f);
    avo::RepeatRow(lowest, t_.tileRows, n, 0.0f);
    avo::RepeatRow(highest, t_.tileRows, n, 0.0f);
  }

  // Computes the current tile from the table, a piece of each window at a time.
  __aicore__ inline void Compute() {
    const uint32_t n = this->rows_ * t_.outRow;
    auto result = this->out_queue_.template AllocTensor<T>();
    auto sum = Sum(result);
    AscendC::Duplicate(sum, 0.0f, n);
    for (int64_t done = 0; done < t_.window; done += t_.windowPiece) {
      const uint32_t piece = avo::MinRemaining(t_.window - done, t_.windowPiece);
      this->SetInputs(base_ + done, base_ + done + spread_ + piece);
      auto rows = this->CopyIn();
      for (uint32_t i = 0; i < piece; ++i) AddOutput(sum, rows, i, static_cast<int32_t>(done) + i, n);
      this->in_queue_.FreeTensor(rows);
    }
    if constexpr (sizeof(T) != sizeof(float)) AscendC::Cast(result, sum, AscendC::RoundMode::CAST_RINT, n);
    this->CopyOut(result);
  }

  // Adds output `place` of each window to the sum of its input. The output is `i` elements behind the offset
  // of the window.
  __aicore__ inline void AddOutput(const AscendC::LocalTensor<float> &sum,
                                   const AscendC::LocalTensor<T> &rows, uint32_t i, int32_t place,
                                   uint32_t n) {
    const auto offsets = offsets_.template Get<uint32_t>();
    auto weight = weight_.template Get<float>();
    auto grad = grad_.template Get<float>();
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Gather(grad, rows, offsets, i * sizeof(T), n);
    } else {
      auto gathered = gathered_.template Get<T>();
      AscendC::Gather(gathered, rows, offsets, i * sizeof(T), n);
      AscendC::Cast(grad, gathered, AscendC::RoundMode::CAST_NONE, n);
    }
    const float step = t_.step0 + t_.step1 + t_.step2;
    AscendC::Adds(weight, distance_.template Get<float>(), static_cast<float>(place) * step, n);
    AscendC::Max(weight, weight, lowest_.template Get<float>(), n);
    AscendC::Min(weight, weight, highest_.template Get<float>(), n);
    AscendC::Abs(weight, weight, n);
    AscendC::Muls(weight, weight, -1.0f, n);
    AscendC::Adds(weight, weight, 1.0f, n);
    AscendC::Maxs(weight, weight, 0.0f, n);
    AscendC::MulAddDst(sum, grad, weight, n);
  }

  // Returns where sums are kept: in the result itself where it is float32.
  __aicore__ inline AscendC::LocalTensor<float> Sum(const AscendC::LocalTensor<T> &result) {
    if constexpr (sizeof(T) == sizeof(float)) {
      return result;
    } else {
      return sum_.template Get<float>();
    }
  }

  UpsampleLinear1dBackwardTiling t_;
  avo::LinearMap map_, inverse_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsets_, distance_, lowest_, highest_, weight_, grad_,
      gathered_, sum_;
  int64_t base_;     // first output of the first window of the tile
  uint32_t spread_;  // outputs from there to the first output of the last window
};

template <typename T>
class UpsampleLinear1dBackward<T, 2> {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR out, GM_ADDR,
                              const UpsampleLinear1dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    copy_.Init(grad_output, out, tiling.rows * tiling.inLength, tiling.tileUnits, pipe);
  }
  __aicore__ inline void Process() { copy_.Process(); }

 private:
  avo::TensorCopy<T> copy_;
};
