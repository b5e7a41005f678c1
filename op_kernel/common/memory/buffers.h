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
// The kernel passes the members to InitBuffer. Tiling adds the list up with BytesOf and searches the largest
// tile whose list fits the Unified Buffer. So a buffer cannot be in one place and be forgotten in the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

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

// Adds up buffers, whose number the compiler knows. Tiling sums lists thousands of times while it searches; a
// loop over the buffers would write each list to memory and take 4 to 12 times as long.
template <size_t... I>
uint64_t SumBuffers(const Buffer *buffers, std::index_sequence<I...>) {
  constexpr uint64_t kDataBlock = 32;  // the pipe rounds each buffer up to a data block
  return (... + (buffers[I].count * ((buffers[I].bytes + kDataBlock - 1) / kDataBlock * kDataBlock)));
}

// Bytes that a list of buffers takes of its memory.
template <typename List>
uint64_t BytesOf(const List &list) {
  static_assert(std::is_standard_layout<List>::value && sizeof(List) % sizeof(Buffer) == 0,
                "a list of buffers has members of type Buffer and lists of them, and no others");
  return SumBuffers(reinterpret_cast<const Buffer *>(&list),
                    std::make_index_sequence<sizeof(List) / sizeof(Buffer)>());
}

}  // namespace avo
