// SPDX-License-Identifier: Apache-2.0
// Repeats one Add. The addresses of its operands decide whether they conflict in the banks of UB.
#pragma once

#include "kernel_operator.h"

struct AddBanksTiling {
  uint32_t count;  // floats
  uint32_t times;
  uint32_t src0;  // byte offsets in UB
  uint32_t src1;
  uint32_t dst;
};

extern "C" __global__ __aicore__ void add_banks(GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(AddBanksTiling, data, tiling);
  AscendC::LocalTensor<float> src0(AscendC::TPosition::VECCALC, data.src0, data.count);
  AscendC::LocalTensor<float> src1(AscendC::TPosition::VECCALC, data.src1, data.count);
  AscendC::LocalTensor<float> dst(AscendC::TPosition::VECCALC, data.dst, data.count);
  AscendC::Duplicate(src0, 1.0f, data.count);
  AscendC::Duplicate(src1, 2.0f, data.count);
  constexpr uint32_t lanes = 256 / sizeof(float);
  for (uint32_t i = 0; i < data.times; ++i) {
    AscendC::Add(dst, src0, src1, lanes, static_cast<uint8_t>(data.count / lanes), {1, 1, 1, 8, 8, 8});
  }
}
