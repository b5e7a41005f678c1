// SPDX-License-Identifier: Apache-2.0
// Lists of on-chip buffers, written once for the kernel and for its tiling.
//
// A list is a struct whose members are of type Buffer, or lists themselves. Its constructor computes their
// sizes from the tiling:
//
//   struct ScaleBuffers {
//     avo::Buffer in, out, ones;
//     // tile: elements of a tile; item: bytes of an element. 64 bits, because tiling also tries tiles that
//     are too large.
//     __aicore__ ScaleBuffers(uint64_t tile, uint64_t item)
//         : in{2, tile * item}, out{2, tile * item}, ones{1, tile * 4} {}
//   };
//
// The kernel passes the members to InitBuffer. Tiling adds the list up with BytesOf (op_host) and searches
// the largest tile whose list fits the Unified Buffer. So a buffer cannot be in one place and be forgotten in
// the other.
#pragma once

#include <cstdint>

#ifndef __aicore__
// Only sources of the host include this file without AscendC's headers: entries of kernels include those
// first.
#define __aicore__
#endif

namespace avo {

// One buffer of a TBuf, or all buffers of a queue.
struct Buffer {
  uint32_t count;  // how many buffers: the depth of a queue, 1 for a TBuf, 0 where the kernel needs none
  uint64_t bytes;  // size of each
};

}  // namespace avo
