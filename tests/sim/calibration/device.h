// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of published measurements on the cycle model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/launch.h"
#include "kernel_operator.h"

namespace calibration {

// A time in microseconds of each thing that is published: the task, a core, and the busy time of a core's
// pipes.
struct Times {
  double task = 0;
  double least = 0;  // the range of the task's time
  double most = 0;
  double core = 0;
  double pipes[sim::kPipes] = {};

  Times &operator+=(const Times &other);
  Times operator*(double factor) const;
};

// Constants of the cycle model by name, for those who fit them.
std::map<std::string, sim::Constant sim::CostModel::*> Constants();

class Device {
 public:
  using Kernel = void (*)(void *const *);

  // `settings`: values of constants that replace those of the device's description.
  Device(const std::string &soc, bool warm, const std::map<std::string, double> &settings);

  // Runs a kernel on tensors of so many bytes each, which hold half(1), and releases them.
  Times Run(Kernel kernel, uint32_t blocks, const std::vector<uint64_t> &tensors, const void *tiling,
            size_t tiling_bytes, sim::KernelType type = sim::KernelType::kVector);
  template <typename Tiling>
  Times Run(Kernel kernel, uint32_t blocks, const std::vector<uint64_t> &tensors, const Tiling &tiling,
            sim::KernelType type = sim::KernelType::kVector) {
    return Run(kernel, blocks, tensors, &tiling, sizeof(tiling), type);
  }

  bool failed = false;   // a run had a fault
  bool hazards = false;  // with the edges that auto-sync adds; kernels with scalar accesses need them

 private:
  sim::DeviceModel model_;
  sim::DeviceMemory memory_;
  const bool warm_;
};

using Case = std::function<Times(Device &)>;
using Cases = std::map<std::string, Case>;
void AddVectorCases(Cases *cases);
void AddCopyCases(Cases *cases);
void AddProductCases(Cases *cases);

// A kernel's time is linear in its rounds behind the first ones: run(rounds) with few of them stands for all.
template <typename Run>
Times Extended(Run &&run, uint32_t few, uint32_t all) {
  const Times once = run(few);
  Times times = run(2 * few), more = times;
  more += once * -1;
  times += more * (static_cast<double>(all) / few - 2);
  return times;
}

// Calls a __global__ function of so many arguments, the tiling included.
template <auto kKernel, size_t... kIndex>
void CallWith(void *const *args, std::index_sequence<kIndex...>) {
  kKernel(static_cast<GM_ADDR>(args[kIndex])...);
}
template <auto kKernel, size_t kArguments>
void Call(void *const *args) {
  CallWith<kKernel>(args, std::make_index_sequence<kArguments>());
}

}  // namespace calibration
