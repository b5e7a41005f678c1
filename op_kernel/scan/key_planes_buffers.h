// SPDX-License-Identifier: Apache-2.0
// The buffers of KeyPlanes and PlaneInterleaver (key_planes.h). Sizes depend on the bytes of an element
// alone.
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// The least multiple of `unit`, a power of two, that is not less than `count`. Tiling calls this thousands of
// times, so it does not divide.
__aicore__ constexpr uint64_t WholeUnits(uint64_t count, uint64_t unit) {
  return (count + unit - 1) & ~(unit - 1);
}

// Elements on which rows begin in UB: whole data blocks of elements, and of their keys.
__aicore__ constexpr uint64_t CopyUnit(uint64_t item) { return item == 1 ? 32 : item == 2 ? 16 : 8; }

// Planes that the keys of an element take: two for int64, one for all other types.
__aicore__ constexpr uint64_t KeyPlaneCount(uint64_t item) { return item == 8 ? 2 : 1; }

// Whether elements are compared as they are: float32 and int32.
__aicore__ constexpr bool IsOwnKey(uint64_t item) { return item == 4; }

struct KeyPlanesBuffers {
  Buffer planes;  // keys of all elements, plane behind plane
  Buffer halves;  // float16: elements of 1 byte on their way to float32

  // item: bytes of an element; elements: most elements at a time.
  __aicore__ KeyPlanesBuffers(uint64_t item, uint64_t elements)
      : planes{IsOwnKey(item) ? 0u : 1u, KeyPlaneCount(item) * elements * 4},
        halves{item == 1 ? 1u : 0u, elements * 2} {}
};

struct PlaneInterleaverBuffers {
  static constexpr uint64_t kTableEntries = 512;
  Buffer table;  // uint32: offsets of the halves of 256 elements

  __aicore__ explicit PlaneInterleaverBuffers(uint64_t item)
      : table{item == 8 ? 1u : 0u, 2 * kTableEntries * 4} {}
};

}  // namespace avo
