// SPDX-License-Identifier: Apache-2.0
// sim_scalar --list: prints the names of all cases.
// sim_scalar --run NAME: runs one case; the exit code is 0 where its report is as it must be, else 1.
// sim_scalar --decode: for each line of hexadecimal digits prints what ReadInstruction understands.
// sim_scalar --host HANDLER: runs a kernel, then lets the host access address 64, with a handler of its own
// that ends
//     the program with code 42; HANDLER: none, before (the kernel runs), after, restores (the handler that
//     was there).
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "cases.h"
#include "compiler/x86_instruction.h"
#include "engine/kernel_libraries.h"
#include "engine/launch.h"

std::atomic<int> fault_line{0};

namespace {

constexpr uint64_t kBytes = kFloats * sizeof(float);

void Nothing(void *) {}
void (*running)(void *const *) = nullptr;
void Invoke(void *const *args) { running(args); }
void NeverCalled(void *const *) { std::abort(); }

struct Outcome {
  sim::Report report;
  std::vector<float> output = std::vector<float>(kFloats);
};

Outcome Launch(const ScalarCase &one) {
  running = one.kernel;
  const sim::Kernel kernel = {"scalar", Invoke, sim::KernelType::kVector};
  sim::RegisterKernels({&kernel, 1, false, Nothing, HEADER_FOLDERS, SIMULATOR_HEADER, one.marked});
  sim::DeviceMemory memory(uint64_t{1} << 24);
  std::vector<void *> buffers = {memory.Allocate(kBytes), memory.Allocate(kBytes)};
  std::vector<float> input(kFloats);
  for (uint32_t i = 0; i < kFloats; ++i) input[i] = static_cast<float>(i);
  std::memcpy(memory.Host(buffers[0]), input.data(), kBytes);
  memory.MarkWritten(buffers[0], kBytes);
  sim::LaunchOptions options;
  options.auto_sync = !one.strict;
  options.threads = 2;
  Outcome outcome;
  outcome.report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"),
                               {"scalar", NeverCalled, sim::KernelType::kVector}, one.blocks, 0, buffers,
                               nullptr, 0, options);
  std::memcpy(outcome.output.data(), memory.Host(buffers[1]), kBytes);
  return outcome;
}

const ScalarCase *Find(const char *name) {
  for (const ScalarCase &one : ScalarCases()) {
    if (std::strcmp(one.name, name) == 0) return &one;
  }
  return nullptr;
}

bool Reported(const ScalarCase &one, const sim::Report &report) {
  std::vector<std::string> wanted = one.texts;
  wanted.push_back("kernels.cpp:" + std::to_string(fault_line) + " ");
  for (const sim::Fault &fault : report.faults) {
    bool all = true;
    for (const std::string &text : wanted) all = all && fault.text.find(text) != std::string::npos;
    if (all) return true;
  }
  for (const std::string &text : wanted) std::printf("expected in one report: %s\n", text.c_str());
  return false;
}

bool Check(const ScalarCase &one) {
  const auto [report, output] = Launch(one);
  for (const sim::Fault &fault : report.faults) std::printf("%s\n", fault.text.c_str());
  if (one.accesses != 0 && report.scalar_accesses != one.accesses) {
    std::printf("scalar accesses: %llu\n", static_cast<unsigned long long>(report.scalar_accesses));
    return false;
  }
  if (!one.texts.empty()) return report.faults.size() == one.reports && Reported(one, report);
  if (std::strncmp(one.name, "copies", 6) == 0) {
    if (report.ub_peak_bytes != kBytes) return false;
    for (uint32_t i = 0; i < kFloats; ++i) {
      if (output[i] != static_cast<float>(i + 1)) return false;
    }
  }
  return report.ok();
}

int Decode() {
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<uint8_t> code;
    for (size_t i = 0; i + 1 < line.size(); i += 2) {
      code.push_back(static_cast<uint8_t>(std::strtoul(line.substr(i, 2).c_str(), nullptr, 16)));
    }
    code.resize(code.size() + 16);
    const sim::MemoryInstruction out = sim::ReadInstruction(code.data());
    std::printf("%u %u %d %d\n", out.length, out.bytes, out.reads ? 1 : 0, out.writes ? 1 : 0);
  }
  return 0;
}

struct sigaction found;

// As Python's faulthandler: it says something, puts back what was there, and lets the access trap again.
void Restore(int signal, siginfo_t *, void *) { sigaction(signal, &found, nullptr); }

int AccessOfHost(const std::string &handler) {
  const auto install = [] { std::signal(SIGSEGV, [](int) { std::_Exit(42); }); };
  if (handler == "before") install();
  if (!Check(*Find("copies"))) return 1;
  if (handler == "after" || handler == "restores") {
    struct sigaction restore{};
    restore.sa_sigaction = Restore;
    restore.sa_flags = SA_SIGINFO;
    if (handler == "after") install();
    if (handler == "restores") sigaction(SIGSEGV, &restore, &found);
    if (!Check(*Find("copies"))) return 1;
  }
  volatile uintptr_t address = 64;
  return *reinterpret_cast<volatile int *>(address);
}

}  // namespace

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--list") {
    for (const ScalarCase &one : ScalarCases()) std::printf("%s\n", one.name);
    return 0;
  }
  if (mode == "--decode") return Decode();
  if (mode == "--host" && argc == 3) return AccessOfHost(argv[2]);
  if (mode != "--run" || argc != 3 || Find(argv[2]) == nullptr) {
    std::fprintf(stderr,
                 "usage: sim_scalar --list | --run NAME | --decode | --host none|before|after|restores\n");
    return 2;
  }
  return Check(*Find(argv[2])) ? 0 : 1;
}
