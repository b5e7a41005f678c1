// SPDX-License-Identifier: Apache-2.0
// Blocks that hand data to each other, ordered by intrinsics alone. Each writes 32 bytes of its number to
// global memory and reads those of the next block. sim_meetings NAME BLOCKS prints the report and the numbers
// that were read.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "compiler/intrinsics.h"
#include "engine/launch.h"
#include "kernel_tensor.h"

namespace {

constexpr uint32_t kWords = 8;                              // 32 bytes
constexpr uint64_t kOwn = 0, kNext = 32, kCounters = 1024;  // in UB
uint8_t *numbers, *read_back, *counters;
std::string name;

void *At(uint64_t address) { return reinterpret_cast<void *>(address); }
AscendC::LocalTensor<int32_t> Words(uint64_t address, uint32_t count) {
  return {AscendC::TPosition::VECCALC, static_cast<uint32_t>(address), count};
}
void Order(pipe_t from, pipe_t to) {
  set_flag(from, to, EVENT_ID0);
  wait_flag(from, to, EVENT_ID0);
}
void Write(uint8_t *to, uint64_t from) { copy_ubuf_to_gm(to, At(from), 0, 1, 1, 0, 0); }
void Read(uint64_t to, uint8_t *from, uint32_t blocks = 1) {
  copy_gm_to_ubuf(At(to), from, 0, 1, blocks, 0, 0);
}

// A flag of mode 0 that all cores set and wait for.
void MeetByFlag() {
  pipe_barrier(PIPE_ALL);
  ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 14 << 8);
  wait_flag_dev(14);
}

// Counts up the word of this core until all cores have done so, as SyncAll with workspaces does.
void MeetByCounters() {
  const auto blocks = static_cast<uint32_t>(get_block_num());
  uint8_t *own = counters + get_block_idx() * 32;
  __sync_all_stub(0, true);
  pipe_barrier(PIPE_ALL);
  Read(kCounters, own);
  Order(PIPE_MTE2, PIPE_S);
  const int32_t count = Words(kCounters, kWords).GetValue(0) + 1;
  Words(kCounters, kWords).SetValue(0, count);
  Order(PIPE_S, PIPE_MTE3);
  Write(own, kCounters);
  Order(PIPE_MTE3, PIPE_MTE2);
  for (uint32_t ready = 0; ready < blocks;) {
    Read(kCounters, counters, blocks);
    Order(PIPE_MTE2, PIPE_S);
    Write(own, kCounters + get_block_idx() * 32);  // the same words once more
    ready = 0;
    for (uint32_t block = 0; block < blocks; ++block) {
      ready += Words(kCounters, blocks * kWords).GetValue(block * kWords) >= count ? 1 : 0;
    }
    Order(PIPE_S, PIPE_MTE2);
  }
  __sync_all_stub(0, true);
}

void PassFlag(void (*stub)(int32_t, int32_t, bool), int64_t block) {
  stub(static_cast<int32_t>(block), 0, true);
  pipe_barrier(PIPE_ALL);
  stub(static_cast<int32_t>(block), 0, true);
}

void Run(void *const *) {
  const int64_t block = get_block_idx(), next = (block + 1) % get_block_num();
  for (uint32_t i = 0; i < kWords; ++i) Words(kOwn, kWords).SetValue(i, static_cast<int32_t>(block));
  Order(PIPE_S, PIPE_MTE3);
  Write(numbers + block * 32, kOwn);
  const bool absent = name.find("absent") != std::string::npos && block == 0;
  if (name.find("flag") == 0 && !absent) MeetByFlag();
  if (name.find("counters") == 0 && !absent) {
    MeetByCounters();
    MeetByCounters();
  }
  if (name.find("pass") == 0) {
    if (!absent) PassFlag(__ib_set_stub, block);
    PassFlag(__ib_wait_stub, next);
  }
  Read(kNext, numbers + next * 32);
  Order(PIPE_MTE2, PIPE_MTE3);
  Write(read_back + block * 32, kNext);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  name = argv[1];
  const auto blocks = static_cast<uint32_t>(std::atoi(argv[2]));
  sim::DeviceMemory memory(uint64_t{1} << 20);
  const auto allocate = [&](bool written) {
    void *device = memory.Allocate(blocks * 32);
    if (written) memory.MarkWritten(device, blocks * 32);
    std::fill_n(memory.Host(device), blocks * 32, std::byte{0});
    return static_cast<uint8_t *>(device);
  };
  // A block that reads what nobody wrote ends there, and then nobody reports that others wait for it. Where a
  // block does not come, the numbers count as written, so that the order of blocks does not decide.
  numbers = allocate(name.find("absent") != std::string::npos);
  read_back = allocate(false);
  counters = allocate(true);
  sim::Kernel kernel;
  kernel.name = argv[1];
  kernel.invoke = Run;
  kernel.type = sim::KernelType::kVector;
  const sim::Report report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), kernel, blocks, 0, {},
                                         nullptr, 0, sim::LaunchOptions());
  std::printf("%s\n", report.Json().c_str());
  for (uint32_t block = 0; block < blocks; ++block) {
    std::printf("%d ", *reinterpret_cast<const int32_t *>(memory.Host(read_back + block * 32)));
  }
  return 0;
}
