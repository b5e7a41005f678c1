// SPDX-License-Identifier: Apache-2.0
// What the cases of the high-level API share.
#pragma once

#include "case.h"

#ifndef SIM_CANN_HEADERS
#include "tiling/vector/lane_functions.h"

// Host functions take any class with the size of a shape.
struct HostShape {
  int64_t size;
  int64_t GetShapeSize() const { return size; }
};
#endif

// Calls a function in one of its four ways. ints: a count, and 0: with work memory (buffer `work`) and the
// count, 1: with work memory for all of the source, 2: with the count, 3: with nothing. Without work memory
// the function takes what lies behind the buffers, which this covers.
template <typename Function>
void WithWork(Case &c, size_t work, const Function &function) {
  const auto count = static_cast<uint32_t>(c.Int(0));
  const int64_t way = c.Int(1);
  if (way < 2) {
    const auto memory = c.Tensor<uint8_t>(work);
    way == 0 ? function(memory, count) : function(memory);
    return;
  }
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> used;
  pipe.InitBuffer(used, 64 * 1024);
  way == 2 ? function(count) : function();
  pipe.Destroy();
}
