// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <random>
#include <thread>

#include "core_state.h"
#include "cost.h"
#include "current_core.h"
#include "fault_groups.h"
#include "kernel_libraries.h"
#include "kernel_run.h"
#include "scheduler.h"
#include "timeline.h"

namespace sim {

LaunchOptions LaunchOptions::FromEnvironment() {
  LaunchOptions options;
  auto number = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  options.auto_sync = number("AVO_SIM_STRICT", 0) == 0;
  if (number("AVO_SIM_FAST", 0) != 0) options.hazards = options.cost = false;
  options.threads = static_cast<uint32_t>(number("AVO_SIM_THREADS", 0));
  options.seed = number("AVO_SIM_SEED", 0);
  options.warm = number("AVO_SIM_WARM", 0) != 0;
  options.instructions = std::max<uint64_t>(number("AVO_SIM_INSTRUCTIONS", options.instructions), 1);
  const char *timeline = std::getenv("AVO_SIM_TIMELINE");
  if (timeline != nullptr) options.timeline = timeline;
  const char *timeout = std::getenv("AVO_SIM_TIMEOUT");
  const double seconds = timeout != nullptr ? std::strtod(timeout, nullptr) : 0;
  if (seconds > 0) options.timeout = seconds;
  options.policy = Policy::FromEnvironment();
  return options;
}

class Launcher {
 public:
  Launcher(DeviceMemory &memory, const DeviceModel &model, const Kernel &kernel, uint32_t block_dim,
           uint64_t tiling_key, const LaunchOptions &options)
      : replacements_{KernelOf(kernel, false), KernelOf(kernel, true)},
        memory_(memory),
        model_(model),
        kernel_(kernel),
        options_(options),
        scheduler_(StartOrder(kernel, block_dim, options.seed), Threads(options),
                   [this](uint32_t i) { RunCore(i); }) {
    if (replacements_[0].invoke != nullptr || replacements_[1].invoke != nullptr) scheduler_.PostWrites();
    const uint32_t per_block = CoresPerBlock(kernel);
    for (uint32_t i = 0; i < block_dim * per_block; ++i) {
      CoreIdentity id;
      id.kernel = kernel_.name;
      id.core = i;
      id.block = i / per_block;
      id.blocks = block_dim;
      id.cube = kernel.type == KernelType::kCube || (per_block > 1 && i % per_block == 0);
      id.sub_block = per_block > 1 && !id.cube ? i % per_block - 1 : 0;
      id.sub_blocks = per_block > 1 && !id.cube ? per_block - 1 : 1;
      cores_.push_back(std::make_unique<CoreState>(id, model, memory, options_, scheduler_, tiling_key));
      scheduler_.Register(cores_.back().get());
    }
  }

  Report Run(const std::vector<void *> &args) {
    args_ = args;
    scheduler_.RunAll();
    if (no_memory_) throw std::bad_alloc();
    scheduler_.ReportFlags();
    if (options_.hazards) JudgeGlobalMemory();
    Report report;
    Collect(&report);
    const std::vector<CoreTrace> traces = Traces();
    const CostResult cost = options_.cost ? Cost(traces, &report) : CostResult();
    if (options_.record != LaunchOptions::Record::kNothing) report.recording = Recorded(report);
    std::vector<const CoreState *> cores;
    for (const auto &core : cores_) cores.push_back(core.get());
    CollectFaults(cores, options_, &report);
    if (!options_.timeline.empty()) WriteTimeline(options_.timeline, model_, traces, cost, report);
    return report;
  }

 private:
  // What runs on the cube or on the vector cores of a launch in place of the kernel.
  static Replacement KernelOf(const Kernel &kernel, bool cube) {
    const KernelType other = cube ? KernelType::kVector : KernelType::kCube;
    return kernel.type == other ? Replacement{} : ReplacementOf(kernel.name, cube);
  }

  static uint32_t CoresPerBlock(const Kernel &kernel) {
    if (kernel.type == KernelType::kMixed11) return 2;
    return kernel.type == KernelType::kMixed12 ? 3 : 1;
  }

  static uint32_t Threads(const LaunchOptions &options) {
    return options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  }

