// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// What RowProduct (row_product.h) puts into the memories of a cube core.
struct RowProductBuffers {
  static constexpr uint64_t kSliceBytes = 128;  // of a row of a factor, in L0A or L0B

  // Queues of the factors as they are loaded.
  struct Level1 {
    Buffer a, b;
  };

  Level1 l1;
  Buffer l0a;  // queue of slices of the first factor
  Buffer l0b;  // queue of slices of the second factor
  Buffer l0c;  // float32: the product

  // rows, columns: of the product, multiples of 16; depth: elements of a row of a factor that are loaded at
  // once, a multiple of a slice; item: bytes of an element.
  __aicore__ RowProductBuffers(uint64_t rows, uint64_t columns, uint64_t depth, uint64_t item)
      : l1{{2, rows * depth * item}, {2, columns * depth * item}},
        l0a{2, rows * kSliceBytes},
        l0b{2, columns * kSliceBytes},
        l0c{1, rows * columns * 4} {}
};

}  // namespace avo
