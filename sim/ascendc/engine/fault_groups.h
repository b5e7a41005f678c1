// SPDX-License-Identifier: Apache-2.0
// What the cores of a launch logged, as a report says it.
#pragma once

#include <vector>

#include "core_state.h"
#include "launch.h"

namespace sim {

// Adds the faults of the cores to the report. A fault that several blocks have is one, with the number of
// blocks. One that a suppression names does not count, unless it ended its block: then results are missing.
void CollectFaults(const std::vector<const CoreState *> &cores, const LaunchOptions &options, Report *report);

}  // namespace sim
