// SPDX-License-Identifier: Apache-2.0
// Kernels that do not end. test_faults.py runs them with small budgets.
#include <csignal>

#include "engine/kernel_run.h"
#include "harness.h"
#include "twice_plus.h"

using namespace AscendC;

namespace {

GlobalTensor<float> Floats(GM_ADDR address) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(address), kTile);
  return tensor;
}

void Spins(const Arguments &) {
  volatile bool done = false;
  FAULT_HERE;
  while (!done) continue;
}

void Polls(const Arguments &arguments) {
  const auto self = Floats(arguments.self);
  FAULT_HERE;
  while (self.GetValue(0) == 0.0f) continue;
}

// A busy host counts the time of a thread in leaps: the timer then comes twice with no instruction between.
void PollsWhileTheTimerComesTwice(const Arguments &arguments) {
  const auto self = Floats(arguments.self);
  raise(sim::TimerSignal());
  self.GetValue(0);
  raise(sim::TimerSignal());
  raise(sim::TimerSignal());
  FAULT_HERE;
  while (self.GetValue(0) == 0.0f) continue;
}

void PollsByPointer(const Arguments &arguments) {
  const auto self = reinterpret_cast<volatile __gm__ float *>(arguments.self);
  FAULT_HERE;
  while (*self == 0.0f) continue;
}

void ComputesForEver(const Arguments &) {
  const LocalTensor<float> x(TPosition::VECCALC, 0, kTile);
  volatile bool done = false;
  while (!done) {
    FAULT_HERE;
    Duplicate(x, 1.0f, kTile);
  }
}

void WritesForEver(const Arguments &) {
  const LocalTensor<float> x(TPosition::VECCALC, 0, kTile);
  volatile bool done = false;
  while (!done) {
    FAULT_HERE;
    x.SetValue(0, 1.0f);
  }
}

// The others wait for a block that does not come.
void OneSpins(const Arguments &arguments) {
  if (GetBlockIdx() == 1) Spins(arguments);
  SyncAll();
}

void CorrectLongLoop(const Arguments &) {
  const LocalTensor<float> x(TPosition::VECCALC, 0, kTile);
  for (int i = 0; i < 19000; ++i) Duplicate(x, 1.0f, 64);
}

// It reads for longer than a core may that does nothing else.
void CorrectReadsBetweenWork(const Arguments &arguments) {
  const auto self = Floats(arguments.self);
  const LocalTensor<float> x(TPosition::VECCALC, 0, kTile);
  for (int round = 0; round < 3000; ++round) {
    for (int i = 0; i < 500; ++i) self.GetValue(i);
    Duplicate(x, 1.0f, 64);
  }
}

// The time of a core runs out between two of its reads, and it gets on a few reads later.
void CorrectReadsAsTheTimerComesTwice(const Arguments &arguments) {
  const auto self = Floats(arguments.self);
  const LocalTensor<float> x(TPosition::VECCALC, 0, kTile);
  for (int round = 0; round < 3; ++round) {
    self.GetValue(0);
    raise(sim::TimerSignal());
    raise(sim::TimerSignal());
    for (int i = 0; i < 500; ++i) self.GetValue(i);
    Duplicate(x, 1.0f, 64);
  }
}

// Each block tells the other one that it is there, and waits for it: with one thread of the host too. Nothing
// but the words in GM orders them, which is another fault.
void PollEachOther(const Arguments &arguments) {
  constexpr uint32_t kLine = 16;
  const auto self = Floats(arguments.self);
  self.SetValue(GetBlockIdx() * kLine, 1.0f);
  while (self.GetValue((1 - GetBlockIdx()) * kLine) == 0.0f) continue;
}

}  // namespace

const std::vector<FaultCase> &EndlessCases() {
  using K = sim::FaultKind;
  const std::vector<std::string> reads = {"GetValue (", "the kernel does not end", "has only read for 0.3 s",
                                          "AVO_SIM_TIMEOUT"};
  static const std::vector<FaultCase> cases = {
      {"endless_spin",
       K::kEndless,
       Spins,
       {"kernel (endless_cases.cpp:", " Spins)", "has issued nothing for 0.3 s", "AVO_SIM_TIMEOUT"}},
      {"endless_poll", K::kEndless, Polls, reads},
      {"endless_poll_timer_twice", K::kEndless, PollsWhileTheTimerComesTwice, reads},
      {"endless_poll_by_pointer", K::kEndless, PollsByPointer, reads},
      {"endless_work",
       K::kEndless,
       ComputesForEver,
       {"Duplicate (", "has issued 20000 instructions", "AVO_SIM_INSTRUCTIONS"}},
      {"endless_writes", K::kEndless, WritesForEver, {"SetValue (", "has issued 20000 instructions"}},
      {"endless_one_of_many", K::kEndless, OneSpins, {"block 1: kernel (endless_cases.cpp:"}, 4},
      {"endless_not_correct_long_loop", K::kOther, CorrectLongLoop, {}},
      {"endless_poll_not_correct_reads_between_work", K::kOther, CorrectReadsBetweenWork, {}},
      {"endless_poll_not_correct_timer_twice", K::kOther, CorrectReadsAsTheTimerComesTwice, {}},
      {"poll_each_other",
       K::kBlockConflict,
       PollEachOther,
       {"GetValue", "SetValue"},
       2,
       false,
       sim::KernelType::kVector,
       1},
  };
  return cases;
}
