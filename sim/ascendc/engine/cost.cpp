// SPDX-License-Identifier: Apache-2.0
// Replays a launch: S issues in program order, each pipe works in order, and copies share the bandwidth.
#include "cost.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <queue>

#include "bandwidth.h"
#include "l2_cache.h"

namespace sim {
namespace {

constexpr Moment kUnknown = {-1, {}};

struct Queued {
  uint32_t event;
  Moment ready;  // when S issued it
};

struct PipeSim {
  std::deque<Queued> queue;
  Moment free;   // the next instruction may start
  Moment done;   // all earlier ones have ended, latency included
  Moment begun;  // the copy that it makes
  double busy_until = 0;
  bool copying = false;
  // For slices.
  double vacant = 0;  // since then it had nothing to do
  Wait held;          // what made it wait last: a flag or a barrier
  Wait wait;          // what the instruction that it works on waited for, and how long
  double waited = 0;
  uint32_t last = Wait::kNoSite;  // the instruction that came last
};

struct CoreSim {
  const CoreTrace *trace = nullptr;
  size_t next = 0;       // event S comes to
  Moment now;            // of S
  bool charged = false;  // scalar cycles before that event are counted
  bool arrived = false;  // at the meeting it waits for
  bool started = false;
  bool ended = false;
  PipeSim pipes[kPipes];
  std::vector<Moment> tokens;
  std::vector<Wait> makers;  // of tokens, for slices
  Stalls stalls;
};

struct Post {
  Moment moment = kUnknown;
  Wait maker;
};

struct PendingCopy {
  double start;
  uint32_t core;
  Pipe pipe;
  uint32_t event;
  bool operator>(const PendingCopy &other) const {
    return start != other.start ? start > other.start : core > other.core;
  }
};

class Simulation {
 public:
  Simulation(const DeviceModel &model, const std::vector<CoreTrace> &cores,
             const std::vector<uint32_t> &meetings, const std::vector<std::vector<uint32_t>> &deliveries,
             const ReplayOptions &options)
      : model_(model),
        deliveries_(deliveries),
        meetings_(meetings),
        keep_slices_(options.slices),
        slots_(Slots(model, cores)),
        l2_(model, Events(cores), options.warm),
        bandwidth_(model, &l2_),
        cores_(cores.size()),
        arrivals_(meetings.size(), 0),
        meeting_times_(meetings.size()) {
    for (size_t i = 0; i < cores.size(); ++i) cores_[i].trace = &cores[i];
  }

  CostResult Run() {
    const CostModel &cost = model_.cost;
    const double blocks = static_cast<double>(std::min<size_t>(cores_.size(), slots_));
    const double microsecond = model_.clock_ghz * 1e3;
    now_ = (cost.launch_us + cost.launch_us_per_block * blocks) * microsecond;
    slot_.Pass({now_, (cost.launch_us.off() + cost.launch_us_per_block.off() * blocks) * microsecond},
               ConstantGroup::kLaunch);
    StartCores();
    while (Step()) {
    }
    CostResult &result = result_;
    for (CoreSim &core : cores_) {
      result.end = Later(result.end, EndOf(core));
    }
    result.end.Pass({0, bandwidth_.EvictionsOff()}, ConstantGroup::kHbm);
    result.hbm_read_bytes = static_cast<uint64_t>(bandwidth_.hbm_read());
    result.hbm_write_bytes = static_cast<uint64_t>(bandwidth_.hbm_written());
    return std::move(result);
  }

 private:
  static std::vector<const std::vector<Event> *> Events(const std::vector<CoreTrace> &cores) {
    std::vector<const std::vector<Event> *> events;
    for (const CoreTrace &core : cores) events.push_back(core.events);
    return events;
  }

  static uint32_t Slots(const DeviceModel &model, const std::vector<CoreTrace> &cores) {
    const auto cubes =
        std::count_if(cores.begin(), cores.end(), [](const CoreTrace &core) { return core.cube; });
    return model.CoresAtOnce(cubes, cores.size() - cubes);
  }

  void StartCores() {
    while (next_start_ < cores_.size() && running_ < slots_) StartNext();
  }

  void StartNext() {
    CoreSim &core = cores_[next_start_];
    core.started = true;
    core.now = slot_;
    core.now.time = now_;
    core.now.Pass({0, model_.cost.startup.off()}, ConstantGroup::kStart);
    for (PipeSim &pipe : core.pipes) {
      pipe.free = pipe.done = core.now;
      pipe.busy_until = pipe.vacant = now_;
    }
    ++running_;
    Progress(static_cast<uint32_t>(next_start_++));
  }

