// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_results.h"

#include "../../include/sim/fixpipe.h"

using namespace sim;

void set_nd_para(uint64_t word) { Core::Current().registers.matrices = word; }
void set_quant_pre(uint64_t word) { Core::Current().registers.factor = word; }
void set_fpc(uint64_t word) {
  Core::Current().registers.factor_table = word;
  if ((word >> 63) != 0) ClearUnitFlags(Core::Current());
}

namespace {

template <typename T, typename U>
void CopyOut(const CopySide &dst, U *src, AscendC::FixpipeParamsV220 params, uint8_t relu, bool rows) {
  Core &core = Core::Current();
  if (relu > NormalRELU) {
    core.Fail(FaultKind::kOther, "Fixpipe", Unplaced(), "ReLUPRE must be 0 or 1, others are not modelled");
  }
  if (rows) {
    const uint64_t matrices = core.registers.matrices;
    params.ndNum = matrices & 0xFFFF;
    params.srcNdStride = matrices >> 16 & 0xFFFF;
    params.dstNdStride = matrices >> 32 & 0xFFFF;
  }
  FixpipeOut<T, U>(dst, OnChip<U>(Space::L0C, src),
                   rows ? AscendC::CO2Layout::ROW_MAJOR : AscendC::CO2Layout::NZ, params, Unplaced());
}

}  // namespace

#define SIM_RESULT(name, side, T, U)                                                             \
  template <>                                                                                    \
  void name(T *dst, U *src, uint8_t, uint16_t NSize, uint16_t MSize, uint32_t dstStride_dst_D,   \
            uint16_t srcStride, uint8_t UnitFlagMode, QuantMode_t QuantPRE, uint8_t ReLUPRE,     \
            bool channelSplit, bool NZ2ND_EN) {                                                  \
    CopyOut<T, U>(Side<T>("dst", side), src,                                                     \
                  {NSize, MSize, srcStride, dstStride_dst_D, ReLUPRE != 0, QuantPRE, 0, 1, 0, 0, \
                   UnitFlagMode, channelSplit},                                                  \
                  ReLUPRE, NZ2ND_EN);                                                            \
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
