// SPDX-License-Identifier: Apache-2.0
// Host functions that say how much work memory the functions of the high-level API take. A shape is any class
// with GetShapeSize().
#pragma once

#include <algorithm>

#include "sim_work_units.h"

namespace sim {

inline void WorkSizes(const WorkUnits &units, int64_t elements, uint32_t type_size, bool reuse, uint32_t &most,
                      uint32_t &least) {
  constexpr int64_t kUnit = 256;
  const uint32_t count = units.Of(type_size, reuse);
  least = count * static_cast<uint32_t>(kUnit);
  most = count * static_cast<uint32_t>(std::max(elements * type_size, kUnit));
}

}  // namespace sim

namespace AscendC {

// The most and the least bytes for a source, and how many times its bytes the work memory has.
#define SIM_WORK_SIZES(Name)                                                                                \
  template <typename Shape>                                                                                 \
  void Get##Name##MaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool isReuseSource,   \
                                uint32_t &maxValue, uint32_t &minValue) {                                   \
    sim::WorkSizes(sim::k##Name##Units, srcShape.GetShapeSize(), typeSize, isReuseSource, maxValue,         \
                   minValue);                                                                               \
  }                                                                                                         \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount,           \
                                             uint32_t &extraBuf) {                                          \
    maxLiveNodeCount = sim::k##Name##Units.Of(typeSize);                                                    \
    extraBuf = 0;                                                                                           \
  }
SIM_WORK_SIZES(Acos)
SIM_WORK_SIZES(Acosh)
SIM_WORK_SIZES(Asin)
SIM_WORK_SIZES(Asinh)
SIM_WORK_SIZES(Atan)
SIM_WORK_SIZES(Atanh)
SIM_WORK_SIZES(Ceil)
SIM_WORK_SIZES(Cos)
SIM_WORK_SIZES(Cosh)
SIM_WORK_SIZES(Erf)
SIM_WORK_SIZES(Erfc)
SIM_WORK_SIZES(Exp)
SIM_WORK_SIZES(Floor)
SIM_WORK_SIZES(Fmod)
SIM_WORK_SIZES(Frac)
SIM_WORK_SIZES(Log)
SIM_WORK_SIZES(Log10)
SIM_WORK_SIZES(Log2)
SIM_WORK_SIZES(Round)
SIM_WORK_SIZES(Sign)
SIM_WORK_SIZES(Sin)
SIM_WORK_SIZES(Sinh)
SIM_WORK_SIZES(Tan)
SIM_WORK_SIZES(Tanh)
SIM_WORK_SIZES(Trunc)
SIM_WORK_SIZES(Xor)
SIM_WORK_SIZES(Axpy)
#undef SIM_WORK_SIZES

}  // namespace AscendC
