// SPDX-License-Identifier: Apache-2.0
// Vector instructions whose results lie on their sources where AscendC allows it. Prints a line for each
// case: its name, and the tensor afterwards as numbers of its type.
#include <cstdio>
#include <vector>

#include "engine/launch.h"
#include "kernel_operator.h"

using AscendC::LocalTensor;
using AscendC::RoundMode;

namespace {

constexpr uint32_t kBytes = 4096;

// The tensor of a case, and another one. Element i of both is i % 97 + 1.
template <typename T>
struct Tensors {
  LocalTensor<T> t, x;
};

void (*running)(GM_ADDR);

// Fills the tensors, runs `compute` on them and copies the first one to global memory.
template <typename T, void (*compute)(const Tensors<T> &)>
void Run(GM_ADDR out) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, 2 * kBytes);
  const uint32_t count = kBytes / sizeof(T);
  const Tensors<T> tensors{buffer.Get<T>(count), buffer.GetWithOffset<T>(count, kBytes)};
  for (uint32_t i = 0; i < 2 * count; ++i) {
    (i < count ? tensors.t : tensors.x)
        .SetValue(i % count, static_cast<T>(static_cast<int>(i % count % 97 + 1)));
  }
  AscendC::PipeBarrier<PIPE_ALL>();
  compute(tensors);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::GlobalTensor<T> global;
  global.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), count);
  AscendC::DataCopy(global, tensors.t, count);
}

template <typename T>
void EarlierRepeat(const Tensors<T> &s) {
  constexpr uint32_t kLanes = 256 / sizeof(T);
  AscendC::Adds(s.t, s.t[kLanes], static_cast<T>(3), static_cast<int32_t>(3 * kLanes - 5));
}
void InPlace(const Tensors<float> &s) { AscendC::Mul(s.t, s.t, s.t, 250); }
void Sum(const Tensors<float> &s) { AscendC::Add(s.t, s.x, s.t, uint64_t{64}, 5, {1, 1, 1, 0, 8, 0}); }
void FromFirst(const Tensors<float> &s) { AscendC::Add(s.t, s.x, s.t, uint64_t{64}, 4, {1, 1, 1, 8, 8, 0}); }
void Narrow(const Tensors<float> &s) {
  AscendC::Cast(s.t.ReinterpretCast<half>(), s.t, RoundMode::CAST_NONE, 700);
}
void Widen(const Tensors<half> &s) {
  AscendC::Cast(s.t.ReinterpretCast<float>(), s.t[112], RoundMode::CAST_NONE, 112);
}
void Blocks(const Tensors<float> &s) { AscendC::BlockReduceSum(s.t, s.t, 5, 64, 1, 1, 8); }
void Pairs(const Tensors<float> &s) { AscendC::PairReduceSum(s.t, s.t, 5, 64, 1, 1, 8); }
void Pack(const Tensors<float> &s) {
  uint64_t kept = 0;
  AscendC::GatherMask(s.t, s.t, 1, false, 0, {1, 7, 8, 0}, kept);
}
void Bits(const Tensors<float> &s) {
  AscendC::Compares(s.t.ReinterpretCast<uint8_t>(), s.t, 50.0F, AscendC::CMPMODE::LT, 640);
}

// Runs a case and prints it.
template <typename T>
void Print(const char *name, void (*kernel)(GM_ADDR)) {
  running = kernel;
  sim::DeviceMemory memory(uint64_t{1} << 20);
  std::vector<void *> buffers{memory.Allocate(kBytes)};
  const auto invoke = [](void *const *args) { running(static_cast<GM_ADDR>(args[0])); };
  const sim::Report report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), {"overlaps", invoke},
                                         1, 0, buffers, nullptr, 0, {});
  for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
  std::printf("%s", name);
  const auto *values = reinterpret_cast<const T *>(memory.Host(buffers[0]));
  for (uint32_t i = 0; i < kBytes / sizeof(T); ++i) std::printf(" %g", static_cast<double>(values[i]));
  std::printf("\n");
}

}  // namespace

int main() {
  Print<float>("earlier_repeat_float32", Run<float, EarlierRepeat>);
  Print<half>("earlier_repeat_float16", Run<half, EarlierRepeat>);
  Print<int16_t>("earlier_repeat_int16", Run<int16_t, EarlierRepeat>);
  Print<int32_t>("earlier_repeat_int32", Run<int32_t, EarlierRepeat>);
  Print<float>("in_place", Run<float, InPlace>);
  Print<float>("sum", Run<float, Sum>);
  Print<float>("from_first", Run<float, FromFirst>);
  Print<half>("narrow", Run<float, Narrow>);
  Print<float>("widen", Run<half, Widen>);
  Print<float>("blocks", Run<float, Blocks>);
  Print<float>("pairs", Run<float, Pairs>);
  Print<float>("pack", Run<float, Pack>);
  Print<uint8_t>("bits", Run<float, Bits>);
}
