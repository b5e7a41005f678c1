// SPDX-License-Identifier: Apache-2.0
// Limits of DataCopyPad, which copies rows between global memory and the Unified Buffer.
#pragma once

#include <cstdint>

namespace avo {

constexpr int64_t kMaxCopyRows = 4095;  // its blockCount

// Whether rows are too far apart to be copied at once: the gap between them is a uint32_t of bytes.
constexpr bool ExceedsCopyGap(int64_t bytes) { return bytes >= int64_t{1} << 32; }

}  // namespace avo
