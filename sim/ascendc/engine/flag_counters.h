// SPDX-License-Identifier: Apache-2.0
// The counters of cross-core flags, judged after the run. Each core has a counter for each of its 16 flags: a
// delivery (all senders of its mode have set the flag) adds one, CrossCoreWaitFlag takes one. What a counter
// holds at a time depends on how fast the cores are, so this looks at what is certain: a wait is over before a
// delivery where the senders knew of it.
//
//   core 0   set<1>(3) ─────────▶ wait(3) ── set(5) ─┐
//   core 1                                   wait(5) ◀┘ set<2>(3)      the mode may change here
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core_state.h"

namespace sim {

// How many waits of each core another one knows to be over.
using KnownWaits = std::vector<uint32_t>;

inline void Join(KnownWaits *into, const KnownWaits &from) {
  if (into->size() < from.size()) into->resize(from.size());
  for (size_t core = 0; core < from.size(); ++core) (*into)[core] = std::max((*into)[core], from[core]);
}

class FlagCounters {
 public:
  // What this core knows; its own waits included.
  KnownWaits &KnownTo(uint32_t core) { return known_[core]; }
  // A delivery whose senders knew of these waits.
  void Deliver(uint32_t receiver, uint16_t flag, uint8_t mode, const KnownWaits &known, const Site &set);
  void Wait(uint32_t receiver, uint16_t flag);
  // SyncAll needs flags that hold a delivery of the kernel.
  void Meet(uint32_t core, uint16_t flag, const Site &set, const Site &meeting);
  // Adds the faults to the logs of the receivers.
  void Report(const std::vector<CoreState *> &cores) const;

 private:
  struct Delivery {
    uint8_t mode = 0;
    uint32_t known = 0;  // waits of the receiver
    Site set;
  };
  struct Counter {
    std::vector<Delivery> deliveries;
    std::vector<uint32_t> waits;  // by their number among all waits of the core
  };
  struct Pending {
    uint32_t core;
    uint16_t flag;
    Site set;
    Site meeting;
  };

  static void ReportModes(CoreState *core, uint16_t flag, const Counter &counter);
  static void ReportOverflow(CoreState *core, uint16_t flag, const Counter &counter);

  std::map<uint32_t, KnownWaits> known_;
  std::map<uint32_t, uint32_t> waits_;  // of each core
  std::map<std::pair<uint32_t, uint16_t>, Counter> counters_;
  std::vector<Pending> pending_;
};

}  // namespace sim
