// SPDX-License-Identifier: Apache-2.0
#include "core_state.h"

#include <cstring>
#include <mutex>
#include <set>

#include "runs.h"
#include "scheduler.h"

namespace sim {

CoreState::CoreState(const CoreIdentity &identity, const DeviceModel &device, DeviceMemory &gm,
                     const LaunchOptions &launch_options, Scheduler &block_scheduler, uint64_t key)
    : id(identity),
      model(&device),
      memory(&gm),
      options(&launch_options),
      scheduler(&block_scheduler),
      tiling_key(key),
      hazards(&queues),
      queues(this),
      flags(this),
      cache(this),
      values(this),
      watch(launch_options.instructions),
      printed(identity) {}

void CoreState::BeginBlock(const void *outermost) {
  outermost_frame_ = outermost;
  // The compiler orders nothing on a cube core.
  hazards.Reset(options->auto_sync && !id.cube, model->bytes);
  queues.Reset();
  flags.Reset();
  cache.Reset();
  polled_ = 0;
  asked_.clear();
  new_posts_.clear();
  tokens_.assign(1, Clock{});                  // token 0 stands for none
  pending_scalar_ = {model->cost.startup, 0};  // its doubt is that of the launch
}

void CoreState::EndBlock() {
  if (options->hazards) {
    SettlePoll();
    // CANN's compiler ends each kernel with this. The number is one of its own: cores that met this one
    // earlier do not know of it.
    hazards.Advance(Instruction{}, 0);
    cache.Clean(true, 0);
  }
  queues.ReportLeftover("the kernel");
  flags.ReportLeft();
}

void CoreState::ReleaseMemories() {
  printed.Flush();
  ub_peak = queues.Peak(Space::UB);
  if (ub_peak == 0) ub_peak = ub_touched;  // the TPipe of CANN's own headers says nothing
  hazards.ReleaseShadows();
  tokens_ = {};
  values.Release();
  tails.Release();
  for (auto &chip : chips_) chip = nullptr;
}

std::byte *CoreState::Memory(Space space, uint64_t address) {
  std::byte *const copy = skipped_.empty() ? nullptr : MemoryOfSkipped(space, address);
  if (copy != nullptr) return copy;
  if (space == Space::GM) return memory->Host(reinterpret_cast<const void *>(address));
  std::unique_ptr<std::byte[]> &chip = chips_[Index(space)];
  if (chip == nullptr) {
    const uint64_t capacity = model->bytes[Index(space)];
    chip = std::make_unique<std::byte[]>(capacity);
    std::memset(chip.get(), kPoison, capacity);
  }
  return chip.get() + address;
}

uint32_t CoreState::SiteOf(const char *name, Where where) {
  const int frames = where.line > 0 ? kFramesBesidesLine : kFramesWithoutLine;
  const uint64_t path =
      outermost_frame_ != nullptr ? HashOfCallPath(outermost_frame_, innermost_frame_, frames) : 0;
  const SiteKey key{name, where.file, where.line, path};
  const size_t hash = SiteHash()(key);
  RecentSite &recent = recent_sites_[(hash ^ hash >> 12) % kRecentSites];
  if (recent.key == key) return recent.id;
  const auto [entry, added] = site_ids_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
  if (added) {
    sites_.push_back({name, where.file, where.line, nullptr});
    if (path != 0) paths_.push_back(ReadCallPath(outermost_frame_, innermost_frame_));
    if (path != 0 && !paths_.back().empty()) {
      sites_.back().path = &paths_.back();
    } else {
      outermost_frame_ = nullptr;  // a kernel without frame pointers: do not look again
    }
  }
  recent = {key, entry->second};
  return entry->second;
}

// A name that lives as long as the process, for sites outlive the call that they name.
static const char *Lasting(const char *name) {
  static std::mutex mutex;
  static auto *names = new std::set<std::string>;  // never destroyed: threads may outlive main
  std::lock_guard<std::mutex> lock(mutex);
  return names->insert(name).first->c_str();
}

void CoreState::Fail(FaultKind kind, const char *instruction, Where where, const std::string &text) {
  const Site &site = SiteAt(Lasting(instruction), where);
  log.AddEnd(kind, Describe(site) + ": " + text, {site});
  throw BlockEnded{};
}

bool CoreState::Reported(FaultKind kind, const char *instruction, Where where) {
  const Site site = SiteAt(Lasting(instruction), where);
  return log.Known(kind, site, site);
}

void CoreState::Report(FaultKind kind, const char *instruction, Where where, const std::string &text) {
  const Site site = SiteAt(Lasting(instruction), where);
  Report(kind, Describe(site) + ": " + text, {site});
}

void CoreState::Report(FaultKind kind, const std::string &text, const std::vector<Site> &sites) {
  if (!options->policy.GoesOn(kind, id.kernel)) {
    log.AddEnd(kind, text, sites, false);
    throw BlockEnded{};
  }
  log.AddAtPlace(kind, text, sites);
}

void CoreState::Issue(const Instruction &instruction) {
  const uint32_t site_id = SiteOf(instruction.name, instruction.where);
  const bool scalar = instruction.pipe == Pipe::S;
  bool progress = !scalar;
  for (int i = 0; i < instruction.operand_count; ++i) progress = progress || instruction.operands[i].write;
  if (Step(scalar, progress, site_id) == Watch::Verdict::kYield) scheduler->Yield();
  const Site site = sites_[site_id];
  skipped_.clear();
  for (int i = 0; i < instruction.operand_count; ++i) {
    if (CheckOperand(instruction.operands[i], site, instruction.where)) continue;
    Skip(instruction);
    return;
  }
  if (instruction.work == Work::kVector) CheckOverlaps(instruction, site);
  if (recorded()) recording.Add(instruction, site_id, *memory);
  if (options->hazards) Judge(instruction, site_id);
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.write && (options->hazards || operand.space == Space::GM)) values.Write(operand);
  }
  values.Settle();
  Account(instruction, site_id);
  AddPosts(site_id);
}

