// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sim::operators {

// The bytes at the start of a workspace that belong to CANN's library; the kernel gets what follows. A
// workspace of a kernel that runs on cube cores has them, or std::runtime_error is thrown; one of a vector
// kernel may do without.
uint64_t BytesOfLibrary(uint64_t bytes, bool cube_cores);

// What a kernel gets whose tiling asks for no workspace: not null, as CANN adds the bytes of its library to
// null, and nothing lies there.
void *AddressOfNoWorkspace();

}  // namespace sim::operators
