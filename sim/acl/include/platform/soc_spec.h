// SPDX-License-Identifier: Apache-2.0
// Architectures of AI cores; kernels are built for the one of __NPU_ARCH__.
#pragma once

#include <cstdint>

enum class NpuArch : uint32_t {
  DAV_1001 = 1001,
  DAV_2002 = 2002,
  DAV_2201 = 2201,
  DAV_3002 = 3002,
  DAV_3510 = 3510,
  DAV_RESV = 0xFFFF,
};
