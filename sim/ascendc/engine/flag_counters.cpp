// SPDX-License-Identifier: Apache-2.0
#include "flag_counters.h"

#include <algorithm>
#include <set>

#include "source_lines.h"

namespace sim {
namespace {
constexpr size_t kMostOfCounter = 15;

std::string ModesText(uint16_t flag, uint8_t mode, const Site &set, uint8_t mode_before,
                      const Site &set_before) {
  return Describe(set) + ": flag " + std::to_string(flag) + " is set in mode " + std::to_string(mode) +
         ", but nothing makes sure that the CrossCoreWaitFlag for " + Describe(set_before) + " in mode " +
         std::to_string(mode_before) + " is over: wait for it before, or use another flag";
}

}  // namespace

void FlagCounters::Set(uint32_t core, const Group &group, const Site &set) {
  const uint16_t flag = std::get<1>(group);
  const auto [entry, first] = last_sets_.try_emplace({core, flag});
  const uint8_t mode = std::get<0>(group);
  if (!first && std::get<0>(entry->second.group) != mode) {
    changes_.push_back({core, entry->second, known_[core], mode, set});
  }
  entry->second = {group, sets_[{core, group}]++, set};
}

void FlagCounters::Deliver(const Group &group, const std::vector<uint32_t> &receivers,
                           const KnownWaits &known, const Site &set) {
  std::vector<std::pair<uint32_t, size_t>> places;
  for (const uint32_t receiver : receivers) {
    std::vector<Delivery> &deliveries = counters_[{receiver, std::get<1>(group)}].deliveries;
    places.emplace_back(receiver, deliveries.size());
    deliveries.push_back({std::get<0>(group), receiver < known.size() ? known[receiver] : 0, set});
  }
  deliveries_[group].push_back(std::move(places));
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

// Whether the core knew that what it had set before was over: by its own wait where it is a receiver itself,
// else by those of all receivers.
bool FlagCounters::Over(const Change &change) const {
  const auto delivered = deliveries_.find(change.before.group);
  if (delivered == deliveries_.end() || delivered->second.size() <= change.before.number) return false;
  const auto &places = delivered->second[change.before.number];
  const auto is_self = [&](const auto &place) { return place.first == change.core; };
  const bool receives = std::any_of(places.begin(), places.end(), is_self);
  for (const auto &[receiver, number] : places) {
    if (receives && receiver != change.core) continue;
    const auto counter = counters_.find({receiver, std::get<1>(change.before.group)});
    const std::vector<uint32_t> &waits = counter->second.waits;
    if (number >= waits.size() || receiver >= change.known.size()) return false;
    if (change.known[receiver] < waits[number]) return false;
  }
  return true;
}

void FlagCounters::ReportModes(CoreState *core, uint16_t flag, const Counter &counter) {
  for (size_t i = 1; i < counter.deliveries.size(); ++i) {
    const Delivery &before = counter.deliveries[i - 1];
    const Delivery &now = counter.deliveries[i];
    if (before.mode == now.mode) continue;
    if (i - 1 < counter.waits.size() && now.known >= counter.waits[i - 1]) continue;
    core->log.AddPair(FaultKind::kFlag, before.set, now.set,
                      ModesText(flag, now.mode, now.set, before.mode, before.set));
    return;
  }
}

void FlagCounters::ReportOverflow(CoreState *core, uint16_t flag, const Counter &counter) {
  for (size_t i = kMostOfCounter; i < counter.deliveries.size(); ++i) {
    const Delivery &now = counter.deliveries[i];
    const size_t first = i - kMostOfCounter;  // the wait that must be over
    if (first < counter.waits.size() && now.known >= counter.waits[first]) continue;
    core->log.AddPair(
        FaultKind::kFlag, now.set, now.set,
        Describe(now.set) + ": flag " + std::to_string(flag) + " may be set " +
            std::to_string(kMostOfCounter + 1) + " times before a CrossCoreWaitFlag: its counter holds " +
            std::to_string(kMostOfCounter) + "; let the sender wait for the receiver in between");
    return;
  }
}

bool FlagCounters::ForAnother(const std::vector<CoreState *> &cores, uint32_t core, uint16_t flag) const {
  const auto own = counters_.find({core, flag});
  if (own == counters_.end() || !own->second.waits.empty()) return false;
  const auto takes_it = [&](const CoreState *other) {
    const auto counter = counters_.find({other->id.core, flag});
    return other->id.block == cores[core]->id.block && counter != counters_.end() &&
           counter->second.waits.size() == own->second.deliveries.size();
  };
  std::set<const CallPath *> known;  // one site may set the flag many times
  const auto of_headers = [&known](const Delivery &delivery) {
    return !known.insert(delivery.set.path).second || IsFlagOfHeaders(delivery.set);
  };
  return std::any_of(cores.begin(), cores.end(), takes_it) &&
         std::all_of(own->second.deliveries.begin(), own->second.deliveries.end(), of_headers);
}

void FlagCounters::Report(const std::vector<CoreState *> &cores) const {
  for (const auto &[key, counter] : counters_) {
    ReportModes(cores[key.first], key.second, counter);
    const bool overflows = counter.deliveries.size() > kMostOfCounter;
    if (overflows && !ForAnother(cores, key.first, key.second)) {
      ReportOverflow(cores[key.first], key.second, counter);
    }
  }
  for (const Change &change : changes_) {
    if (Over(change)) continue;
    const LastSet &before = change.before;
    cores[change.core]->log.AddPair(
        FaultKind::kFlag, before.set, change.set,
        ModesText(std::get<1>(before.group), change.mode, change.set, std::get<0>(before.group), before.set));
  }
  for (const Pending &one : pending_) {
    cores[one.core]->log.AddPair(
        FaultKind::kFlag, one.set, one.meeting,
        Describe(one.meeting) + " sets and waits for flag " + std::to_string(one.flag) + " too, which " +
            Describe(one.set) +
            " has set and nobody has waited for: SyncAll uses the flags 11 to 14, so "
            "use others");
  }
}

}  // namespace sim