  static std::vector<uint32_t> StartOrder(const Kernel &kernel, uint32_t block_dim, uint64_t seed) {
    std::vector<uint32_t> order(block_dim * CoresPerBlock(kernel));
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937_64 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  void RunCore(uint32_t index) {
    CoreState &state = *cores_[index];
    Core core;
    core.state_ = &state;
    SetCurrentCore(&core);
    bool reached_its_end = false;
    try {
      state.BeginBlock(__builtin_frame_address(0));
      reached_its_end = Invoke(&state);
      if (reached_its_end) state.EndBlock();
    } catch (const BlockEnded &) {
    } catch (...) {
      NoteException(&state);
    }
    state.ended_early = !reached_its_end;
    SetCurrentCore(nullptr);
    try {
      state.ReleaseMemories();
    } catch (const std::bad_alloc &) {  // they are released with the core then
      no_memory_ = true;
    }
  }

  // Makes a fault of the exception that is being handled.
  void NoteException(CoreState *state) noexcept {
    try {
      try {
        throw;
      } catch (const std::exception &error) {
        state->log.AddEnd(FaultKind::kOther, std::string("the kernel threw an exception: ") + error.what(),
                          {});
      } catch (...) {
        state->log.AddEnd(FaultKind::kOther, "the kernel threw something that is no std::exception", {});
      }
    } catch (...) {
      no_memory_ = true;
    }
  }

  // Returns false where a fault ended the block without an exception.
  bool Invoke(CoreState *state) const {
    const Replacement &replacement = replacements_[state->id.cube];
    if (replacement.invoke == nullptr) return RunKernel(kernel_.invoke, args_.data(), false);
    state->prepares = true;
    replacement.prepare(args_.size() > 1 ? args_[args_.size() - 2] : nullptr);
    state->prepares = false;
    return RunKernel(replacement.invoke, args_.data(), replacement.marked);
  }

  void JudgeGlobalMemory() {
    std::vector<GmCore> logs;
    // A core that a fault has ended may owe the bytes that another copy left open.
    const bool all_ended =
        std::none_of(cores_.begin(), cores_.end(), [](const auto &core) { return core->ended_early; });
    for (const auto &core : cores_) {
      if (all_ended) core->values.JudgeLate();
      logs.push_back({core->id.block, options_.auto_sync && !core->id.cube, &core->hazards.gm(),
                      &core->sites(), &core->log});
    }
    JudgeGm(logs, memory_);
    JudgeCoherence(logs, memory_);
  }

  void Collect(Report *report) const {
    report->kernel = kernel_.name;
    report->soc = model_.soc;
    report->seed = options_.seed;
    report->blocks = cores_.empty() ? 0 : cores_.front()->id.blocks;
    for (const auto &core : cores_) {
      const CoreCounters &counters = core->counters;
      bool works = false;
      for (int pipe = 0; pipe < kPipes; ++pipe) {
        report->pipes[pipe].instructions += counters.pipes[pipe].instructions;
        report->pipes[pipe].bytes += counters.pipes[pipe].bytes;
        report->pipes[pipe].repeats += counters.pipes[pipe].repeats;
        works = works || (pipe != Index(Pipe::S) && counters.pipes[pipe].instructions != 0);
      }
      report->cores += works ? 1 : 0;
      report->gm_read_bytes += counters.gm_read_bytes;
      report->gm_write_bytes += counters.gm_write_bytes;
      report->scalar_accesses += counters.scalar_accesses;
      report->ub_peak_bytes = std::max(report->ub_peak_bytes, core->ub_peak);
    }
  }

  std::vector<CoreTrace> Traces() const {
    std::vector<CoreTrace> traces;
    for (const auto &core : cores_) {
      traces.push_back({core->id.core, core->id.cube, &core->events, &core->sites(), core->pending_scalar()});
    }
    return traces;
  }

  CostResult Cost(const std::vector<CoreTrace> &traces, Report *report) const {
    const bool slices = options_.trace || !options_.timeline.empty();
    CostResult cost =
        Replay(model_, traces, scheduler_.meetings(), scheduler_.deliveries(), {slices, options_.warm});
    for (int pipe = 0; pipe < kPipes; ++pipe) report->pipes[pipe].busy_cycles = cost.busy[pipe];
    report->hbm_read_bytes = cost.hbm_read_bytes;
    report->hbm_write_bytes = cost.hbm_write_bytes;
    report->cycles = cost.end.time;
    const double cycles_a_microsecond = model_.clock_ghz * 1e3;
    const double doubt = cost.end.Doubt();
    report->microseconds = cost.end.time / cycles_a_microsecond;
    report->least_microseconds = report->microseconds / (1 + doubt);
    report->most_microseconds = report->microseconds * (1 + doubt);
    for (int group = 0; group < kGroups; ++group) {
      report->doubts[group] = cost.end.doubts[group] / cycles_a_microsecond;
    }
    if (options_.trace) report->trace = TraceJson(model_, traces, cost, kernel_.name);
    return cost;
  }

  std::string Recorded(const Report &report) const {
    std::vector<RecordedCore> cores;
    for (const auto &core : cores_) {
      cores.push_back({core->id.core, core->id.cube, &core->recording, &core->sites()});
    }
    return RecordingJson(kernel_.name, report.cycles, cores,
                         options_.record == LaunchOptions::Record::kCalls);
  }

  const Replacement replacements_[2];  // of vector and of cube cores
  DeviceMemory &memory_;
  const DeviceModel &model_;
  const Kernel kernel_;
  const LaunchOptions options_;
  Scheduler scheduler_;
  std::vector<std::unique_ptr<CoreState>> cores_;
  std::vector<void *> args_;
  std::atomic<bool> no_memory_{false};  // not even for the text of a fault
};

Report Launch(DeviceMemory &memory, const DeviceModel &model, const Kernel &kernel, uint32_t block_dim,
              uint64_t tiling_key, const std::vector<void *> &args, const void *tiling, size_t tiling_bytes,
              const LaunchOptions &options) {
  Launcher launcher(memory, model, kernel, block_dim, tiling_key, options);
  std::vector<void *> all = args;
  const auto release = [&memory](void *address) { memory.Free(address); };
  std::unique_ptr<void, decltype(release)> device_tiling(nullptr, release);
  if (tiling != nullptr && tiling_bytes != 0) {
    device_tiling.reset(memory.Allocate(tiling_bytes));
    if (device_tiling == nullptr) throw std::bad_alloc();
    std::memcpy(memory.Host(device_tiling.get()), tiling, tiling_bytes);
    memory.MarkWritten(device_tiling.get(), tiling_bytes);
  }
  all.push_back(device_tiling.get());
  return launcher.Run(all);
}

}  // namespace sim
