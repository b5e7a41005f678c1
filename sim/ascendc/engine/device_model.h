// SPDX-License-Identifier: Apache-2.0
// The description of a device: sizes, and the constants of the cycle model, each with its source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "instruction.h"

namespace sim {

struct DeviceModel {
  std::string soc;
  uint32_t cube_cores = 0;
  uint32_t vector_cores = 0;
  uint64_t bytes[kSpaces] = {};  // capacity of each on-chip memory of one core; GM: HBM of the device
  uint64_t l2_bytes = 0;
  double clock_ghz = 0;
  double hbm_bytes_per_second = 0;
  double l2_bytes_per_second = 0;

  // Constants of the cycle model are members here too (issue cycles, latencies, bank rules …), each commented with
  // its source; device_model.cpp holds the table of devices.

  static const DeviceModel &Find(const std::string &soc);  // throws std::invalid_argument naming the known ones
  static std::vector<std::string> Names();
};

}  // namespace sim
