// SPDX-License-Identifier: Apache-2.0
#include "scheduler.h"

#include <algorithm>
#include <system_error>

namespace sim {
namespace {
constexpr uint16_t kCrossCoreFlags = 16;  // of each core, on Atlas A2
// The flags that SyncAll sets and waits for.
constexpr uint16_t kFlagsOfVectors[] = {14};
constexpr uint16_t kFlagsOfAll[] = {11, 12, 13};
}  // namespace

Scheduler::Scheduler(std::vector<uint32_t> order, uint32_t permits, std::function<void(uint32_t)> run)
    : order_(std::move(order)), run_(std::move(run)), permits_(std::max<uint32_t>(permits, 1)) {}

void Scheduler::RunAll() {
  std::unique_lock lock(mutex_);
  const auto total = static_cast<uint32_t>(order_.size());
  const uint32_t workers = std::min(permits_, total);
  threads_.reserve(total);
  try {
    for (uint32_t i = 0; i < workers; ++i) threads_.emplace_back([this] { Work(); });
  } catch (const std::system_error &) {
    // A limit on threads or addresses. Those that are there do the work; cores that wait need some at least.
    if (threads_.empty()) throw;
  }
  permits_ -= static_cast<uint32_t>(threads_.size());
  changed_.wait(lock, [&] { return ended_ == total; });
  lock.unlock();
  for (std::thread &thread : threads_) thread.join();
}

// A worker holds a permit from its start to its end, except while the core that it runs waits.
void Scheduler::Work() {
  std::unique_lock lock(mutex_);
  while (next_ < order_.size()) {
    const uint32_t core = order_[next_++];
    lock.unlock();
    run_(core);
    lock.lock();
    ++ended_;
    if (blocked_ > 0 && blocked_ + ended_ == order_.size()) NobodyRuns();
    changed_.notify_all();
  }
  ++permits_;
  changed_.notify_all();
}

void Scheduler::Released() {
  blocked_ = 0;
  ++releases_;
  changed_.notify_all();
}

bool Scheduler::WaitFor(std::unique_lock<std::mutex> *lock, const std::function<bool()> &ready) {
  if (ready()) return true;
  if (next_ < order_.size()) {
    threads_.emplace_back([this] { Work(); });  // takes over this core's permit
  } else {
    ++permits_;
    changed_.notify_all();
  }
  while (!ready() && !stuck_) {
    ++blocked_;
    if (blocked_ + ended_ == order_.size()) {
      NobodyRuns();
      continue;
    }
    const uint64_t seen = releases_;
    changed_.wait(*lock, [&] { return stuck_ || releases_ != seen; });
  }
  const bool is_ready = ready();
  TakePermit(lock);
  return is_ready;
}

void Scheduler::TakePermit(std::unique_lock<std::mutex> *lock) {
  const uint64_t ticket = tickets_++;
  changed_.wait(*lock, [&] { return permits_ > 0 && served_ == ticket; });
  ++served_;
  --permits_;
  if (permits_ > 0) changed_.notify_all();
}

void Scheduler::Yield() {
  std::unique_lock lock(mutex_);
  if (next_ < order_.size()) {
    threads_.emplace_back([this] { Work(); });  // takes over this core's permit
  } else if (tickets_ != served_) {
    ++permits_;
    changed_.notify_all();
  } else {
    return;
  }
  TakePermit(&lock);
}

bool Scheduler::AwaitWord(const std::function<bool()> &published) {
  std::unique_lock lock(mutex_);
  ++await_words_;
  const uint64_t before = hopeless_;
  bool found = false;
  WaitFor(&lock, [&] { return (found = published()) || hopeless_ != before; });
  --await_words_;
  return found;
}

// Whoever starts to wait after this look into await_words_ finds the word.
void Scheduler::WordPublished() {
  if (await_words_ == 0) return;
  std::lock_guard lock(mutex_);
  Released();
}

// A core that waits for a word goes on without it: that is the fault, rather than those that wait for this
// core.
void Scheduler::NobodyRuns() {
  if (await_words_ == 0) return DeclareStuck();
  ++hopeless_;
  Released();
}

// This is the only place that may read the logs of other cores: none of them runs now.
void Scheduler::DeclareStuck() {
  if (stuck_) return;
  stuck_ = true;
  for (const CoreState *core : cores_) stuck_by_fault_ = stuck_by_fault_ || core->ended_early;
  changed_.notify_all();
}

void Scheduler::Stuck(std::unique_lock<std::mutex> *lock, CoreState &core, const char *name, Where where,
                      const std::string &text) {
  const bool died = stuck_by_fault_;
  lock->unlock();
  // The block that ended early has its report already; the others end without one.
  if (died) throw BlockEnded{};
  core.Fail(FaultKind::kFlag, name, where, text);
}

void Scheduler::CheckResident(CoreState &core, const char *name, Kinds kinds, uint32_t cores,
                              Where where) const {
  const auto all = static_cast<uint32_t>(cores_.size()) / core.id.blocks;  // cores of a block
  const size_t cubes =
      std::count_if(cores_.begin(), cores_.end(), [](const auto *other) { return other->id.cube; });
  const bool cube = cubes != 0;
  const uint32_t blocks = core.model->CoresAtOnce(cubes, cores_.size() - cubes) / all;
  const uint32_t per_block = all == 1 || kinds == Kinds::kAll ? all : (kinds == Kinds::kCube ? 1 : all - 1);
  if (cores <= blocks * per_block) return;
  core.Fail(FaultKind::kFlag, name, where,
            std::to_string(core.id.blocks) + " blocks are to meet, but " + core.model->soc + " has " +
                (cube ? std::to_string(core.model->cube_cores) + " cube cores"
                      : std::to_string(core.model->vector_cores) + " vector cores") +
                " and runs " + std::to_string(blocks) +
                " such blocks at a time, so that the device would hang here");
}

void Scheduler::Meet(CoreState &core, bool vector_only, uint32_t cores, Where where) {
  core.BarrierAll(where);
  if (vector_only && core.id.cube) return;
  core.SettlePoll();
  std::unique_lock lock(mutex_);
  uint32_t expected = 0;
  for (const CoreState *other : cores_) expected += vector_only && other->id.cube ? 0 : 1;
  if (cores != 0) expected = std::min(expected, cores);
  CheckResident(core, "SyncAll", vector_only ? Kinds::kVector : Kinds::kAll, expected, where);
  Gathering &gathering = gatherings_[vector_only ? 1 : 0];
  if (gathering.arrived == 0) {
    gathering.id = static_cast<uint32_t>(meetings_.size());
    meetings_.push_back(expected);
    gathering.joined.assign(cores_.size(), Clock{});
  }
  const GlobalClock mine = core.ReleaseGlobal(Pipe::S);
  for (size_t i = 0; i < mine.size(); ++i) Join(&gathering.joined[i], mine[i]);
  Join(&gathering.waits, counters_.KnownTo(core.id.core));
  const uint32_t site = core.SiteOf("SyncAll", where);
  core.AddEvent(Event::kMeet, Pipe::S, gathering.id, site);
  if (core.recorded() && cores == 0) core.recording.AddMeeting(vector_only, core.id.cube, site);
  const uint64_t round = gathering.round;
  if (++gathering.arrived >= expected) {
    gathering.result = std::make_shared<const GlobalClock>(std::move(gathering.joined));
    gathering.joined = {};
    gathering.arrived = 0;
    ++gathering.round;
    gathering.known = std::move(gathering.waits);
    gathering.waits = {};
    if (cores == 0) NoteTakenFlags(vector_only, core.sites()[site]);
    Released();
  } else if (!WaitFor(&lock, [&] { return gathering.round != round; })) {
    Stuck(&lock, core, "SyncAll", where,
          std::to_string(gathering.arrived) + " of " + std::to_string(expected) +
              " cores came; the others ended or wait elsewhere: all of them must call SyncAll");
  }
  core.hazards.AcquireGlobal(gathering.result);
  Join(&counters_.KnownTo(core.id.core), gathering.known);
}

void Scheduler::NoteTakenFlags(bool vector_only, const Site &meeting) {
  const auto note = [&](uint16_t flag) {
    for (const CoreState *core : cores_) {
      const auto inbox = inboxes_.find({core->id.core, flag});
      if (inbox != inboxes_.end() && !inbox->second.empty()) {
        counters_.Meet(core->id.core, flag, inbox->second.front().site, meeting);
      }
    }
    for (const auto &[key, exchange] : exchanges_) {
      if (std::get<1>(key) != flag) continue;
      for (const auto &[sender, posts] : exchange.posts) {
        if (!posts.empty()) counters_.Meet(sender, flag, posts.front().site, meeting);
      }
    }
  };
  if (vector_only) {
    for (const uint16_t flag : kFlagsOfVectors) note(flag);
  } else {
    for (const uint16_t flag : kFlagsOfAll) note(flag);
  }
}

// Mode 0: all cores of a kind. Mode 1: the vector cores of a block. Mode 2: its cube core against its vector
// cores.
FlagCounters::Group Scheduler::GroupOf(const CoreState &core, uint8_t mode, uint16_t flag) {
  const uint64_t kind = core.id.cube ? 1 : 0;
  return {mode, flag, mode == 0 ? kind : uint64_t{core.id.block} * 2 + kind};
}

Scheduler::Exchange &Scheduler::ExchangeOf(const CoreState &core, uint8_t mode, uint16_t flag) {
  Exchange &exchange = exchanges_[GroupOf(core, mode, flag)];
  if (!exchange.senders.empty()) return exchange;
  for (const CoreState *other : cores_) {
    if (mode != 0 && other->id.block != core.id.block) continue;
    if (other->id.cube == core.id.cube) exchange.senders.push_back(other->id.core);
    if ((other->id.cube == core.id.cube) == (mode != 2)) exchange.receivers.push_back(other->id.core);
  }
  return exchange;
}

void Scheduler::CheckFlagId(CoreState &core, const char *name, uint16_t flag, Where where) {
  if (flag < kCrossCoreFlags) return;
  core.Fail(
      FaultKind::kFlag, name, where,
      "flagId must be in [0, " + std::to_string(kCrossCoreFlags - 1) + "], got " + std::to_string(flag));
}

void Scheduler::CrossCoreSet(CoreState &core, uint8_t mode, Pipe pipe, uint16_t flag, Where where) {
  CheckFlagId(core, "CrossCoreSetFlag", flag, where);
  core.SettlePoll();
  std::unique_lock lock(mutex_);
  const uint32_t token = posts_++;
  const uint32_t site = core.SiteOf("CrossCoreSetFlag", where);
  core.AddEvent(Event::kPost, pipe, token, site);
  if (core.recorded()) core.recording.AddCrossCore('X', mode, pipe, flag, site);
  Exchange &exchange = ExchangeOf(core, mode, flag);
  if (mode == 0) {
    const auto senders = static_cast<uint32_t>(exchange.senders.size());
    CheckResident(core, "CrossCoreSetFlag", core.id.cube ? Kinds::kCube : Kinds::kVector, senders, where);
  }
  counters_.Set(core.id.core, GroupOf(core, mode, flag), core.sites()[site]);
  exchange.posts[core.id.core].push_back(
      {core.ReleaseGlobal(pipe), counters_.KnownTo(core.id.core), token, core.sites()[site]});
  for (const uint32_t sender : exchange.senders) {
    if (exchange.posts[sender].empty()) return;
  }
  Post delivery;
  delivery.clock.assign(cores_.size(), Clock{});
  delivery.site = core.sites()[site];
  delivery.prepared = core.prepares;
  delivery.token = static_cast<uint32_t>(deliveries_.size());
  deliveries_.emplace_back();
  for (const uint32_t sender : exchange.senders) {
    const Post &post = exchange.posts[sender].front();
    for (size_t i = 0; i < post.clock.size(); ++i) Join(&delivery.clock[i], post.clock[i]);
    Join(&delivery.waits, post.waits);
    deliveries_.back().push_back(post.token);
    exchange.posts[sender].pop_front();
  }
  for (const uint32_t receiver : exchange.receivers) {
    inboxes_[{receiver, flag}].push_back(delivery);
  }
  counters_.Deliver(GroupOf(core, mode, flag), exchange.receivers, delivery.waits, delivery.site);
  Released();
}

void Scheduler::ReportFlags() {
  for (const CoreState *core : cores_) {
    if (core->ended_early) return;  // it waits for nothing
  }
  counters_.Report(cores_);
  auto report = [this](uint32_t core, uint16_t flag, const Site &site, const char *what) {
    cores_[core]->log.AddPair(FaultKind::kFlag, site, site,
                              Describe(site) + ": flag " + std::to_string(flag) + what);
  };
  for (const auto &[key, inbox] : inboxes_) {
    // CANN's build puts a signal before each kernel that includes Matmul, whether it registers one or not.
    const auto prepared = [](const Post &post) { return post.prepared; };
    if (std::all_of(inbox.begin(), inbox.end(), prepared)) continue;
    if (!counters_.ForAnother(cores_, key.first, key.second)) {
      report(key.first, key.second, inbox.front().site,
             " is set, but nobody waits for it: missing CrossCoreWaitFlag");
    }
  }
  for (const auto &[key, exchange] : exchanges_) {
    for (const auto &[sender, posts] : exchange.posts) {
      if (posts.empty()) continue;
      report(sender, std::get<1>(key), posts.front().site,
             " is not set by all cores of its group, so that nobody receives it");
    }
  }
}

uint32_t Scheduler::NewPost() {
  std::lock_guard lock(mutex_);
  return posts_++;
}

void Scheduler::TakePost(CoreState &core, uint32_t post, uint32_t site) {
  std::lock_guard lock(mutex_);
  core.AddEvent(Event::kTake, Pipe::S, static_cast<uint32_t>(deliveries_.size()), site);
  deliveries_.push_back({post});
}

void Scheduler::CrossCoreWait(CoreState &core, uint16_t flag, Where where) {
  CheckFlagId(core, "CrossCoreWaitFlag", flag, where);
  std::unique_lock lock(mutex_);
  std::deque<Post> &inbox = inboxes_[{core.id.core, flag}];
  if (!WaitFor(&lock, [&] { return !inbox.empty(); })) {
    Stuck(&lock, core, "CrossCoreWaitFlag", where,
          "flag " + std::to_string(flag) +
              " never came, so that the device would hang here: missing CrossCoreSetFlag");
  }
  const Post post = inbox.front();
  inbox.pop_front();
  const uint32_t site = core.SiteOf("CrossCoreWaitFlag", where);
  core.AddEvent(Event::kTake, Pipe::S, post.token, site);
  if (core.recorded()) core.recording.AddCrossCore('T', 0, Pipe::S, flag, site);
  core.AcquireGlobal(post.clock);
  counters_.Wait(core.id.core, flag);
  Join(&counters_.KnownTo(core.id.core), post.waits);
}

namespace {

std::string MissingFlag(const Scheduler::GmFlag &flag, bool set) {
  const std::string block = std::to_string(flag.block), event = std::to_string(flag.event);
  if (flag.group == 0) {
    return "the flag of block " + block + ", event " + event +
           (set ? ", never came: missing IBSet" : " is set, and nobody waits for it: missing IBWait");
  }
  return set ? "arriveIndex " + block + " of the GroupBarrier never came: missing Arrive"
             : "waitIndex " + event + " of the GroupBarrier has not taken the last round: missing Wait";
}

}  // namespace

void Scheduler::AwaitGmFlag(CoreState &core, GmFlag flag, bool set, const char *name, Where where) {
  std::unique_lock lock(mutex_);
  GmFlagState &state = gm_flags_[flag];
  if (!WaitFor(&lock, [&] { return state.set == set; })) {
    Stuck(&lock, core, name, where, MissingFlag(flag, set) + ", so that the device would hang here");
  }
  if (state.known) Open(core, state.change, name, where);
}

void Scheduler::ChangeGmFlag(CoreState &core, GmFlag flag, bool set, const char *name, Where where,
                             Pipe pipe) {
  core.SettlePoll();
  std::unique_lock lock(mutex_);
  gm_flags_[flag] = {set, true, Seal(core, pipe, name, where)};
  Released();
}

}  // namespace sim
