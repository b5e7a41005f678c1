// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_results.h"

#include "../../include/sim/fixpipe.h"

using namespace sim;

void set_nd_para(uint64_t word) { Core::Current().registers.matrices = word; }
void set_quant_pre(uint64_t word) { Core::Current().registers.factor = word; }
void set_fpc(uint64_t word) { SetFactorTable(word); }

#define SIM_RESULT(name, side, T, U)                                                                         \
  template <>                                                                                                \
  void name(T *dst, U *src, uint8_t, uint16_t NSize, uint16_t MSize, uint32_t dstStride_dst_D,               \
            uint16_t srcStride, uint8_t UnitFlagMode, QuantMode_t QuantPRE, uint8_t ReLUPRE,                 \
            bool channelSplit, bool NZ2ND_EN) {                                                              \
    FixpipeByRegisters<T, U>(                                                                                \
        Side<T>("dst", side), OnChip<U>(Space::L0C, src),                                                    \
        {NSize, MSize, srcStride, dstStride_dst_D, false, QuantPRE, 0, 1, 0, 0, UnitFlagMode, channelSplit}, \
        ReLUPRE, NZ2ND_EN, Unplaced());                                                                      \
  }
#define SIM_RESULTS(T, U)                              \
  SIM_RESULT(copy_matrix_cc_to_gm, InGm<T>(dst), T, U) \
  SIM_RESULT(copy_matrix_cc_to_cbuf, OnChip<T>(Space::L1, dst), T, U)
SIM_RESULTS(half, float)
SIM_RESULTS(bfloat16_t, float)
SIM_RESULTS(int8_t, float)
SIM_RESULTS(uint8_t, float)
SIM_RESULTS(half, int32_t)
SIM_RESULTS(int8_t, int32_t)
SIM_RESULTS(uint8_t, int32_t)
SIM_RESULT(copy_matrix_cc_to_gm, InGm<float>(dst), float, float)
SIM_RESULT(copy_matrix_cc_to_gm, InGm<int32_t>(dst), int32_t, int32_t)
