// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 matrices by the matrix unit of x86-64 (AMX). Its registers are tiles of 16 rows of 64
// bytes. Sums are float32. The unit takes subnormal factors and sums as 0. On other processors these
// functions exist, but nothing calls them.
#pragma once

#include <cstdint>

#include "op_cpu/common/tensors/element.h"

namespace avo {

constexpr int64_t kTileProductRows = 32;     // of the first factor that are multiplied at a time
constexpr int64_t kTileProductColumns = 16;  // of a panel of the second factor
constexpr int64_t kTileProductDepth = 32;    // that is multiplied at a time

// Whether this processor has the unit and the system lets this process use it. The first call asks.
bool HasTileProduct();

// While an object of this class lives, the registers of its thread are set up for MultiplyAddTiles.
class TileRegisters {
 public:
  TileRegisters();
  ~TileRegisters();
  TileRegisters(const TileRegisters &) = delete;
  TileRegisters &operator=(const TileRegisters &) = delete;
};

// Computes sums (rows, columns) += a (rows, depth) x b (depth, columns). Each size is rounded up to a
// multiple of the size above. There must be memory for so many rows and columns, and zeros in both factors
// for so much depth. b consists of panels of kTileProductColumns columns. In a panel, two elements of the
// depth lie side by side:
//
//   column 0: k0 k1 | column 1: k0 k1 | … | column 0: k2 k3 | column 1: k2 k3 | …
void MultiplyAddTiles(const BFloat16 *a, int64_t a_stride, int64_t rows, const BFloat16 *b, int64_t depth,
                      int64_t columns, float *sums, int64_t sums_stride);

}  // namespace avo
