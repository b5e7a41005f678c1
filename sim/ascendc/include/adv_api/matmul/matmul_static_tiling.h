// SPDX-License-Identifier: Apache-2.0
// Tilings that are constants of the kernel: a Matmul object takes a MatmulApiStaticTiling in place of a
// MatmulConfig.
#pragma once

#include "../../kernel_tiling/kernel_tiling.h"
#include "matmul_config.h"

// A member of -1 is taken from the tiling that Init gets.
struct MatmulApiStaticTiling {
#define SIM_STATIC_TILING_FIELD(name) int32_t name = -1;
  SIM_CUBE_TILING_FIELDS(SIM_STATIC_TILING_FIELD)
#undef SIM_STATIC_TILING_FIELD
  MatmulConfig cfg = CFG_NORM;
};

namespace sim {

constexpr const MatmulConfig &ConfigOf(const MatmulConfig &config) { return config; }
constexpr const MatmulConfig &ConfigOf(const MatmulApiStaticTiling &tiling) { return tiling.cfg; }

inline TCubeTiling TilingOf(const MatmulConfig &, const TCubeTiling *tiling) {
  return tiling == nullptr ? TCubeTiling{} : *tiling;
}
inline TCubeTiling TilingOf(const MatmulApiStaticTiling &constant, const TCubeTiling *tiling) {
  TCubeTiling result = tiling == nullptr ? TCubeTiling{} : *tiling;
#define SIM_STATIC_TILING_FIELD(name) \
  if (constant.name != -1) result.name = constant.name;
  SIM_CUBE_TILING_FIELDS(SIM_STATIC_TILING_FIELD)
#undef SIM_STATIC_TILING_FIELD
  return result;
}

// Says whether a Matmul object of this configuration needs no tiling at run time.
constexpr bool HasTiling(const MatmulConfig &) { return false; }
constexpr bool HasTiling(const MatmulApiStaticTiling &tiling) { return tiling.baseM > 0; }

}  // namespace sim

namespace AscendC {

// Fills in a tiling for one core by the sizes of the configuration: buffers of L0 are double where two fit,
// and copies to L1 take as much k as fits in half of L1 for each factor.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig &mmCFG, int32_t l1Size = 512 * 1024) {
  constexpr int32_t kL0Bytes = 64 * 1024;
  const int32_t size_a = static_cast<int32_t>(mmCFG.basicM * mmCFG.basicK * sizeof(typename A_TYPE::T));
  const int32_t size_b = static_cast<int32_t>(mmCFG.basicN * mmCFG.basicK * sizeof(typename B_TYPE::T));
  MatmulApiStaticTiling tiling;
  tiling.cfg = mmCFG;
  tiling.usedCoreNum = 1;
  tiling.M = tiling.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
  tiling.N = tiling.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
  tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
  tiling.baseM = static_cast<int32_t>(mmCFG.basicM);
  tiling.baseN = static_cast<int32_t>(mmCFG.basicN);
  tiling.baseK = static_cast<int32_t>(mmCFG.basicK);
  tiling.isBias = mmCFG.enableSetBias ? 1 : 0;
  tiling.stepM = tiling.stepN = 1;
  if (size_a == 0 || size_b == 0) return tiling;  // the tiling of Init says the rest
  const int32_t steps = (tiling.singleCoreK + tiling.baseK - 1) / tiling.baseK;
  const int32_t bias = tiling.baseN * static_cast<int32_t>(sizeof(float));
  const int32_t fit = (l1Size - bias) / (2 * (size_a + size_b));
  const int32_t step = fit < 1 ? 1 : (fit < steps || steps == 0 ? fit : steps);
  const int32_t buffers = 2 * step * (size_a + size_b) + bias <= l1Size ? 2 : 1;
  tiling.stepKa = tiling.stepKb = step;
  tiling.depthA1 = tiling.depthB1 = step * buffers;
  tiling.dbL0A = 2 * size_a <= kL0Bytes ? 2 : 1;
  tiling.dbL0B = 2 * size_b <= kL0Bytes ? 2 : 1;
  tiling.dbL0C = 1;
  tiling.iterateOrder = mmCFG.iterateOrder == IterateOrder::ORDER_N ? 1 : 0;
  tiling.transLength = tiling.shareMode = tiling.shareUbSize = 0;
  tiling.shareL1Size = step * buffers * (size_a + size_b) + bias;
  tiling.shareL0CSize = tiling.baseM * tiling.baseN * static_cast<int32_t>(sizeof(float));
  return tiling;
}

}  // namespace AscendC
