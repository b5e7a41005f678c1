// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "reductions.h"

#include "../../include/sim/reduce.h"

using namespace sim;

namespace {

constexpr uint64_t kRegisters = 0;  // in place of a mask: the registers hold it

constexpr ReduceOrder OrderOf(Order_t order) {
  switch (order) {
    case VALUE_INDEX:
      return ReduceOrder::ORDER_VALUE_INDEX;
    case INDEX_VALUE:
      return ReduceOrder::ORDER_INDEX_VALUE;
    case ONLY_VALUE:
      return ReduceOrder::ORDER_ONLY_VALUE;
    default:
      return ReduceOrder::ORDER_ONLY_INDEX;
  }
}

}  // namespace

#define SIM_REDUCTIONS_OF(T)                                                                          \
  template <>                                                                                         \
  void vcadd(T *dst, T *src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,       \
             uint16_t srcRepeatStride, bool total) {                                                  \
    if (total) {                                                                                      \
      ReduceTotal(InUb(dst), InUb(src), AscendC::LocalTensor<T>(), false,                             \
                  ReduceRegisters{repeat, {srcBlockStride, srcRepeatStride}}, Unplaced());            \
    } else {                                                                                          \
      WholeReduce("WholeReduceSum", ReduceType::SUM, InUb(dst), InUb(src), false, kRegisters, repeat, \
                  dstRepeatStride, srcBlockStride, srcRepeatStride, ReduceOrder::ORDER_ONLY_VALUE,    \
                  Unplaced());                                                                        \
    }                                                                                                 \
  }                                                                                                   \
  template <>                                                                                         \
  void vcpadd(T *dst, T *src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,      \
              uint16_t srcRepeatStride) {                                                             \
    PairReduce(InUb(dst), InUb(src), false, kRegisters, repeat, dstRepeatStride, srcBlockStride,      \
               srcRepeatStride, Unplaced());                                                          \
  }
SIM_REDUCTIONS_OF(half)
SIM_REDUCTIONS_OF(float)

#define SIM_EXTREME_OF(name, api, type, T)                                                                \
  template <>                                                                                             \
  void name(T *dst, T *src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,            \
            uint16_t srcRepeatStride, Order_t order) {                                                    \
    WholeReduce(#api, ReduceType::type, InUb(dst), InUb(src), false, kRegisters, repeat, dstRepeatStride, \
                srcBlockStride, srcRepeatStride, OrderOf(order), Unplaced());                             \
  }
SIM_EXTREME_OF(vcmax, WholeReduceMax, MAX, half)
SIM_EXTREME_OF(vcmax, WholeReduceMax, MAX, float)
SIM_EXTREME_OF(vcmin, WholeReduceMin, MIN, half)
SIM_EXTREME_OF(vcmin, WholeReduceMin, MIN, float)

#define SIM_BLOCKS_OF(name, api, type, T)                                                                 \
  template <>                                                                                             \
  void name(T *dst, T *src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,            \
            uint16_t srcRepeatStride) {                                                                   \
    BlockReduce(#api, ReduceType::type, InUb(dst), InUb(src), false, kRegisters, repeat, dstRepeatStride, \
                srcBlockStride, srcRepeatStride, Unplaced());                                             \
  }
SIM_BLOCKS_OF(vcgadd, BlockReduceSum, SUM, half)
SIM_BLOCKS_OF(vcgadd, BlockReduceSum, SUM, float)
SIM_BLOCKS_OF(vcgmax, BlockReduceMax, MAX, half)
SIM_BLOCKS_OF(vcgmax, BlockReduceMax, MAX, float)
SIM_BLOCKS_OF(vcgmin, BlockReduceMin, MIN, half)
SIM_BLOCKS_OF(vcgmin, BlockReduceMin, MIN, float)
