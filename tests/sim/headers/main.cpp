// SPDX-License-Identifier: Apache-2.0
// small_kernels NAME BLOCKS COUNT TILE INDEX: runs one of the three kernels, with x = 0, 1, 2, … and y = 0,
// 3, 6, …, as floats for small_add and as int32 for the others. Prints x, y and out after the run, a line of
// numbers each, or on stderr why the kernel could not run, or its faults; then the exit code is 1.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "kernels.h"

namespace {

constexpr uint32_t kElements = 1 << 14;

template <typename T>
void Fill(void *memory, T step) {
  for (uint32_t i = 0; i < kElements; ++i) static_cast<T *>(memory)[i] = static_cast<T>(i) * step;
}

template <typename T>
void Print(const void *memory, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    std::printf("%.9g ", static_cast<double>(static_cast<const T *>(memory)[i]));
  std::printf("\n");
}

int Run(const sim::Kernel &kernel, uint32_t blocks, const SmallTiling &plan) {
  const bool floats = std::string(kernel.name) == "small_add";
  sim::DeviceMemory memory(uint64_t{1} << 24);
  std::vector<void *> args;
  for (int i = 0; i < 4; ++i) {
    args.push_back(memory.Allocate(kElements * 4));
    void *host = memory.Host(args.back());
    if (floats) {
      Fill<float>(host, i == 0 ? 1 : 3);
    } else {
      Fill<int32_t>(host, i == 0 ? 1 : 3);
    }
    if (i < 2) memory.MarkWritten(args.back(), kElements * 4);
  }
  const sim::Report report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), kernel, blocks, 0,
                                         args, &plan, sizeof(plan), sim::LaunchOptions::FromEnvironment());
  for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
  for (int i = 0; i < 3; ++i) {
    (floats ? Print<float> : Print<int32_t>)(memory.Host(args[i]), blocks * plan.count);
  }
  std::printf("%s\n", report.Json().c_str());
  return report.ok() ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  auto number = [argv](int i) { return static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10)); };
  try {
    for (const sim::Kernel &kernel : kSmallKernels) {
      if (std::string(kernel.name) == argv[1])
        return Run(kernel, number(2), {number(3), number(4), number(5)});
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 2;
}
