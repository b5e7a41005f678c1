// SPDX-License-Identifier: Apache-2.0
// Host functions that say how much work memory the functions of the high-level API take. A shape is any class
// with GetShapeSize().
#pragma once

#include <algorithm>

#include "work_units.h"

namespace sim {

inline void WorkSizes(const WorkUnits &units, int64_t elements, uint32_t type_size, bool reuse,
                      uint32_t &most, uint32_t &least) {
  constexpr int64_t kUnit = 256;
  const uint32_t count = units.Of(type_size, reuse);
  least = count * static_cast<uint32_t>(kUnit);
  most = count * static_cast<uint32_t>(std::max(elements * type_size, kUnit));
}

}  // namespace sim

namespace AscendC {

// The most and the least bytes for a source, and how many times its bytes the work memory has.
#define SIM_WORK_SIZES(Name)                                                                              \
  template <typename Shape>                                                                               \
  void Get##Name##MaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool isReuseSource, \
                                uint32_t &maxValue, uint32_t &minValue) {                                 \
    sim::WorkSizes(sim::k##Name##Units, srcShape.GetShapeSize(), typeSize, isReuseSource, maxValue,       \
                   minValue);                                                                             \
  }                                                                                                       \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount,         \
                                             uint32_t &extraBuf) {                                        \
    maxLiveNodeCount = sim::k##Name##Units.Of(typeSize);                                                  \
    extraBuf = 0;                                                                                         \
  }
SIM_WORK_SIZES(Acos)
SIM_WORK_SIZES(Acosh)
SIM_WORK_SIZES(Asin)
SIM_WORK_SIZES(Asinh)
SIM_WORK_SIZES(Atan)
SIM_WORK_SIZES(Atanh)
SIM_WORK_SIZES(Axpy)
SIM_WORK_SIZES(Ceil)
SIM_WORK_SIZES(Cos)
SIM_WORK_SIZES(Cosh)
SIM_WORK_SIZES(Digamma)
SIM_WORK_SIZES(Erf)
SIM_WORK_SIZES(Erfc)
SIM_WORK_SIZES(Exp)
SIM_WORK_SIZES(Floor)
SIM_WORK_SIZES(Fmod)
SIM_WORK_SIZES(Frac)
SIM_WORK_SIZES(Lgamma)
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
SIM_WORK_SIZES(GeGLU)
#undef SIM_WORK_SIZES

// The others have forms of their own.
template <typename Shape>
void GetSwiGLUMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue,
                            uint32_t &minValue, const bool isReuseSource) {
  sim::WorkSizes(sim::kSwiGLUUnits, srcShape.GetShapeSize(), typeSize, isReuseSource, maxValue, minValue);
}
inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount,
                                         uint32_t &extraBuffer) {
  maxLiveNodeCount = sim::kSwiGLUUnits.Of(typeSize);
  extraBuffer = 0;
}

// One unit for each type.
template <typename Shape>
void GetSigmoidMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, bool, uint32_t &maxValue,
                             uint32_t &minValue) {
  sim::WorkSizes({1, 1, 1}, srcShape.GetShapeSize(), typeSize, false, maxValue, minValue);
}
// Six units of half, of which the body takes three; CANN names the same for float.
template <typename Shape>
void GetReGluMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue,
                           uint32_t &minValue) {
  sim::WorkSizes({6, 0, 0}, srcShape.GetShapeSize(), typeSize, false, maxValue, minValue);
}
// Three floats for each element, whatever its type.
template <typename Shape>
uint32_t GetGeluMinTmpSize(const Shape &, const uint32_t) {
  return 3 * 256;
}
template <typename Shape>
uint32_t GetGeluMaxTmpSize(const Shape &srcShape, const uint32_t) {
  return std::max<uint32_t>(3 * 256, 3 * sizeof(float) * static_cast<uint32_t>(srcShape.GetShapeSize()));
}
template <typename Shape>
void GetGeluMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, uint32_t &maxValue,
                          uint32_t &minValue) {
  maxValue = GetGeluMaxTmpSize(srcShape, typeSize);
  minValue = GetGeluMinTmpSize(srcShape, typeSize);
}
template <typename Shape>
void GetSiluTmpSize(const Shape &, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 0;
}
template <typename Shape>
void GetSwishTmpSize(const Shape &, const uint32_t, const bool, uint32_t &maxValue, uint32_t &minValue) {
  maxValue = minValue = 0;
}
// A byte for each element, at least those of a repeat.
template <typename Shape>
void GetClampMaxMinTmpSize(const Shape &srcShape, const uint32_t typeSize, const bool, uint32_t &maxValue,
                           uint32_t &minValue) {
  minValue = 256 / typeSize;
  maxValue = std::max<uint32_t>(minValue, static_cast<uint32_t>(srcShape.GetShapeSize()));
}
inline void GetClampTmpBufferFactorSize(const uint32_t, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
  maxLiveNodeCount = 1;
  extraBuf = 0;
}
// A shape of one element is a scalar, which becomes a tensor in the work memory.
template <typename Shape>
void GetPowerMaxMinTmpSize(const Shape &srcShape1, const Shape &srcShape2, const bool typeIsInt,
                           const uint32_t typeSize, const bool, uint32_t &maxValue, uint32_t &minValue) {
  const int64_t first = srcShape1.GetShapeSize(), second = srcShape2.GetShapeSize();
  const bool tensors = first > 1 && second > 1;
  const uint32_t floats = typeIsInt ? (tensors ? 6 : 7) : typeSize == 2 ? 7 : tensors ? 4 : 5;
  const uint32_t mask = typeIsInt ? 0 : 256;
  minValue = floats * 256 + mask;
  const auto bytes = static_cast<uint32_t>(std::max(first, second) * static_cast<int64_t>(sizeof(float)));
  maxValue = std::max(minValue, floats * bytes + mask);
}

}  // namespace AscendC
