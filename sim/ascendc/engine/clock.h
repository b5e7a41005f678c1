// SPDX-License-Identifier: Apache-2.0
// Vector clocks. A clock says how many instructions of each pipe are known to have finished.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "instruction.h"

namespace sim {

// Clock[q] = n: the first n instructions of pipe q have finished.
using Clock = std::array<uint32_t, kPipes>;

inline void Join(Clock *into, const Clock &from) {
  for (int pipe = 0; pipe < kPipes; ++pipe) (*into)[pipe] = std::max((*into)[pipe], from[pipe]);
}

// A clock for every core of a launch: [core][pipe]. It is shared, as all cores leave a SyncAll with the same
// one.
using GlobalClock = std::vector<Clock>;
using GlobalClockPtr = std::shared_ptr<const GlobalClock>;

constexpr int Index(Pipe pipe) { return static_cast<int>(pipe); }
constexpr int Index(Space space) { return static_cast<int>(space); }

}  // namespace sim