void CoreState::Judge(const Instruction &instruction, uint32_t site_id) {
  const Site site = sites_[site_id];
  const Pipe pipe = instruction.pipe;
  SettlePoll();
  hazards.Advance(instruction, site_id);
  uint32_t drain = 0;
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    drain |= hazards.Judge(pipe, operand, site, sites_, &log);
  }
  values.Follow(instruction, site_id);
  for (int i = 0; i < instruction.operand_count; ++i) {
    const Operand &operand = instruction.operands[i];
    if (operand.space == Space::GM) {
      RecordGm(instruction, operand, site_id);
    } else {
      hazards.Record(pipe, operand);
    }
  }
  tails.Follow(instruction, hazards.LastAccess(pipe));
  for (int waited = 0; drain != 0 && waited < kPipes; ++waited) {
    if ((drain >> waited) & 1U) AddEvent(Event::kDrain, static_cast<Pipe>(waited), 0, site_id);
  }
}

void CoreState::RecordGm(const Instruction &instruction, const Operand &operand, uint32_t site) {
  const bool scalar = instruction.pipe == Pipe::S;
  if (operand.write) PublishWrite(instruction, operand);
  if (scalar && !instruction.uncached) {
    cache.Access(operand, site);
    return;
  }
  cache.Pass(operand, site);
  GmCaching caching;
  caching.fresh = scalar && !operand.write;
  hazards.RecordGm(instruction.pipe, operand, site, instruction.atomic, caching);
  if (caching.fresh) NotePoll(operand.address, operand.row_bytes);
}

void CoreState::CleanDataCache(const char *name, bool all, uint64_t address, Where where) {
  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  Issue(instruction);
  if (options->hazards) cache.Clean(all, address);
}

Watch::Verdict CoreState::Step(bool scalar, bool progress, uint32_t site) {
  const Watch::Verdict verdict = watch.Step(scalar, progress);
  if (verdict == Watch::Verdict::kGoOn || verdict == Watch::Verdict::kYield) return verdict;
  const Site last = sites_[site];
  const std::string why =
      verdict == Watch::Verdict::kTooMany
          ? "this core has issued " + std::to_string(watch.budget()) +
                " instructions, or 16 times as many scalar accesses (AVO_SIM_INSTRUCTIONS)"
          : "this core has only read for " + SecondsText(options->timeout) +
                " s of computing, and what it waits for does not come (AVO_SIM_TIMEOUT)";
  log.AddEnd(FaultKind::kEndless, Describe(last) + ": the kernel does not end: " + why, {last});
  throw BlockEnded{};
}

uint32_t CoreState::SetToken(Pipe from, Pipe to, Where where, int32_t id) {
  const uint32_t site = SiteOf("SetFlag", where);
  const auto token = static_cast<uint32_t>(tokens_.size());
  tokens_.push_back(hazards.Release(from));
  AddEvent(Event::kSet, from, token, site);
  if (recorded()) recording.AddFlag('F', from, to, id, site);
  return token;
}

void CoreState::WaitToken(Pipe from, Pipe to, uint32_t token, Where where, int32_t id) {
  hazards.Acquire(to, tokens_[token]);
  const uint32_t site = SiteOf("WaitFlag", where);
  AddEvent(Event::kWait, to, token, site);
  if (recorded()) recording.AddFlag('W', from, to, id, site);
}

void CoreState::Barrier(Pipe pipe, Where where) {
  hazards.Barrier(pipe);
  const uint32_t site = SiteOf("PipeBarrier", where);
  AddEvent(Event::kBarrier, pipe, 0, site);
  if (recorded()) recording.AddBarrier(PipeName(pipe), site);
}

void CoreState::BarrierAll(Where where) {
  hazards.BarrierAll();
  const uint32_t site = SiteOf("PipeBarrier", where);
  AddEvent(Event::kBarrierAll, Pipe::S, 0, site);
  if (recorded()) recording.AddBarrier("ALL", site);
}

GlobalClock CoreState::ReleaseGlobal(Pipe pipe) {
  GmLog &log_of_gm = hazards.gm();
  const GlobalClockPtr &known = log_of_gm.global_clocks.back();
  GlobalClock clock = known != nullptr ? *known : GlobalClock{};
  if (clock.size() <= id.core) clock.resize(id.core + 1, Clock{});
  Join(&clock[id.core], hazards.Release(pipe));
  return clock;
}

void CoreState::AcquireGlobal(const GlobalClock &clock) {
  const GlobalClockPtr &known = hazards.gm().global_clocks.back();
  auto joined = std::make_shared<GlobalClock>(clock);
  joined->resize(scheduler->cores(), Clock{});  // who judges looks up any core
  if (known != nullptr) {
    for (size_t core = 0; core < known->size(); ++core) Join(&(*joined)[core], (*known)[core]);
  }
  // What other cores know of this core has happened. S knows that now, and so do the pipes to which it issues
  // later.
  hazards.Acquire(Pipe::S, (*joined)[id.core]);
  hazards.AcquireGlobal(joined);
}

}  // namespace sim
