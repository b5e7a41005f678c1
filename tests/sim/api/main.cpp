// SPDX-License-Identifier: Apache-2.0
// Reads a case from standard input, runs it as a kernel of one block, writes its report and its buffers.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>

#include "case.h"
#include "engine/launch.h"
#ifdef SIM_CANN_HEADERS
#include "compiler/kernel_library.h"
#endif

std::vector<Entry> &Entries() {
  static std::vector<Entry> entries;
  return entries;
}

namespace {

Case current;

uint64_t AlignUp(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

void Run(void *const *args) {
  using namespace AscendC;
#ifdef SIM_CANN_HEADERS
  // Some functions of vector cores take event ids of it. Cases of cube cores that need one make it
  // themselves.
  [[maybe_unused]] std::conditional_t<g_coreType == AIC, int, TPipe> pipe;
#endif
  for (size_t i = 0; i < current.buffers.size(); ++i) {
    current.gm[i] = static_cast<uint8_t *>(args[i]);
    if (current.buffers[i].load && current.buffers[i].bytes > 0) {
      // In whole data blocks, as the copy also writes padding.
      const Buffer &buffer = current.buffers[i];
      const auto blocks = LocalAt<uint8_t>(TPosition::VECCALC, static_cast<uint32_t>(buffer.address),
                                           static_cast<uint32_t>(::AlignUp(buffer.bytes, 32)));
      DataCopyPad(blocks, current.Global<uint8_t>(i), DataCopyExtParams(1, current.buffers[i].bytes, 0, 0, 0),
                  DataCopyPadExtParams<uint8_t>());
    }
  }
  PipeBarrier<PIPE_ALL>();
  for (const Entry &entry : Entries()) {
    if (current.name == entry.name) {
      entry.run(current);
    }
  }
  PipeBarrier<PIPE_ALL>();
  SetAtomicNone();
  for (size_t i = 0; i < current.buffers.size(); ++i) {
    if (current.buffers[i].store && current.buffers[i].bytes > 0) {
      DataCopyPad(current.Global<uint8_t>(i), current.Tensor<uint8_t>(i),
                  DataCopyExtParams(1, current.buffers[i].bytes, 0, 0, 0));
    }
  }
}

#ifdef SIM_CANN_HEADERS
// CANN's headers are compiled for one kind of core at a time, so that there is a program for vector cores and
// one for cube cores. This one runs the cases of its own kind.
bool Runs(const sim::Kernel &kernel) {
  constexpr bool kCube = g_coreType == AscendC::AIC;
  sim::RegisterKernels({&kernel, 1, kCube, sim::SetWorkspace});
  return kernel.type == (kCube ? sim::KernelType::kCube : sim::KernelType::kVector);
}
#else
bool Runs(const sim::Kernel &) { return true; }
#endif

}  // namespace

// Standard input: a line "name dtype dtype2 form", lines of ints, floats and "bytes load store" per buffer,
// each with its length first, then the bytes. Standard output: two lines of JSON, the report and the
// recording, then the bytes.
int main() {
  std::string line;
  const auto next = [&line] {
    std::getline(std::cin, line);
    return std::istringstream(line);
  };
  next() >> current.name >> current.dtype >> current.dtype2 >> current.form;
  const auto &entries = Entries();
  const auto entry = std::find_if(entries.begin(), entries.end(),
                                  [](const Entry &other) { return current.name == other.name; });
  if (entry == entries.end()) {
    std::fprintf(stderr, "sim_api has no case %s\n", current.name.c_str());
    return 2;
  }
  size_t count = 0;
  auto ints = next();
  ints >> count;
  current.ints.resize(count);
  for (int64_t &value : current.ints) {
    uint64_t bits = 0;
    ints >> bits;
    value = static_cast<int64_t>(bits);
  }
  auto floats = next();
  floats >> count;
  current.floats.resize(count);
  for (double &value : current.floats) {
    std::string text;
    floats >> text;
    value = std::stod(text);
  }
  next() >> count;
  uint64_t address = 0;
  for (size_t i = 0; i < count; ++i) {
    Buffer buffer;
    next() >> buffer.bytes >> buffer.load >> buffer.store;
    buffer.address = address;
    address += AlignUp(buffer.bytes, 256) + 256;
    current.buffers.push_back(buffer);
  }
  current.gm.resize(count);
  sim::DeviceMemory memory(uint64_t{64} << 20);
  std::vector<void *> args;
  for (const Buffer &buffer : current.buffers) {
    void *device = memory.Allocate(std::max<uint64_t>(buffer.bytes, 32));
    std::cin.read(reinterpret_cast<char *>(memory.Host(device)), static_cast<std::streamsize>(buffer.bytes));
    memory.MarkWritten(device, buffer.bytes);
    args.push_back(device);
  }
  sim::Kernel kernel;
  kernel.name = current.name.c_str();
  kernel.invoke = Run;
  kernel.type = entry->type;
  if (!Runs(kernel)) return 3;
  sim::LaunchOptions options;
  options.record = sim::LaunchOptions::Record::kLines;
  const sim::Report report =
      sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), kernel, 1, 0, args, nullptr, 0, options);
  std::cout << report.Json() << "\n" << report.recording << "\n";
  for (size_t i = 0; i < count; ++i) {
    std::cout.write(reinterpret_cast<const char *>(memory.Host(args[i])),
                    static_cast<std::streamsize>(current.buffers[i].bytes));
  }
  return 0;
}
