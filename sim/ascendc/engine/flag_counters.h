// SPDX-License-Identifier: Apache-2.0
// The counters of cross-core flags, judged after the run. Each core has a counter for each of its 16 flags: a
// delivery (all senders of its mode have set the flag) adds one, CrossCoreWaitFlag takes one. What a counter
// holds at a time depends on how fast the cores are, so this looks at what is certain: a wait is over before
// a delivery where the senders knew of it.
//
//   core 0   set<1>(3) ─────────▶ wait(3) ── set(5) ─┐
//   core 1                                   wait(5) ◀┘ set<2>(3)      the mode may change here
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
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
  // A core sets the flag of a group: those cores that set and receive it in its mode.
  using Group = std::tuple<uint8_t, uint16_t, uint64_t>;  // mode, flag, number
  void Set(uint32_t core, const Group &group, const Site &set);
  // All senders of a group have set the flag, and knew of these waits.
  void Deliver(const Group &group, const std::vector<uint32_t> &receivers, const KnownWaits &known,
               const Site &set);
  void Wait(uint32_t receiver, uint16_t flag);
  // SyncAll needs flags that hold a delivery of the kernel.
  void Meet(uint32_t core, uint16_t flag, const Site &set, const Site &meeting);
  // Whether a flag that stays set on a core was for another one. By mode 2 a cube core reaches both vector
  // cores of its block. CANN's Matmul answers one of them so, and the other one has no use for the flag:
  //
  //   cube core   CrossCoreSetFlag<2>(1), within Matmul ──┬──▶ vector core 1   waits for flag 1
  //                                                       └──▶ vector core 0   never does
  bool ForAnother(const std::vector<CoreState *> &cores, uint32_t core, uint16_t flag) const;
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
  // What a core set last in a flag, and the change of its mode.
  struct LastSet {
    Group group;
    uint32_t number = 0;  // among the core's settings in this group
    Site set;
  };
  struct Change {
    uint32_t core;
    LastSet before;
    KnownWaits known;
    uint8_t mode;
    Site set;
  };
  struct Pending {
    uint32_t core;
    uint16_t flag;
    Site set;
    Site meeting;
  };

  bool Over(const Change &change) const;
  static void ReportModes(CoreState *core, uint16_t flag, const Counter &counter);
  static void ReportOverflow(CoreState *core, uint16_t flag, const Counter &counter);

  std::map<uint32_t, KnownWaits> known_;
  std::map<uint32_t, uint32_t> waits_;  // of each core
  std::map<std::pair<uint32_t, uint16_t>, Counter> counters_;
  std::map<std::pair<uint32_t, uint16_t>, LastSet> last_sets_;
  std::map<std::pair<uint32_t, Group>, uint32_t> sets_;  // how many
  // Where each delivery of a group stands: receiver, and number among the deliveries of its counter.
  std::map<Group, std::vector<std::vector<std::pair<uint32_t, size_t>>>> deliveries_;
  std::vector<Change> changes_;
  std::vector<Pending> pending_;
};

}  // namespace sim
