// SPDX-License-Identifier: Apache-2.0
// What a tiling function returns: the struct that the kernel reads, and how to launch the kernel.
#pragma once

#include <cstdint>

namespace avo {

template <typename TilingStruct>
struct Plan {
  static_assert(sizeof(TilingStruct) % 8 == 0, "a kernel copies its tiling in units of 8 bytes");
  TilingStruct tiling{};
  uint32_t block_dim = 0;   // blocks of the launch; 0: there is nothing to launch, as the outputs are empty
  uint64_t tiling_key = 0;  // which instance of the kernel to launch
  uint64_t workspace = 0;   // bytes of global memory that the kernel itself needs
  uint64_t ub_bytes = 0;    // bytes of the Unified Buffer that the kernel's buffer lists add up to (BytesOf)
};

}  // namespace avo
