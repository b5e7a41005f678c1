// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "max_pool2d_tiling.h"
#include "pool_planes.h"
#include "pool_windows.h"

namespace avo {

// AscendC's Max gives NaN where either operand is NaN, and so do windows.
struct WindowMaximum {
  static constexpr bool kMean = false;
  // Atlas A2 compares no bfloat16.
  template <typename T>
  using Element = std::conditional_t<std::is_same_v<T, half>, half, float>;
  static __aicore__ inline float Identity() { return -__builtin_inff(); }
  template <typename... Operands>
  static __aicore__ inline void Combine(const Operands &...operands) {
    AscendC::Max(operands...);
  }
  template <typename... Operands>
  static __aicore__ inline void CombineScalar(const Operands &...operands) {
    AscendC::Maxs(operands...);
  }
};

}  // namespace avo

template <typename T, uint32_t KEY>
class MaxPool2d
    : public std::conditional_t<KEY == 0, avo::PoolWindows<T, avo::WindowMaximum, MaxPool2dTiling>,
                                avo::PoolPlanes<T, avo::WindowMaximum, MaxPool2dTiling>> {};
