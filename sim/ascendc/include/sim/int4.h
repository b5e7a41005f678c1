// SPDX-License-Identifier: Apache-2.0
// int4b_t, and how many bytes elements take.
#pragma once

#include <cstdint>
#include <type_traits>

namespace AscendC {

// A signed number of 4 bits. Two lie in a byte, so that memory holds half as many bytes as elements; a
// variable of this type has a byte.
struct int4b_t {
  uint8_t storage;
};

}  // namespace AscendC

namespace sim {

// The bytes that so many elements take, and the reverse.
template <typename T>
constexpr uint64_t BytesFor(uint64_t elements) {
  return std::is_same_v<T, AscendC::int4b_t> ? elements / 2 : elements * sizeof(T);
}
template <typename T>
constexpr uint64_t ElementsIn(uint64_t bytes) {
  return std::is_same_v<T, AscendC::int4b_t> ? bytes * 2 : bytes / sizeof(T);
}

}  // namespace sim
