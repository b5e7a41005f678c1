// SPDX-License-Identifier: Apache-2.0
// Compresses rows of 512 floats to the four-bit number of the nearest of 16 codes each: divides a row by its
// norm, and counts the bounds that lie below each element, one bound after the other. Several rows share each
// instruction.
#pragma once

#include "kernel_operator.h"

struct NearestCodesTiling {
  uint32_t rows;
  uint32_t rows_of_core;
  uint32_t batch;  // rows at a time
};

class NearestCodes {
 public:
  static constexpr uint32_t kWidth = 512, kSlot = 320, kBounds = 15, kMostRows = 12, kNormSlot = 16;

  __aicore__ inline void Init(GM_ADDR rows, GM_ADDR slots, const NearestCodesTiling &tiling) {
    t_ = tiling;
    rows_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(rows), uint64_t{t_.rows} * kWidth);
    slots_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t *>(slots), uint64_t{t_.rows} * kSlot);
    const uint32_t bytes = t_.batch * kWidth * sizeof(float);
    pipe_.InitBuffer(in_, 1, bytes);
    pipe_.InitBuffer(out_, 1, t_.batch * kSlot);
    for (auto *buffer : {&unit_, &code_, &work_, &one_}) pipe_.InitBuffer(*buffer, bytes);
    pipe_.InitBuffer(packed_, bytes / 2);
    pipe_.InitBuffer(mask_, t_.batch * kWidth / 8);
    pipe_.InitBuffer(norms_, t_.batch * kNormSlot * sizeof(float));
    pipe_.InitBuffer(scratch_, kWidth * sizeof(float));
    AscendC::Duplicate(one_.Get<float>(), 1.0f, t_.batch * kWidth);
  }

  __aicore__ inline void Process() {
    const uint32_t begin = AscendC::GetBlockIdx() * t_.rows_of_core;
    const uint32_t end = begin + t_.rows_of_core < t_.rows ? begin + t_.rows_of_core : t_.rows;
    for (uint32_t row = begin; row < end; row += t_.batch) {
      const uint32_t rows = end - row < t_.batch ? end - row : t_.batch;
      auto in = in_.AllocTensor<float>();
      AscendC::DataCopy(in, rows_[uint64_t{row} * kWidth], rows * kWidth);
      in_.EnQue(in);
      Compute(rows);
      auto out = out_.DeQue<uint8_t>();
      AscendC::DataCopy(slots_[uint64_t{row} * kSlot], out, rows * kSlot);
      out_.FreeTensor(out);
    }
  }

 private:
  __aicore__ inline void WaitForVector() {
    const auto event = static_cast<event_t>(pipe_.FetchEventID(AscendC::HardEvent::V_S));
    AscendC::SetFlag<AscendC::HardEvent::V_S>(event);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(event);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    const uint32_t count = rows * kWidth;
    auto in = in_.DeQue<float>();
    auto out = out_.AllocTensor<uint8_t>();
    auto unit = unit_.Get<float>(), work = work_.Get<float>(), norms = norms_.Get<float>();
    AscendC::Duplicate(out.ReinterpretCast<half>(), half(0.0f), rows * kSlot / sizeof(half));
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Mul(work, in, in, count);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t i = 0; i < rows; ++i)
      AscendC::ReduceSum(norms[i * kNormSlot], work[i * kWidth], scratch_.Get<float>(), kWidth);
    AscendC::PipeBarrier<PIPE_V>();
    WaitForVector();
    for (uint32_t i = 0; i < rows; ++i) {
      norm_[i] = sqrt(norms.GetValue(i * kNormSlot) + 1e-16f);
      AscendC::Muls(unit[i * kWidth], in[i * kWidth], 1.0f / norm_[i], kWidth);
    }
    AscendC::PipeBarrier<PIPE_V>();
    CountBounds(count);
    Pack(out, rows);
    in_.FreeTensor(in);
    out_.EnQue(out);
  }

  __aicore__ inline void CountBounds(uint32_t count) {
    auto unit = unit_.Get<float>(), code = code_.Get<float>(), work = work_.Get<float>(),
         one = one_.Get<float>();
    auto mask = mask_.Get<uint8_t>();
    AscendC::Duplicate(code, 0.0f, count);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t bound = 0; bound < kBounds; ++bound) {
      const float value = 0.01f * bound - 0.07f;
      AscendC::CompareScalar(mask, unit, value, AscendC::CMPMODE::GE, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Select(work, mask, one, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Add(code, code, work, count);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  __aicore__ inline void Pack(const AscendC::LocalTensor<uint8_t> &out, uint32_t rows) {
    const uint32_t count = rows * kWidth;
    auto code = code_.Get<float>(), work = work_.Get<float>(), low = unit_.Get<float>();
    auto mask = mask_.Get<uint8_t>();
    auto packed = packed_.Get<half>();
    AscendC::CompareScalar(mask, code, 8.0f, AscendC::CMPMODE::LT, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(low, code, -16.0f, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Select(work, mask, code, low, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Cast(packed, work, AscendC::RoundMode::CAST_RINT, count);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t i = 0; i < rows; ++i) {
      AscendC::Cast(out[i * kSlot].ReinterpretCast<AscendC::int4b_t>(), packed[i * kWidth],
                    AscendC::RoundMode::CAST_RINT, kWidth);
    }
    AscendC::PipeBarrier<PIPE_V>();
    WaitForVector();
    for (uint32_t i = 0; i < rows; ++i) {
      for (uint32_t byte = 0; byte < 2; ++byte) {
        out.SetValue(i * kSlot + kWidth / 2 + byte, static_cast<uint8_t>(norm_[i]));
      }
    }
  }

  NearestCodesTiling t_;
  float norm_[kMostRows] = {};
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> unit_, code_, work_, one_, packed_, mask_, norms_, scratch_;
  AscendC::GlobalTensor<float> rows_;
  AscendC::GlobalTensor<uint8_t> slots_;
};

extern "C" __global__ __aicore__ void nearest_codes(GM_ADDR rows, GM_ADDR slots, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(NearestCodesTiling, data, tiling);
  NearestCodes op;
  op.Init(rows, slots, data);
  op.Process();
}
