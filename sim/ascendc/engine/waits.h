// SPDX-License-Identifier: Apache-2.0
// Why a pipe had nothing to do. The cycle model notes it for each instruction:
//
//     V    ▓▓▓▓ Add ▓▓▓▓ ·········· waited for MTE2: DataCopy (rows.h:7) ·········· ▓▓▓ Mul ▓▓▓
//     MTE2 ····················▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓ DataCopy ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓│
//                                                                       flag
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "instruction.h"

namespace sim {

enum class Cause : uint8_t {
  kNothing,
  kIssue,      // the scalar unit had not issued the instruction yet
  kFlag,       // an instruction of another pipe of the core had not ended, and a flag said to wait for it
  kBarrier,    // an earlier instruction had not ended, and a barrier said to wait for it
  kDrain,      // a scalar access came after work of another pipe
  kMeeting,    // other cores were not there yet (SyncAll)
  kCrossCore,  // another core had not set its flag
};

struct Wait {
  static constexpr uint32_t kNoSite = UINT32_MAX;
  Cause cause = Cause::kNothing;
  // The instruction that was waited for; kNoSite where there is none.
  Pipe pipe = Pipe::S;
  uint32_t core = 0;
  uint32_t site = kNoSite;
};

// The times at which the scalar unit of a core stood still, and why.
class Stalls {
 public:
  void Add(double end, const Wait &wait) { stalls_.push_back({end, wait}); }

  // Returns why the scalar unit had not issued an instruction before `issued`, to a pipe that had nothing to
  // do since `vacant`: it stood still itself, or it was busy.
  Wait Before(double vacant, double issued) const {
    const auto after = std::upper_bound(stalls_.begin(), stalls_.end(), issued,
                                        [](double time, const Stall &stall) { return time < stall.end; });
    if (after == stalls_.begin() || std::prev(after)->end <= vacant) return {Cause::kIssue};
    return std::prev(after)->wait;
  }

 private:
  struct Stall {
    double end;
    Wait wait;
  };
  std::vector<Stall> stalls_;
};

}  // namespace sim
