// SPDX-License-Identifier: Apache-2.0
// Repeats one Add. The addresses and strides of its operands decide whether they conflict in the banks of UB.
#pragma once

#include "kernel_operator.h"

struct AddBanksTiling {
  uint32_t src0;  // byte offsets in UB
  uint32_t src1;
  uint32_t dst;
  uint32_t block_stride = 1;  // of src0, in data blocks
  uint32_t repeat_stride = 8;
};

extern "C" __global__ __aicore__ void add_banks(GM_ADDR tiling) {
  constexpr uint32_t count = 4096, times = 1000, lanes = 256 / sizeof(float);
  GET_TILING_DATA_WITH_STRUCT(AddBanksTiling, data, tiling);
  AscendC::LocalTensor<float> src0(AscendC::TPosition::VECCALC, data.src0, count);
  AscendC::LocalTensor<float> src1(AscendC::TPosition::VECCALC, data.src1, count);
  AscendC::LocalTensor<float> dst(AscendC::TPosition::VECCALC, data.dst, count);
  AscendC::Duplicate(src0, 1.0f, count);
  AscendC::Duplicate(src1, 2.0f, count);
  const AscendC::BinaryRepeatParams strides(1, data.block_stride, 1, 8, data.repeat_stride, 8);
  for (uint32_t i = 0; i < times; ++i) AscendC::Add(dst, src0, src1, lanes, count / lanes, strides);
}
