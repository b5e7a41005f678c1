// SPDX-License-Identifier: Apache-2.0
#include "../include/sim/tiling.h"

#include "../engine/scheduler.h"

#include "intrinsic.h"
#include "kernel_scope.h"

namespace sim {

uint64_t TilingKeyOfLaunch() { return Core::Current().TilingKey(); }

bool TilingKeyOfLaunchIn(std::initializer_list<uint64_t> keys) { return TilingKeyIn(keys); }

void LoadTilingData(void *into, const void *tiling, size_t bytes) {
  LoadTiling(into, tiling, bytes, Unplaced());
}

void CopyTilingData(void *into, const void *from, size_t bytes) { CopyTiling(into, from, bytes, Unplaced()); }

bool IsGlobal(const void *address) {
  return Core::Current().InGlobalMemory(reinterpret_cast<uint64_t>(address));
}

void SetCoresAlone(bool alone) { Core::Current().registers.alone = alone; }

bool HasVectorCores() {
  const CoreState &core = Core::Current().state();
  return core.scheduler->CoresOf(core.id.block, false) != 0;
}

}  // namespace sim
