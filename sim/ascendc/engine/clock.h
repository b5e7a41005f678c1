// SPDX-License-Identifier: Apache-2.0
// Vector clocks: which instructions of each pipe are known to have finished.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "instruction.h"

namespace sim {

// Clock[q] = n: instructions 1..n of pipe q have finished.
using Clock = std::array<uint32_t, kPipes>;

inline void Join(Clock *into, const Clock &from) {
  for (int pipe = 0; pipe < kPipes; ++pipe) (*into)[pipe] = std::max((*into)[pipe], from[pipe]);
}

// The same of every core of a launch: core x pipe. Shared, as all cores leave a SyncAll with one.
using GlobalClock = std::vector<Clock>;
using GlobalClockPtr = std::shared_ptr<const GlobalClock>;

constexpr int Index(Pipe pipe) { return static_cast<int>(pipe); }
constexpr int Index(Space space) { return static_cast<int>(space); }

}  // namespace sim
