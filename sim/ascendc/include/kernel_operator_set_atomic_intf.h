// SPDX-License-Identifier: Apache-2.0
// Sets what copies to GM do with the value that is there.
#pragma once

#include <type_traits>

#include "../engine/core.h"
#include "sim/float16_types.h"

namespace sim {

template <typename T>
constexpr AtomicType AtomicTypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return AtomicType::kFloat;
  } else if constexpr (std::is_same_v<T, half>) {
    return AtomicType::kHalf;
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return AtomicType::kBfloat16;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return AtomicType::kInt32;
  } else if constexpr (std::is_same_v<T, int16_t>) {
    return AtomicType::kInt16;
  } else {
    static_assert(std::is_same_v<T, int8_t>,
                  "atomic copies take float, half, bfloat16_t, int32_t, int16_t, int8_t");
    return AtomicType::kInt8;
  }
}

}  // namespace sim

namespace AscendC {

template <typename T>
inline void SetAtomicType() {
  sim::Core::Current().registers.SetAtomicType(sim::AtomicTypeOf<T>());
}

template <typename T>
inline void SetAtomicAdd() {
  SetAtomicType<T>();
  sim::Core::Current().registers.atomic = sim::Atomic::kAdd;
}

template <typename T>
inline void SetAtomicMax() {
  SetAtomicType<T>();
  sim::Core::Current().registers.atomic = sim::Atomic::kMax;
}

template <typename T>
inline void SetAtomicMin() {
  SetAtomicType<T>();
  sim::Core::Current().registers.atomic = sim::Atomic::kMin;
}

inline void DisableDmaAtomic() { sim::Core::Current().registers.atomic = sim::Atomic::kNone; }
inline void SetAtomicNone() { DisableDmaAtomic(); }

}  // namespace AscendC
