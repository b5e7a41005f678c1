// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What TensorCopy (row_copy.h) puts into the Unified Buffer.
struct TensorCopyBuffers {
  Buffer pieces;  // queue of pieces, loaded and stored

  // piece: elements that are copied at once; item: bytes of an element.
  __aicore__ TensorCopyBuffers(uint64_t piece, uint64_t item) : pieces{2, piece * item} {}
};

}  // namespace avo
