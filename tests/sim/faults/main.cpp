// SPDX-License-Identifier: Apache-2.0
// sim_faults --list: prints the names of all cases.
// sim_faults --run NAME: runs one case; the exit code is 0 where its report is as it must be, else 1.
// sim_faults --outside: calls the API where no kernel runs, which ends the process.
// sim_faults --late: runs the correct kernel after hours on the clock of the cycle model.
// sim_faults --polls: prints the cycles of a core that polls a word 1, 2 and 300 times, with and without
// work.
#include <cstdio>
#include <cstring>
#include <map>
#include <thread>

#include "harness.h"
#include "twice_plus.h"

std::atomic<int> fault_line{0};

namespace {

constexpr uint64_t kBytes = uint64_t{4} * kTile * kTiles * sizeof(float);

std::map<std::string, FaultCase> AllCases() {
  std::map<std::string, FaultCase> all;
  for (const auto *cases :
       {&LegalityCases(), &QueueCases(), &OrderCases(), &CubeCases(), &CallCases(), &PlainCases(),
        &OverlapCases(), &AtomicCases(), &IntrinsicCases(), &FlagCases(), &SharedCases(), &CacheCases(),
        &EndlessCases(), &ValueCases(), &LateCases(), &PaddingCases(), &UnusedCases()}) {
    for (const FaultCase &one : *cases) all.emplace(one.name, one);
  }
  return all;
}

void (*running)(const Arguments &) = nullptr;

void Invoke(void *const *args) {
  running({static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]), static_cast<GM_ADDR>(args[2]),
           static_cast<GM_ADDR>(args[3]), static_cast<GM_ADDR>(args[4])});
}

sim::Report Launch(const FaultCase &one,
                   const sim::DeviceModel &model = sim::DeviceModel::Find("Ascend910B1")) {
  sim::DeviceMemory memory(uint64_t{1} << 24);
  std::vector<void *> buffers;
  // As aclrtMalloc does, for the results.
  for (const uint64_t padding : {0, 0, 32, 0, 0}) buffers.push_back(memory.Allocate(kBytes, 512, padding));
  for (const int defined : {0, 1}) {
    std::memset(memory.Host(buffers[defined]), 0, kBytes);
    memory.MarkWritten(buffers[defined], kBytes);
  }
  sim::LaunchOptions options = sim::LaunchOptions::FromEnvironment();
  options.auto_sync = !one.strict;
  options.threads = one.threads;
  options.seed = 7;
  running = one.kernel;
  return sim::Launch(memory, model, {"twice_plus", Invoke, one.type}, one.blocks, 0, buffers, nullptr, 0,
                     options);
}

// Block 1 reads a word, works, and reads the word until block 0 has written it, which happens when block 1
// has asked so many times. The work is a barrier, or so many writes of the scalar unit.
std::atomic<int> least_polls{0}, polls{0}, writes{0};

void PollAfterWork(const Arguments &arguments) {
  const auto word = reinterpret_cast<uint64_t>(arguments.self);
  const auto ask = [word] {
    return sim::ScalarLoad<int32_t>(sim::Space::GM, word, 0, sim::Where::Here(), false);
  };
  if (AscendC::GetBlockIdx() == 0) {
    while (polls < least_polls) std::this_thread::yield();
    sim::ScalarStore<int32_t>(sim::Space::GM, word, 0, 6, sim::Where::Here(), false);
    return;
  }
  ask();
  for (int i = 0; i < writes; ++i)
    sim::ScalarStore<int32_t>(sim::Space::UB, 0, sizeof(int32_t), i, sim::Where::Here());
  if (writes == 0) AscendC::PipeBarrier<PIPE_V>();
  while (ask() != 6) ++polls;
}

void PrintCyclesOfPolls() {
  FaultCase one{"polls", sim::FaultKind::kOther, PollAfterWork, {}};
  one.blocks = 2;
  for (const auto &[work, count] : {std::pair(0, 1), {0, 2}, {0, 300}, {1000, 1}, {1000, 300}}) {
    polls = 0;
    writes = work;
    least_polls = count;
    const sim::Report report = Launch(one);
    std::printf("%d writes, %d polls: %.3f cycles, %zu faults\n", work, count, report.cycles,
                report.faults.size());
  }
}

// Says whether one fault of the report has all that the case expects; prints what is missing.
bool Check(const FaultCase &one, const sim::Report &report) {
  for (const sim::Fault &fault : report.faults) std::printf("%s\n", fault.text.c_str());
  const bool correct = one.kind == sim::FaultKind::kOther && one.texts.empty();
  if (correct) return report.faults.empty();
  for (const sim::Fault &fault : report.faults) {
    if (*one.absent == '\0' || fault.text.find(one.absent) == std::string::npos) continue;
    std::printf("expected in no report: %s\n", one.absent);
    return false;
  }
  std::vector<std::string> wanted = one.texts;
  wanted.push_back(std::string(sim::FaultName(one.kind)) + ": kernel twice_plus, block ");
  wanted.push_back("[seed 7]");
  if (fault_line != 0) wanted.push_back("_cases.cpp:" + std::to_string(fault_line));
  for (const sim::Fault &fault : report.faults) {
    bool all = fault.kind == one.kind;
    for (const std::string &text : wanted) all = all && fault.text.find(text) != std::string::npos;
    if (all) return true;
  }
  for (const std::string &text : wanted) std::printf("expected in one report: %s\n", text.c_str());
  return false;
}

}  // namespace

int main(int argc, char **argv) {
  const auto cases = AllCases();
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto &[name, one] : cases) std::printf("%s\n", name.c_str());
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--outside") == 0) AscendC::PipeBarrier<PIPE_V>();
  if (argc == 2 && std::strcmp(argv[1], "--late") == 0) {
    sim::DeviceModel model = sim::DeviceModel::Find("Ascend910B1");
    model.cost.startup.value = 1e13;
    const sim::Report report = Launch(cases.at("correct"), model);
    return report.ok() && report.cycles > 0.99 * model.cost.startup ? 0 : 1;
  }
  if (argc == 2 && std::strcmp(argv[1], "--polls") == 0) {
    PrintCyclesOfPolls();
    return 0;
  }
  if (argc != 3 || std::strcmp(argv[1], "--run") != 0 || cases.count(argv[2]) == 0) {
    std::fprintf(stderr, "usage: sim_faults --list | --run NAME | --outside | --late | --polls\n");
    return 2;
  }
  const FaultCase &one = cases.at(argv[2]);
  return Check(one, Launch(one)) ? 0 : 1;
}
