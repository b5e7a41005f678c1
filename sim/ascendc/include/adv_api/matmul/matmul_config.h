// SPDX-License-Identifier: Apache-2.0
// What a Matmul object multiplies, and how.
#pragma once

#include "../../kernel_operator.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

// Both templates of the library do the same here: copies to L1 are as large as the tiling says.
struct MatmulConfig {
  bool doNorm = false;
  bool doMultiDataLoad = false;
};
constexpr MatmulConfig CFG_NORM{true, false};
constexpr MatmulConfig CFG_MDL{false, true};

namespace AscendC {

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct MatmulType {
  static constexpr TPosition pos = POSITION;
  static constexpr CubeFormat format = FORMAT;
  using T = TYPE;
  static constexpr bool isTrans = ISTRANS;
  static constexpr LayoutMode layout = LAYOUT;
  static constexpr bool ibShare = IBSHARE;
};

}  // namespace AscendC
