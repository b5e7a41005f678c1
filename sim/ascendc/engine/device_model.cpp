// SPDX-License-Identifier: Apache-2.0
#include "device_model.h"

#include <stdexcept>

namespace sim {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
constexpr uint64_t kGiB = 1024 * kMiB;

// Core counts, L2 and on-chip sizes: CANN's platform_config. Clock and bandwidths: the published measurements
// of Atlas A2, taken for all variants of that generation; B4's HBM is half as large, at 0.8 TB/s by its data
// sheet.
DeviceModel AtlasA2(const char *soc, uint32_t cube_cores, uint64_t l2_mib, uint64_t hbm_gib) {
  DeviceModel model;
  model.soc = soc;
  model.cube_cores = cube_cores;
  model.vector_cores = 2 * cube_cores;
  auto bytes = [&model](Space space) -> uint64_t & { return model.bytes[static_cast<int>(space)]; };
  bytes(Space::GM) = hbm_gib * kGiB;
  bytes(Space::UB) = 192 * kKiB;
  bytes(Space::L1) = 512 * kKiB;
  bytes(Space::L0A) = 64 * kKiB;
  bytes(Space::L0B) = 64 * kKiB;
  bytes(Space::L0C) = 128 * kKiB;
  bytes(Space::BT) = 1 * kKiB;
  bytes(Space::FB) = 7 * kKiB;
  model.l2_bytes = l2_mib * kMiB;
  model.clock_ghz = 1.85;
  model.hbm_bytes_per_second = hbm_gib == 32 ? 0.8e12 : 1.8e12;
  model.l2_bytes_per_second = 5.2e12;
  return model;
}

const std::vector<DeviceModel> &Devices() {
  static const std::vector<DeviceModel> devices = {
      AtlasA2("Ascend910B1", 24, 192, 64),    AtlasA2("Ascend910B2", 24, 192, 64),
      AtlasA2("Ascend910B3", 20, 192, 64),    AtlasA2("Ascend910B4", 20, 96, 32),
      AtlasA2("Ascend910_9392", 24, 192, 64),
  };
  return devices;
}

}  // namespace

const DeviceModel &DeviceModel::Find(const std::string &soc) {
  std::string known;
  for (const DeviceModel &device : Devices()) {
    if (device.soc == soc) return device;
    known += (known.empty() ? "" : ", ") + device.soc;
  }
  throw std::invalid_argument("soc must be one of " + known + "; got " + soc);
}

std::vector<std::string> DeviceModel::Names() {
  std::vector<std::string> names;
  for (const DeviceModel &device : Devices()) names.push_back(device.soc);
  return names;
}

}  // namespace sim
