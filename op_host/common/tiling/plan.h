// SPDX-License-Identifier: Apache-2.0
// What a tiling function returns: the struct the kernel reads, and how to launch it.
#pragma once

#include <cstdint>

namespace avo {

template <typename TilingStruct>
struct Plan {
  TilingStruct tiling{};
  uint32_t block_dim = 0;  // 0: nothing to launch, the outputs are empty
  uint64_t tiling_key = 0;
  uint64_t workspace = 0;  // bytes, of the kernel itself
  uint64_t ub_bytes = 0;   // of the Unified Buffer, as the kernel's lists of buffers add up (BytesOf)
};

}  // namespace avo
