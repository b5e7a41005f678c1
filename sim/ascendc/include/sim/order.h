// SPDX-License-Identifier: Apache-2.0
// One flag between two pipes of a core, as library functions set it.
#pragma once

#include "../../engine/core.h"

namespace sim {

// What `second` does from here on waits for what `first` has done.
inline void Order(Pipe first, Pipe second, Where where) {
  Core &core = Core::Current();
  const int32_t id = core.FetchEventId(first, second, where);
  core.SetFlag(first, second, id, where);
  core.WaitFlag(first, second, id, where);
}

}  // namespace sim
