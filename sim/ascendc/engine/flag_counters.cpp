// SPDX-License-Identifier: Apache-2.0
#include "flag_counters.h"

namespace sim {
namespace {
constexpr size_t kMostOfCounter = 15;
}

void FlagCounters::Deliver(uint32_t receiver, uint16_t flag, uint8_t mode, const KnownWaits &known,
                           const Site &set) {
  counters_[{receiver, flag}].deliveries.push_back(
      {mode, receiver < known.size() ? known[receiver] : 0, set});
}

void FlagCounters::Wait(uint32_t receiver, uint16_t flag) {
  const uint32_t number = ++waits_[receiver];
  counters_[{receiver, flag}].waits.push_back(number);
  KnownWaits own(receiver + 1);
  own[receiver] = number;
  Join(&known_[receiver], own);
}

void FlagCounters::Meet(uint32_t core, uint16_t flag, const Site &set, const Site &meeting) {
  pending_.push_back({core, flag, set, meeting});
}

void FlagCounters::ReportModes(CoreState *core, uint16_t flag, const Counter &counter) {
  for (size_t i = 1; i < counter.deliveries.size(); ++i) {
    const Delivery &before = counter.deliveries[i - 1];
    const Delivery &now = counter.deliveries[i];
    if (before.mode == now.mode) continue;
    if (i - 1 < counter.waits.size() && now.known >= counter.waits[i - 1]) continue;
    core->log.AddPair(FaultKind::kFlag, before.set, now.set,
                      Describe(now.set) + ": flag " + std::to_string(flag) + " is set in mode " +
                          std::to_string(now.mode) + ", but nothing makes sure that the CrossCoreWaitFlag for " +
                          Describe(before.set) + " in mode " + std::to_string(before.mode) +
                          " is over: the counter of the flag is the same, so use another flag");
    return;
  }
}

void FlagCounters::ReportOverflow(CoreState *core, uint16_t flag, const Counter &counter) {
  for (size_t i = kMostOfCounter; i < counter.deliveries.size(); ++i) {
    const Delivery &now = counter.deliveries[i];
    const size_t first = i - kMostOfCounter;  // the wait that must be over
    if (first < counter.waits.size() && now.known >= counter.waits[first]) continue;
    core->log.AddPair(FaultKind::kFlag, now.set, now.set,
                      Describe(now.set) + ": flag " + std::to_string(flag) + " may be set " +
                          std::to_string(kMostOfCounter + 1) +
                          " times before a CrossCoreWaitFlag: its counter holds " +
                          std::to_string(kMostOfCounter) + "; let the sender wait for the receiver in between");
    return;
  }
}

void FlagCounters::Report(const std::vector<CoreState *> &cores) const {
  for (const auto &[key, counter] : counters_) {
    ReportModes(cores[key.first], key.second, counter);
    ReportOverflow(cores[key.first], key.second, counter);
  }
  for (const Pending &one : pending_) {
    cores[one.core]->log.AddPair(FaultKind::kFlag, one.set, one.meeting,
                                 Describe(one.meeting) + " sets and waits for flag " +
                                     std::to_string(one.flag) + " too, which " + Describe(one.set) +
                                     " has set and nobody has waited for: SyncAll uses the flags 11 to 14, so "
                                     "use others");
  }
}

}  // namespace sim
