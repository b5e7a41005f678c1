// SPDX-License-Identifier: Apache-2.0
// A kernel to be launched. Whoever compiles kernels needs no more than this of the engine, so that kernels
// are not compiled again when the device's description changes.
#pragma once

#include <cstdint>

namespace sim {

// The cores of a block. A mixed block has a cube core and one or two vector cores.
enum class KernelType : uint8_t { kVector, kCube, kMixed12, kMixed11 };

// `invoke` calls the __global__ function with the arguments.
struct Kernel {
  const char *name = "";
  void (*invoke)(void *const *args) = nullptr;  // args: the device addresses, workspace and tiling last
  KernelType type = KernelType::kVector;
};

}  // namespace sim
