// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "comparisons.h"

#include "../../include/kernel_operator_vec_cmpsel_intf.h"

using namespace sim;

namespace {

// The lanes that vcmpv and vcmpvs compare: all of `repeat` repeats, or in counting mode as many as the mask
// register says. Neither changes the mask registers.
struct CountedOrAllLanes {
  uint8_t repeat;
  bool Apply(VectorOp &op) const {
    Registers &registers = op.core().registers;
    if (registers.mask_counts) return op.Mask(false, uint64_t{0}, repeat);
    return AllLanes{repeat}.Apply(op);
  }
};

}  // namespace

#define SIM_COMPARISON_OF(name, mode, T)                                                                    \
  template <>                                                                                               \
  void vcmpv_##name(uint8_t *dst, T *src0, T *src1, uint8_t repeat, uint8_t, uint8_t src0BlockStride,       \
                    uint8_t src1BlockStride, uint8_t, uint8_t src0RepeatStride, uint8_t src1RepeatStride) { \
    Compare(InUb(dst), InUb(src0), InUb(src1), CMPMODE::mode, CountedOrAllLanes{repeat},                    \
            {src0BlockStride, src0RepeatStride}, {src1BlockStride, src1RepeatStride}, Unplaced());          \
  }                                                                                                         \
  template <>                                                                                               \
  void vcmpvs_##name(uint8_t *dst, T *src0, T src1, uint8_t repeat, uint16_t, uint16_t srcBlockStride,      \
                     uint16_t, uint16_t srcRepeatStride) {                                                  \
    CompareScalar("CompareScalar", InUb(dst), InUb(src0), src1, CMPMODE::mode, CountedOrAllLanes{repeat},   \
                  {srcBlockStride, srcRepeatStride}, Unplaced());                                           \
  }
#define SIM_REGISTER_COMPARISON_OF(name, mode, T)                                                            \
  template <>                                                                                                \
  void vcmp_##name(T *src0, T *src1, uint8_t, uint8_t, uint8_t src0BlockStride, uint8_t src1BlockStride,     \
                   uint8_t, uint8_t src0RepeatStride, uint8_t src1RepeatStride) {                            \
    CompareToRegister(InUb(src0), InUb(src1), CMPMODE::mode, false, uint64_t{0},                             \
                      {src0BlockStride, src0RepeatStride}, {src1BlockStride, src1RepeatStride}, Unplaced()); \
  }
#define SIM_COMPARISON(name, mode)             \
  SIM_COMPARISON_OF(name, mode, half)          \
  SIM_COMPARISON_OF(name, mode, float)         \
  SIM_REGISTER_COMPARISON_OF(name, mode, half) \
  SIM_REGISTER_COMPARISON_OF(name, mode, float)
SIM_COMPARISON(lt, LT)
SIM_COMPARISON(gt, GT)
SIM_COMPARISON(eq, EQ)
SIM_COMPARISON(le, LE)
SIM_COMPARISON(ge, GE)
SIM_COMPARISON(ne, NE)
SIM_COMPARISON_OF(eq, EQ, int32_t)
// CANN's headers name these for int32_t too. The device does not have them, which the shared check of types
// says.
SIM_COMPARISON_OF(lt, LT, int32_t)
SIM_COMPARISON_OF(gt, GT, int32_t)
SIM_COMPARISON_OF(le, LE, int32_t)
SIM_COMPARISON_OF(ge, GE, int32_t)
SIM_COMPARISON_OF(ne, NE, int32_t)

void set_cmpmask(void *src) { AscendC::SetCmpMask(OnChip<uint8_t>(Space::UB, src), Unplaced()); }
void get_cmpmask(void *dst) { AscendC::GetCmpMask(OnChip<uint8_t>(Space::UB, dst), Unplaced()); }

namespace {

template <typename T>
void SelectByMode(T *dst, T *src0, void *src1, uint8_t selectMode, const Level0<uint64_t> &level) {
  const auto mode = static_cast<SELMODE>(selectMode);
  if (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) {
    SelectRegisterScalar(InUb(dst), OnChip<uint8_t>(Space::UB, src1), InUb(src0), level, Unplaced());
  } else {
    SelectByRegister(InUb(dst), InUb(src0), OnChip<T>(Space::UB, src1), mode, level, Unplaced());
  }
}

}  // namespace

#define SIM_SELECT(T, Source1)                                                                               \
  template <>                                                                                                \
  void vsel(T *dst, T *src0, Source1 *src1, uint8_t repeat, uint8_t dstBlockStride, uint8_t src0BlockStride, \
            uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,                      \
            uint8_t src1RepeatStride, uint8_t selectMode) {                                                  \
    SelectByMode(dst, src0, src1, selectMode,                                                                \
                 ByRegisters(repeat, {dstBlockStride, dstRepeatStride}, {src0BlockStride, src0RepeatStride}, \
                             {src1BlockStride, src1RepeatStride}));                                          \
  }
SIM_SELECT(half, half)
SIM_SELECT(half, void)
SIM_SELECT(float, float)
SIM_SELECT(float, void)
