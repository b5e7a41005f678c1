// SPDX-License-Identifier: Apache-2.0
// What copies have to do with SyncAll through counters in global memory; synchronisation.cpp says how it
// goes.
#pragma once

namespace sim {

// Says whether this core has counted up its word and all others too. CANN's headers then write a first count
// once more.
bool HasCounted();
// Waits for the other cores, if the copy that the core has just made was its count.
void MeetAfterCounting();

}  // namespace sim
