// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace calibration {

Times &Times::operator+=(const Times &other) {
  task += other.task;
  least += other.least;
  most += other.most;
  core += other.core;
  for (int pipe = 0; pipe < sim::kPipes; ++pipe) pipes[pipe] += other.pipes[pipe];
  return *this;
}

Times Times::operator*(double factor) const {
  Times times = *this;
  times.task *= factor;
  times.least *= factor;
  times.most *= factor;
  times.core *= factor;
  for (double &pipe : times.pipes) pipe *= factor;
  return times;
}

std::map<std::string, sim::Constant sim::CostModel::*> Constants() {
  using C = sim::CostModel;
  return {
      {"launch_us", &C::launch_us},
      {"launch_us_per_block", &C::launch_us_per_block},
      {"startup", &C::startup},
      {"issue", &C::issue},
      {"scalar_access", &C::scalar_access},
      {"vector_startup", &C::vector_startup},
      {"bank_read_write", &C::bank_read_write},
      {"copy_issue", &C::copy_issue},
      {"copy_row", &C::copy_row},
      {"read_latency", &C::read_latency},
      {"read_hbm_bytes", &C::read_hbm_bytes},
      {"read_l2_bytes", &C::read_l2_bytes},
      {"write_latency", &C::write_latency},
      {"write_bytes", &C::write_bytes},
      {"same_line", &C::same_line},
      {"cube_read_l2_bytes", &C::cube_read_l2_bytes},
      {"cube_read_hbm_bytes", &C::cube_read_hbm_bytes},
      {"cube_copy_row", &C::cube_copy_row},
      {"same_line_in_l2", &C::same_line_in_l2},
      {"cube_past_l2_bytes", &C::cube_past_l2_bytes},
      {"cube_short_row", &C::cube_short_row},
      {"cube_l2_spread", &C::cube_l2_spread},
      {"l2_over_peak", &C::l2_over_peak},
      {"l2_usable", &C::l2_usable},
      {"scalar_wait", &C::scalar_wait},
      {"cube_unaligned_block", &C::cube_unaligned_block},
      {"cube_write_bytes", &C::cube_write_bytes},
      {"l1_shared", &C::l1_shared},
      {"local_copy_issue", &C::local_copy_issue},
      {"cube_startup", &C::cube_startup},
      {"cube_latency", &C::cube_latency},
      {"hbm_efficiency", &C::hbm_efficiency},
      {"hbm_written", &C::hbm_written},
      {"hbm_short_row", &C::hbm_short_row},
  };
}

Device::Device(const std::string &soc, bool warm, const std::map<std::string, double> &settings)
    : model_(sim::DeviceModel::Find(soc)), memory_(uint64_t{2} << 30), warm_(warm) {
  const auto constants = Constants();
  for (const auto &[name, value] : settings) {
    const auto constant = constants.find(name);
    if (constant == constants.end()) throw std::invalid_argument("no constant " + name);
    (model_.cost.*constant->second).value = value;
  }
}

Times Device::Run(Kernel kernel, uint32_t blocks, const std::vector<uint64_t> &tensors, const void *tiling,
                  size_t tiling_bytes, sim::KernelType type) {
  std::vector<void *> args;
  for (const uint64_t bytes : tensors) {
    args.push_back(memory_.Allocate(bytes));
    if (hazards) {
      std::fill_n(reinterpret_cast<half *>(memory_.Host(args.back())), bytes / sizeof(half), half(1.0f));
      memory_.MarkWritten(args.back(), bytes);
    }
  }
  sim::LaunchOptions options;
  options.seed = 1;
  options.hazards = hazards;
  options.products = false;
  options.warm = warm_;
  const sim::Report report = sim::Launch(memory_, model_, {"calibration", kernel, type}, blocks, 0, args,
                                         tiling, tiling_bytes, options);
  for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
  failed = failed || !report.ok();
  for (void *arg : args) memory_.Free(arg);
  Times times;
  times.task = report.microseconds;
  times.least = report.least_microseconds;
  times.most = report.most_microseconds;
  times.core = times.task - model_.cost.launch_us - model_.cost.launch_us_per_block * blocks;
  for (int pipe = 0; pipe < sim::kPipes; ++pipe) {
    times.pipes[pipe] = report.pipes[pipe].busy_cycles / blocks / (model_.clock_ghz * 1e3);
  }
  return times;
}

}  // namespace calibration