  // Goes on to the next start or end of a copy. Returns false where there is none.
  bool Step() {
    double next = bandwidth_.idle() ? std::numeric_limits<double>::infinity() : now_ + bandwidth_.NextEnd();
    if (!pending_.empty()) next = std::min(next, std::max(now_, pending_.top().start));
    if (next == std::numeric_limits<double>::infinity()) {
      // All copies that run may be waiting for one that has not started yet.
      if (next_start_ >= cores_.size()) return false;
      StartNext();
      return true;
    }
    bandwidth_.Advance(next - now_);
    now_ = next;
    for (const Flow &flow : bandwidth_.TakeFinished()) Finish(flow);
    StartCores();
    while (!pending_.empty() && pending_.top().start <= now_ + 1e-9) {
      const PendingCopy copy = pending_.top();
      pending_.pop();
      const CoreTrace &trace = *cores_[copy.core].trace;
      bandwidth_.Start(copy.core, trace.cube, copy.pipe, (*trace.events)[copy.event]);
    }
    bandwidth_.Settle();
    return true;
  }

  void Finish(const Flow &flow) {
    CoreSim &core = cores_[flow.core];
    PipeSim &pipe = core.pipes[Index(flow.pipe)];
    const Constant &latency = flow.copy->write ? model_.cost.write_latency : model_.cost.read_latency;
    pipe.free = pipe.begun;
    pipe.free.Pass({0, model_.cost.copy_issue.off()}, ConstantGroup::kCopy);
    for (int group = 0; group < kGroups; ++group) pipe.free.doubts[group] += flow.doubts[group];
    pipe.free.time = now_;
    Moment done = pipe.free;
    done.Pass(Cycles::Of(latency), ConstantGroup::kCopy);
    pipe.done = Later(pipe.done, done);
    const double begun = pipe.begun.time, alone = model_.cost.copy_issue + flow.row_cycles;
    Busy(flow.core, flow.pipe, *flow.copy, begun, now_ + latency, now_ - begun - alone);
    pipe.copying = false;
    Progress(flow.core);
  }

  // Notes what the instruction that starts now waited for.
  void NoteWait(uint32_t index, Pipe which, double issued, double start) {
    CoreSim &core = cores_[index];
    PipeSim &pipe = core.pipes[Index(which)];
    pipe.waited = std::max(0.0, start - std::max(pipe.vacant, pipe.busy_until));
    pipe.wait = issued < pipe.free.time ? pipe.held : core.stalls.Before(pipe.vacant, issued);
    if (pipe.waited == 0) pipe.wait = {};
  }

  // The last instruction of a pipe, as one that others wait for.
  static Wait LastOf(const CoreSim &core, uint32_t index, Pipe pipe, Cause cause) {
    return {cause, pipe, index, core.pipes[Index(pipe)].last};
  }

  void Busy(uint32_t core, Pipe pipe, const Event &event, double begin, double end, double stalled) {
    PipeSim &sim = cores_[core].pipes[Index(pipe)];
    result_.busy[Index(pipe)] += std::max(0.0, end - std::max(begin, sim.busy_until));
    sim.busy_until = std::max(sim.busy_until, end);
    sim.vacant = sim.free.time;
    sim.last = event.site;
    if (keep_slices_) {
      result_.slices.push_back({core, pipe, event.site, begin, end, uint64_t{event.row_bytes} * event.rows,
                                sim.waited, sim.wait, std::max(0.0, stalled)});
    }
  }

  void ScalarSlice(uint32_t index, const Event &event) {
    CoreSim &core = cores_[index];
    PipeSim &pipe = core.pipes[Index(Pipe::S)];
    const double now = core.now.time;
    pipe.free = core.now;
    NoteWait(index, Pipe::S, now, now);
    pipe.vacant = now + event.scalar;
    pipe.last = event.site;
    result_.slices.push_back({index, Pipe::S, event.site, now, pipe.vacant, 0, pipe.waited, pipe.wait, 0});
  }

  void Progress(uint32_t index) {
    worklist_.push_back(index);
    if (working_) return;
    working_ = true;
    while (!worklist_.empty()) {
      const uint32_t core = worklist_.back();
      worklist_.pop_back();
      if (!cores_[core].started) continue;
      while (Scalar(core) || Pipes(core)) {
      }
    }
    working_ = false;
  }

  bool Pipes(uint32_t index) {
    bool moved = false;
    for (int pipe = 0; pipe < kPipes; ++pipe) moved = RunPipe(index, static_cast<Pipe>(pipe)) || moved;
    return moved;
  }

  void SetToken(CoreSim *core, const Event &event, const Moment &moment) {
    const uint32_t token = event.token;
    if (core->tokens.size() <= token)
      core->tokens.resize(std::max<size_t>(token + 1, core->tokens.size() * 2), kUnknown);
    core->tokens[token] = moment;
    if (!keep_slices_) return;
    core->makers.resize(core->tokens.size());
    core->makers[token] = LastOf(*core, IndexOf(core), event.pipe, Cause::kFlag);
  }

