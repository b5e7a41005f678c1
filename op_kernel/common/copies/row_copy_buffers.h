// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What TensorCopy (row_copy.h) puts into the Unified Buffer.
struct TensorCopyBuffers {
  Buffer chunks;  // queue of chunks, loaded and stored

  // chunk: elements that are copied at once; item: bytes of an element.
  __aicore__ TensorCopyBuffers(uint64_t chunk, uint64_t item) : chunks{2, chunk * item} {}
};

}  // namespace avo
