// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/pool_windows.h"
#include "max_pool2d_tiling.h"

template <typename T, uint32_t KEY>
class MaxPool2d {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR, const MaxPool2dTiling &tiling,
                              AscendC::TPipe *pipe) {
    windows_.Init(input, out, tiling, pipe);
  }
  __aicore__ inline void Process() { windows_.Process(); }

 private:
  // Max gives NaN where either side is NaN.
  struct Maximum {
    static constexpr bool kMean = false;
    static __aicore__ inline float Identity() { return -__builtin_inff(); }
    template <typename... Operands>
    static __aicore__ inline void Combine(const Operands &...operands) {
      AscendC::Max(operands...);
    }
  };

  avo::PoolWindows<T, Maximum, MaxPool2dTiling> windows_;
};