  // Where the scalar unit or a pipe waits for the token of an event; null as long as the token is not there.
  static const Moment *TokenOf(const CoreSim &core, const Event &event) {
    if (event.token >= core.tokens.size() || core.tokens[event.token].time < 0) return nullptr;
    return &core.tokens[event.token];
  }

  static Wait MakerOf(const CoreSim &core, const Event &event) {
    return event.token < core.makers.size() ? core.makers[event.token] : Wait{Cause::kFlag};
  }

  uint32_t IndexOf(const CoreSim *core) const { return static_cast<uint32_t>(core - cores_.data()); }

  void SetPost(const CoreSim &core, const Event &event, const Moment &moment) {
    const uint32_t token = event.token;
    if (posts_.size() <= token) posts_.resize(token + 1);
    posts_[token] = {moment, LastOf(core, IndexOf(&core), event.pipe, Cause::kCrossCore)};
    for (uint32_t core = 0; core < cores_.size(); ++core) worklist_.push_back(core);
  }

  bool RunPipe(uint32_t index, Pipe which) {
    CoreSim &core = cores_[index];
    PipeSim &pipe = core.pipes[Index(which)];
    bool moved = false;
    while (!pipe.queue.empty() && !pipe.copying) {
      const Queued queued = pipe.queue.front();
      const Event &event = (*core.trace->events)[queued.event];
      const Moment start = Later(queued.ready, pipe.free);
      switch (event.kind) {
        case Event::kWork:
          if (keep_slices_) NoteWait(index, which, queued.ready.time, start.time);
          Work(index, which, event, start);
          break;
        case Event::kSet:
          SetToken(&core, event, Later(queued.ready, pipe.done));
          break;
        case Event::kPost:
          SetPost(core, event, Later(queued.ready, pipe.done));
          break;
        case Event::kWait:
          if (TokenOf(core, event) == nullptr) return moved;
          if (TokenOf(core, event)->time > start.time) pipe.held = MakerOf(core, event);
          pipe.free = Later(start, *TokenOf(core, event));
          break;
        case Event::kBarrier:
          if (pipe.done.time > start.time) pipe.held = LastOf(core, index, which, Cause::kBarrier);
          pipe.free = Later(start, pipe.done);
          break;
        case Event::kCopy:
          if (keep_slices_) NoteWait(index, which, queued.ready.time, start.time);
          pipe.copying = true;
          pipe.begun = start;
          pending_.push({start.time + model_.cost.copy_issue, index, which, queued.event});
          break;
        default:
          break;
      }
      pipe.queue.pop_front();
      moved = true;
    }
    return moved;
  }

  // Carries out an instruction that is no copy of GM.
  void Work(uint32_t index, Pipe which, const Event &event, const Moment &start) {
    const CostModel &cost = model_.cost;
    CoreSim &core = cores_[index];
    PipeSim &pipe = core.pipes[Index(which)];
    const ConstantGroup group = which == Pipe::V ? ConstantGroup::kVector : ConstantGroup::kCube;
    Cycles cycles = {event.cycles, event.cycles_off};
    // L1 serves MTE1 more slowly while MTE2 fills it.
    if (which == Pipe::MTE1 && core.pipes[Index(Pipe::MTE2)].copying) {
      cycles = {cycles.count * cost.l1_shared,
                (cycles.off + cycles.count * cost.l1_shared.doubt) * cost.l1_shared};
    }
    pipe.free = start;
    pipe.free.Pass(cycles, group);
    Moment done = pipe.free;
    const Constant &latency = which == Pipe::M ? cost.cube_latency : cost.local_copy_latency;
    done.Pass({event.latency, event.latency * latency.doubt}, group);
    pipe.done = Later(pipe.done, done);
    Busy(index, which, event, start.time, done.time, event.conflict);
  }

  // Runs S up to the event at which it has to wait.
  bool Scalar(uint32_t index) {
    CoreSim &core = cores_[index];
    const std::vector<Event> &events = *core.trace->events;
    bool moved = false;
    while (core.next < events.size()) {
      const Event &event = events[core.next];
      if (!core.charged) {
        if (keep_slices_ && event.scalar > 0) ScalarSlice(index, event);
        core.now.Pass({event.scalar, event.scalar_off}, ConstantGroup::kScalar);
        result_.busy[Index(Pipe::S)] += event.scalar;
        core.charged = true;
      }
      if (!ScalarStep(&core, event)) return moved;
      core.charged = false;
      ++core.next;
      moved = true;
    }
    if (!core.ended && Idle(core)) {
      core.ended = true;
      --running_;
      result_.busy[Index(Pipe::S)] += core.trace->tail.count;
      core.now.Pass(core.trace->tail, ConstantGroup::kScalar);
      slot_ = EndOf(core);
    }
    return moved;
  }

