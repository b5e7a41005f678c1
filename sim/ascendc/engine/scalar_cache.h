// SPDX-License-Identifier: Apache-2.0
// The data cache through which the scalar unit of a core reads and writes GM, in lines of 64 bytes. Nothing
// keeps it and GM equal but DataCacheCleanAndInvalid, which writes a line back and forgets it; at the end of
// a kernel the compiler does this for all lines.
//
//      S ──▶ data cache of core 0 ──┐
//                                   ├──▶ GM, with the L2 that all cores share
//      MTE2, MTE3, FIX of core 0 ───┤
//      core 1: the same ────────────┘
//
// The simulated memory always has the last value, so that a run gives the same bytes each time. Where a
// device could give other ones, it is a fault: a line that is in the cache stays there, and a changed one is
// not written back, until DataCacheCleanAndInvalid or the end. What concerns one core is judged here, as it
// happens; what concerns two, after the run (coherence.cpp).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "hazards.h"

namespace sim {

class CoreState;

class ScalarCache {
 public:
  explicit ScalarCache(CoreState *core) : core_(core) {}
  void Reset() {
    lines_.clear();
    forgotten_.clear();
  }

  // An access of the scalar unit, after Hazards::Judge; notes it with RecordGm.
  void Access(const Operand &operand, uint32_t site);
  // An access that goes past the cache.
  void Pass(const Operand &operand, uint32_t site);
  // DataCacheCleanAndInvalid of the line that holds the address, or of all.
  void Clean(bool all, uint64_t address);
  // Says that the line of this address has what the core knows now: it came from GM a moment ago.
  void Reload(uint64_t address);

 private:
  struct Line {
    uint32_t loaded = 0;      // index in GmLog::global_clocks
    uint32_t changed_by = 0;  // sites
    uint32_t stale_by = 0;
    uint64_t changed = 0;          // a bit for each byte: written here
    uint64_t stale = 0;            // a bit for each byte: written past the cache since
    std::vector<uint32_t> writes;  // in GmLog::accesses
  };
  using Lines = std::map<uint64_t, Line>;  // by address / kCacheLine

  void Report(uint32_t earlier, uint32_t later, const std::string &what, const Operand &operand,
              const std::string &why);

  CoreState *core_;
  Lines lines_;
  std::set<uint64_t> forgotten_;  // lines that DataCacheCleanAndInvalid took away, until they come back
};

}  // namespace sim
