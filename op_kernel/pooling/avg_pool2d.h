// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "avg_pool2d_tiling.h"
#include "pool_planes.h"
#include "pool_windows.h"

namespace avo {

// Windows are summed; the kernel then multiplies the sums by the factors of a mean.
struct WindowMean {
  static constexpr bool kMean = true;
  template <typename T>
  using Element = float;
  static __aicore__ inline float Identity() { return 0.0f; }
  template <typename... Operands>
  static __aicore__ inline void Combine(const Operands &...operands) {
    AscendC::Add(operands...);
  }
  template <typename... Operands>
  static __aicore__ inline void CombineScalar(const Operands &...operands) {
    AscendC::Adds(operands...);
  }
};

}  // namespace avo

template <typename T, uint32_t KEY>
class AvgPool2d : public std::conditional_t<KEY == 0, avo::PoolWindows<T, avo::WindowMean, AvgPool2dTiling>,
                                            avo::PoolPlanes<T, avo::WindowMean, AvgPool2dTiling>> {};
