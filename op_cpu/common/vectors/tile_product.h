// SPDX-License-Identifier: Apache-2.0
// Products of bfloat16 matrices by the matrix unit of x86-64 (AMX): registers are tiles of 16 rows of 64
// bytes. Sums are float32; subnormal factors and sums are 0 to it. What other processors have of this is
// never called.
#pragma once

#include <cstdint>

#include "op_cpu/common/tensors/element.h"

namespace avo {

constexpr int64_t kTileProductRows = 32;     // of the first factor, at a time
constexpr int64_t kTileProductColumns = 16;  // of a panel of the second
constexpr int64_t kTileProductDepth = 32;    // at a time

// Whether this processor has the unit and the system lets this process use it, which is asked once.
bool HasTileProduct();

// Sets up the registers of this thread for MultiplyAddTiles, and gives them back.
class TileRegisters {
 public:
  TileRegisters();
  ~TileRegisters();
  TileRegisters(const TileRegisters &) = delete;
  TileRegisters &operator=(const TileRegisters &) = delete;
};

// sums (rows, columns) += a (rows, depth) x b (depth, columns). All three sizes are taken in whole pieces of
// the sizes above: there is memory for that many, and zeros in both factors for that deep. b is packed:
// panels of columns, of which element (k, c) is at (k / 2 * kTileProductColumns + c) * 2 + k % 2.
void MultiplyAddTiles(const BFloat16 *a, int64_t a_stride, int64_t rows, const BFloat16 *b, int64_t depth,
                      int64_t columns, float *sums, int64_t sums_stride);

}  // namespace avo
