// SPDX-License-Identifier: Apache-2.0
// What a product asks of its tiling, and the search for one.
#pragma once

#include "kernel_tiling/kernel_tiling.h"
#include "matmul_types.h"

namespace matmul_tiling {

struct Matrix {
  TPosition position = TPosition::GM;
  CubeFormat format = CubeFormat::ND;
  DataType type = DataType::DT_FLOAT16;
  bool transposed = false;
};

constexpr int32_t kUnset = -1;

struct Sizes {
  int32_t m = kUnset, n = kUnset, k = kUnset;
};

struct Problem {
  Matrix a, b, c, bias;
  bool biased = false;
  bool sparse = false;        // of four values of B along k two are stored
  Sizes whole;                // the matrices in memory
  int32_t whole_kb = kUnset;  // k of B, where it is not that of A
  Sizes part;                 // what all cores compute; kUnset: all
  Sizes single;               // what one core computes; kUnset: the search decides
  Sizes largest_single, smallest_single;
  Sizes align{1, 1, 1};  // sizes of a core are multiples of these
  Sizes base;            // one product; kUnset: the search decides
  Sizes largest_base;
  int32_t cores = 1;
  bool split_k = false;                                // cores may share a result, which they add to in GM
  bool nine_blocks = false;                            // NBuffer33: a core has at most 3 x 3 blocks of A
  bool along_n = false;                                // tiles follow each other along n
  bool tables = false;                                 // a factor for each column of the result
  uint64_t l0a = 0, l0b = 0, l0c = 0, l1 = 0, ub = 0;  // bytes
};

// The sizes of a device's memories.
__attribute__((visibility("default"))) void TakeMemories(Problem *problem,
                                                         const platform_ascendc::PlatformAscendC &platform);
__attribute__((visibility("default"))) void TakeMemories(Problem *problem);  // of the simulated device

// Finds a tiling whose tiles fit in the memories. Returns false, and says why on the standard error, where
// there is none; then the tiling stays as it is.
__attribute__((visibility("default"))) bool FindTiling(const Problem &problem,
                                                       AscendC::tiling::TCubeTiling *tiling);

__attribute__((visibility("default"))) SysTilingTempBufSize
MemoriesOf(const AscendC::tiling::TCubeTiling &tiling);

}  // namespace matmul_tiling
