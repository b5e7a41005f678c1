// SPDX-License-Identifier: Apache-2.0
// sim_faults --list: prints the names of all cases.
// sim_faults --run NAME: runs one case; the exit code is 0 where its report is as it must be, else 1.
// sim_faults --outside: calls the API where no kernel runs, which ends the process.
// sim_faults --late: runs the correct kernel after hours on the clock of the cycle model.
#include <cstdio>
#include <cstring>
#include <map>

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
        &EndlessCases(), &ValueCases(), &LateCases(), &PaddingCases()}) {
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
    model.cost.startup = 1e13;
    const sim::Report report = Launch(cases.at("correct"), model);
    return report.ok() && report.cycles > 0.99 * model.cost.startup ? 0 : 1;
  }
  if (argc != 3 || std::strcmp(argv[1], "--run") != 0 || cases.count(argv[2]) == 0) {
    std::fprintf(stderr, "usage: sim_faults --list | --run NAME | --outside | --late\n");
    return 2;
  }
  const FaultCase &one = cases.at(argv[2]);
  return Check(one, Launch(one)) ? 0 : 1;
}
