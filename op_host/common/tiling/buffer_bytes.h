// SPDX-License-Identifier: Apache-2.0
// What a list of on-chip buffers takes of its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "op_kernel/common/memory/buffers.h"

namespace avo {

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
