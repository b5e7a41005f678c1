// SPDX-License-Identifier: Apache-2.0
#include "workspace.h"

#include <stdexcept>
#include <string>

#include "tiling/platform/platform_ascendc.h"

namespace sim::operators {
namespace {

uint64_t Library() {
  return platform_ascendc::PlatformAscendCManager::GetInstance()->GetLibApiWorkSpaceSize();
}

}  // namespace

void *AddressOfNoWorkspace() { return reinterpret_cast<void *>(Library()); }

uint64_t BytesOfLibrary(uint64_t bytes, bool cube_cores) {
  const uint64_t library = Library();
  if (cube_cores && bytes < library) {
    throw std::runtime_error("expected a workspace of at least the " + std::to_string(library) +
                             " bytes that the library takes in a kernel for cube cores, got " +
                             std::to_string(bytes));
  }
  return bytes < library ? 0 : library;
}

}  // namespace sim::operators
