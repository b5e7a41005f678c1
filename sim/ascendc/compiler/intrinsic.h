// SPDX-License-Identifier: Apache-2.0
// What the definitions of intrinsics have in common. An intrinsic has addresses, repeats and strides as its
// arguments, and the mask registers say which lanes compute. It calls the same function of include/sim as the
// AscendC function that consists of it, so that semantics, legality and cost are in one place.
#pragma once

#include "../include/sim/local_tensor_base.h"
#include "../include/sim/vector_op.h"

namespace sim {

// An intrinsic cannot tell the source line of its call. Faults find it by the call path (source_lines.h).
constexpr Where Unplaced() { return {"", 0}; }

// The memory from an address on, to its end: nobody says how much of it an operand may take.
inline LocalTensorBase MemoryFrom(Space space, uint64_t address) {
  LocalTensorBase tensor;
  tensor.space = space;
  tensor.address = address;
  const uint64_t capacity = Core::Current().BytesOf(space);
  tensor.bytes = address < capacity ? capacity - address : 0;
  return tensor;
}

template <typename T>
AscendC::LocalTensor<T> OnChip(Space space, const volatile void *address) {
  return AscendC::LocalTensor<T>(MemoryFrom(space, reinterpret_cast<uint64_t>(address)));
}
template <typename T>
AscendC::LocalTensor<T> InUb(const volatile T *address) {
  return OnChip<T>(Space::UB, address);
}

// Added to an address in global memory, it says that the copy bypasses the L2 cache. No address has this bit.
constexpr uint64_t kBypassesL2 = uint64_t{1} << 56;

template <typename T>
AscendC::GlobalTensor<T> InGm(void *address) {
  const auto value = reinterpret_cast<uint64_t>(address);
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<T *>(value & ~kBypassesL2));
  if ((value & kBypassesL2) != 0) tensor.SetL2CacheHint(AscendC::CacheMode::CACHE_MODE_DISABLE);
  return tensor;
}

// Lanes by the mask registers, and the strides of dst, src0 and src1.
inline Level0<uint64_t> ByRegisters(uint8_t repeat, Strides dst, Strides src0 = {}, Strides src1 = {}) {
  return {false, 0, repeat, {dst, src0, src1}};
}

}  // namespace sim