  static bool Idle(const CoreSim &core) {
    return std::all_of(std::begin(core.pipes), std::end(core.pipes),
                       [](const PipeSim &pipe) { return pipe.queue.empty() && !pipe.copying; });
  }

  static Moment EndOf(const CoreSim &core) {
    Moment end = core.now;
    for (const PipeSim &pipe : core.pipes) end = Later(end, pipe.done);
    return end;
  }

  // The scalar unit goes on at `until`.
  void Hold(CoreSim *core, const Moment &until, const Wait &wait) const {
    if (until.time <= core->now.time) return;
    core->now = until;
    if (keep_slices_) core->stalls.Add(until.time, wait);
  }

  // The instruction that ends last of all.
  Wait LatestOf(const CoreSim &core) const {
    const auto *latest =
        std::max_element(std::begin(core.pipes), std::end(core.pipes),
                         [](const PipeSim &a, const PipeSim &b) { return a.done.time < b.done.time; });
    return LastOf(core, IndexOf(&core), static_cast<Pipe>(latest - core.pipes), Cause::kBarrier);
  }

  bool ScalarStep(CoreSim *core, const Event &event) {
    const bool on_scalar = event.pipe == Pipe::S;
    switch (event.kind) {
      case Event::kDrain: {
        const PipeSim &pipe = core->pipes[Index(event.pipe)];
        if (!pipe.queue.empty() || pipe.copying) return false;
        Hold(core, pipe.done, LastOf(*core, IndexOf(core), event.pipe, Cause::kDrain));
        return true;
      }
      case Event::kBarrierAll:
        if (!Idle(*core)) return false;
        Hold(core, EndOf(*core), LatestOf(*core));
        return true;
      case Event::kMeet:
        return Meet(core, event.token);
      case Event::kTake: {
        for (const uint32_t post : deliveries_[event.token]) {
          if (post >= posts_.size() || posts_[post].moment.time < 0) return false;
          Hold(core, posts_[post].moment, posts_[post].maker);
        }
        return true;
      }
      case Event::kSet:
        if (!on_scalar) break;
        SetToken(core, event, core->now);
        return true;
      case Event::kPost:
        if (!on_scalar) break;
        SetPost(*core, event, core->now);
        return true;
      case Event::kWait:
        if (!on_scalar) break;
        if (TokenOf(*core, event) == nullptr) return false;
        Hold(core, *TokenOf(*core, event), MakerOf(*core, event));
        return true;
      case Event::kBarrier:
        if (!on_scalar) break;
        return true;
      default:
        break;
    }
    core->pipes[Index(event.pipe)].queue.push_back({static_cast<uint32_t>(core->next), core->now});
    return true;
  }

  bool Meet(CoreSim *core, uint32_t meeting) {
    if (!core->arrived) {
      core->arrived = true;
      ++arrivals_[meeting];
      meeting_times_[meeting] = Later(meeting_times_[meeting], core->now);
      if (arrivals_[meeting] >= meetings_[meeting]) {
        for (uint32_t other = 0; other < cores_.size(); ++other) worklist_.push_back(other);
      }
    }
    if (arrivals_[meeting] < meetings_[meeting]) return false;
    Hold(core, meeting_times_[meeting], {Cause::kMeeting});
    core->arrived = false;
    return true;
  }

  const DeviceModel &model_;
  const std::vector<std::vector<uint32_t>> &deliveries_;
  const std::vector<uint32_t> &meetings_;
  const bool keep_slices_;
  const uint32_t slots_;  // cores of the device that run this launch at a time
  L2Cache l2_;
  Bandwidth bandwidth_;
  std::vector<CoreSim> cores_;
  std::vector<uint32_t> arrivals_;
  std::vector<Moment> meeting_times_;
  std::vector<Post> posts_;
  std::priority_queue<PendingCopy, std::vector<PendingCopy>, std::greater<>> pending_;
  std::vector<uint32_t> worklist_;
  bool working_ = false;
  size_t next_start_ = 0;
  size_t running_ = 0;
  double now_ = 0;
  Moment slot_;  // of the last core that ended, or of the launch: another core may start then
  CostResult result_;
};

}  // namespace

CostResult Replay(const DeviceModel &model, const std::vector<CoreTrace> &cores,
                  const std::vector<uint32_t> &meetings, const std::vector<std::vector<uint32_t>> &deliveries,
                  const ReplayOptions &options) {
  return Simulation(model, cores, meetings, deliveries, options).Run();
}

}  // namespace sim
