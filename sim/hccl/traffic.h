// SPDX-License-Identifier: Apache-2.0
// Counts what this process communicates.
#pragma once

#include "communicator.h"

namespace sim::hccl {

// Counts a call that is done: the bytes that this rank gave, and those that it got.
void CountTraffic(const Communicator &communicator, Kind kind, size_t given, size_t gotten);

}  // namespace sim::hccl
