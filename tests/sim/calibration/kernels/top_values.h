// SPDX-License-Identifier: Apache-2.0
// The 1000 largest of each row of 1024 floats: Sort32, merges of four lists and of two, moves between the
// buffers, and GatherMask for the values and for the indices.
#pragma once

#include "kernel_operator.h"

struct TopValuesTiling {
  uint32_t rows_of_core;
  uint32_t pitch;  // of a row in GM
};

class TopValues {
 public:
  static constexpr uint32_t kWidth = 1024, kTop = 1000, kList = 32;

  __aicore__ inline void Init(GM_ADDR rows, GM_ADDR values, GM_ADDR indices, const TopValuesTiling &tiling) {
    t_ = tiling;
    const uint64_t first = uint64_t{static_cast<uint32_t>(AscendC::GetBlockIdx())} * t_.rows_of_core;
    rows_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(rows) + first * t_.pitch,
                          t_.rows_of_core * t_.pitch);
    values_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(values) + first * kTop, t_.rows_of_core * kTop);
    indices_.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t *>(indices) + first * kTop,
                             t_.rows_of_core * kTop);
    pipe_.InitBuffer(in_, 2, kWidth * sizeof(float));
    pipe_.InitBuffer(out_values_, 2, kWidth * sizeof(float));
    pipe_.InitBuffer(out_indices_, 2, kWidth * sizeof(float));
    pipe_.InitBuffer(numbers_, kWidth * sizeof(float));
    pipe_.InitBuffer(pairs_, 2 * kWidth * sizeof(float));
    pipe_.InitBuffer(merged_, 2 * kWidth * sizeof(float));
    AscendC::CreateVecIndex(numbers_.Get<int32_t>(), int32_t{0}, kWidth);
    AscendC::PipeBarrier<PIPE_V>();
  }

  __aicore__ inline void Process() {
    for (uint32_t row = 0; row < t_.rows_of_core; ++row) {
      auto in = in_.AllocTensor<float>();
      AscendC::DataCopy(in, rows_[row * t_.pitch], kWidth);
      in_.EnQue(in);
      in = in_.DeQue<float>();
      auto pairs = pairs_.Get<float>();
      AscendC::Sort32(pairs, in, numbers_.Get<uint32_t>(), kWidth / kList);
      AscendC::PipeBarrier<PIPE_V>();
      in_.FreeTensor(in);
      Merge(pairs);
      Take(row, pairs);
    }
  }

 private:
  // Lists of 32 become lists of 128, of 512, and one. Each merge goes to the other buffer and is moved back.
  __aicore__ inline void Merge(const AscendC::LocalTensor<float> &pairs) {
    auto merged = merged_.Get<float>();
    for (uint16_t list = kList; list < kWidth / 2; list *= 4) {
      AscendC::MrgSort4Info info;
      for (auto &length : info.elementLengths) length = list;
      info.ifExhaustedSuspension = false;
      info.validBit = 15;
      info.repeatTimes = kWidth / (4 * list);
      AscendC::MrgSort(merged, {pairs, pairs[2 * list], pairs[4 * list], pairs[6 * list]}, info);
      AscendC::PipeBarrier<PIPE_V>();
      AscendC::Adds(pairs, merged, 0.0f, 2 * kWidth);
      AscendC::PipeBarrier<PIPE_V>();
    }
    AscendC::MrgSort4Info info;
    info.elementLengths[0] = info.elementLengths[1] = kWidth / 2;
    info.ifExhaustedSuspension = false;
    info.validBit = 3;
    info.repeatTimes = 1;
    AscendC::MrgSort(merged, {pairs, pairs[kWidth], pairs, pairs}, info);
    AscendC::PipeBarrier<PIPE_V>();
    for (uint32_t move = 0; move < 2; ++move) {
      AscendC::Adds(pairs, merged, 0.0f, 2 * kTop);
      AscendC::PipeBarrier<PIPE_V>();
    }
  }

  __aicore__ inline void Take(uint32_t row, const AscendC::LocalTensor<float> &pairs) {
    auto values = out_values_.AllocTensor<float>();
    auto indices = out_indices_.AllocTensor<uint32_t>();
    const AscendC::GatherMaskParams whole(1, 1, 8, 0);
    uint64_t count = 0;
    AscendC::GatherMask(values, pairs, uint8_t{1}, true, 2 * kTop, whole, count);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::GatherMask(indices, pairs.ReinterpretCast<uint32_t>(), uint8_t{2}, true, 2 * kTop, whole, count);
    out_values_.EnQue(values);
    out_indices_.EnQue(indices);
    values = out_values_.DeQue<float>();
    indices = out_indices_.DeQue<uint32_t>();
    AscendC::DataCopy(values_[row * kTop], values, kTop);
    AscendC::DataCopy(indices_[row * kTop], indices, kTop);
    out_values_.FreeTensor(values);
    out_indices_.FreeTensor(indices);
  }

  TopValuesTiling t_;
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_values_, out_indices_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, pairs_, merged_;
  AscendC::GlobalTensor<float> rows_, values_;
  AscendC::GlobalTensor<uint32_t> indices_;
};

extern "C" __global__ __aicore__ void top_values(GM_ADDR rows, GM_ADDR values, GM_ADDR indices,
                                                 GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(TopValuesTiling, data, tiling);
  TopValues op;
  op.Init(rows, values, indices, data);
  op.Process();
}
