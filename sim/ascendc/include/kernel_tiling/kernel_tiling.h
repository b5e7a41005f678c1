// SPDX-License-Identifier: Apache-2.0
// Tiling structs of the library. Host code fills them in, and a kernel passes them to Matmul.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim_cube_tiling_fields.h"
#include "sim_vector_tiling.h"

namespace AscendC::tiling {

#pragma pack(push, 8)
struct TCubeTiling {
#define SIM_CUBE_TILING_FIELD(name) int32_t name = 0;
  SIM_CUBE_TILING_FIELDS(SIM_CUBE_TILING_FIELD)
#undef SIM_CUBE_TILING_FIELD
};
#pragma pack(pop)

}  // namespace AscendC::tiling

using AscendC::tiling::TCubeTiling;

// A struct from its bytes, which may be a constant of the source.
template <typename T>
constexpr T convert_from_bytes(const uint8_t *bytes) {
  struct {
    uint8_t bytes[sizeof(T)] = {};
  } copy;
  for (size_t i = 0; i < sizeof(T); ++i) copy.bytes[i] = bytes[i];
  return __builtin_bit_cast(T, copy);
}
