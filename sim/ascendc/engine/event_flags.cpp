// SPDX-License-Identifier: Apache-2.0
#include "event_flags.h"

#include "core_state.h"

namespace sim {
namespace {

std::string EventName(Pipe from, Pipe to) {
  return std::string("HardEvent::") + PipeName(from) + "_" + PipeName(to);
}

}  // namespace

void EventFlags::Reset() {
  for (auto &row : pairs_) {
    for (Pair &pair : row) pair = {};
  }
}

void EventFlags::ReleaseAll() {
  for (auto &row : pairs_) {
    for (Pair &pair : row) {
      for (Flag &flag : pair.flags) flag.taken = false;
    }
  }
}

std::string EventFlags::Holders(const Pair &pair, std::vector<Site> *sites) const {
  std::string text;
  for (int32_t id = 0; id < kEventIds; ++id) {
    const Flag &flag = pair.flags[id];
    if (!flag.set && !flag.taken) continue;
    sites->push_back(core_->sites()[flag.set ? flag.set_by : flag.taken_by]);
    text += (text.empty() ? "" : ", ") + std::to_string(id) + (flag.set ? " set by " : " taken by ") +
            Describe(sites->back());
  }
  return text;
}

void EventFlags::FailWithHolders(const Pair &pair, const char *name, Where where, const std::string &text) {
  std::vector<Site> sites = {core_->SiteAt(name, where)};
  const std::string holders = Holders(pair, &sites);
  core_->log.AddEnd(FaultKind::kFlag,
                    Describe(sites.front()) + ": " + text + (holders.empty() ? "" : "; in use: " + holders),
                    sites);
  throw BlockEnded{};
}

EventFlags::Flag &EventFlags::Checked(Pipe from, Pipe to, int32_t id, const char *name, Where where) {
  Pair &pair = PairOf(from, to);
  if (id < 0 || id >= kEventIds) {
    FailWithHolders(pair, name, where,
                    "eventID must be in [0, " + std::to_string(kEventIds - 1) + "], got " +
                        std::to_string(id) + ", of " + EventName(from, to));
  }
  return pair.flags[id];
}

void EventFlags::Set(Pipe from, Pipe to, int32_t id, const char *name, Where where) {
  Flag &flag = Checked(from, to, id, name, where);
  if (flag.set) {
    const Site site = core_->SiteAt(name, where);
    const Site earlier = core_->sites()[flag.set_by];
    core_->Report(FaultKind::kFlag,
                  Describe(site) + ": " + EventName(from, to) + " with eventID " + std::to_string(id) +
                      " is set already, by " + Describe(earlier) +
                      ", and nobody has waited for it, so that the device may hang here: missing WaitFlag, "
                      "or an eventID of its own (AllocEventID)",
                  {site, earlier});
  }
  flag.set = true;
  flag.set_by = core_->SiteOf(name, where);
  flag.token = core_->SetToken(from, to, where, id);
}

void EventFlags::Wait(Pipe from, Pipe to, int32_t id, const char *name, Where where) {
  Flag &flag = Checked(from, to, id, name, where);
  if (!flag.set) {
    core_->Report(FaultKind::kFlag, name, where,
                  EventName(from, to) + " with eventID " + std::to_string(id) +
                      " was not set, so that the device would hang here: missing SetFlag");
    return;
  }
  flag.set = false;
  core_->WaitToken(from, to, flag.token, where, id);
}

int32_t EventFlags::Fetch(Pipe from, Pipe to, const char *name, Where where) {
  const Pair &pair = PairOf(from, to);
  for (int32_t id = 0; id < kEventIds; ++id) {
    if (!pair.flags[id].taken) return id;
  }
  FailWithHolders(pair, name, where,
                  "all " + std::to_string(kEventIds) + " event ids of " + EventName(from, to) +
                      " are taken: missing ReleaseEventID, or too many buffers of queues between these pipes "
                      "that are enqueued or freed at a time");
}

int32_t EventFlags::Alloc(Pipe from, Pipe to, const char *name, Where where) {
  const int32_t id = Fetch(from, to, name, where);
  Flag &flag = PairOf(from, to).flags[id];
  flag.taken = true;
  flag.taken_by = core_->SiteOf(name, where);
  return id;
}

void EventFlags::Release(Pipe from, Pipe to, int32_t id, const char *name, Where where) {
  Checked(from, to, id, name, where).taken = false;
}

void EventFlags::ReportLeft() {
  for (int from = 0; from < kPipes; ++from) {
    for (int to = 0; to < kPipes; ++to) {
      for (const Flag &flag : pairs_[from][to].flags) {
        if (!flag.set) continue;
        const Site site = core_->sites()[flag.set_by];
        core_->log.AddPair(FaultKind::kFlag, site, site,
                           Describe(site) + ": " + EventName(static_cast<Pipe>(from), static_cast<Pipe>(to)) +
                               " is set, but nobody waits for it: missing WaitFlag");
      }
    }
  }
}

}  // namespace sim
