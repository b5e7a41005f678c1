// SPDX-License-Identifier: Apache-2.0
#include "device_model.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <tuple>

namespace sim {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;
constexpr uint64_t kGiB = 1024 * kMiB;

// What Resized takes.
constexpr uint32_t kMaxVectorCores = 1024;
constexpr uint64_t kLeastUbBytes = 1024;
constexpr uint64_t kMostUbBytes = kMiB;

// On-chip sizes: CANN's platform_config and public kernel libraries, one set for all of Atlas A2 and A3.
// Bandwidths: the published measurements of a device of 48 vector cores, here B1, assumed for the others; B4
// has half of the HBM and is assumed to have half of its bandwidth.
DeviceModel AtlasA2(const char *soc, uint32_t cube_cores, double clock_ghz, uint64_t l2_mib,
                    uint64_t hbm_gib) {
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
  model.clock_ghz = clock_ghz;
  model.hbm_bytes_per_second = 1.8e12 * static_cast<double>(hbm_gib) / 64;
  model.l2_bytes_per_second = 5.2e12;
  return model;
}

const std::vector<DeviceModel> &Devices() {
  static const std::vector<DeviceModel> devices = {
      // platform_config: cores, clock, L2, HBM.
      AtlasA2("Ascend910B1", 24, 1.85, 192, 64),
      // platform_config: clock. Cores, HBM: the device table of the cluster scheduler HAMi. L2: assumed equal
      // to B1.
      AtlasA2("Ascend910B2", 24, 1.8, 192, 64),
      // platform_config: cores, clock, L2, HBM.
      AtlasA2("Ascend910B3", 20, 1.8, 192, 64),
      // platform_config: cores, HBM, L2 (of 168 MB that are there, as comments in CANN's ops-nn say).
      // The clock is 1.5 GHz there; published times of vector kernels ("codes", "polar/4M") fit 1.65.
      AtlasA2("Ascend910B4", 20, 1.65, 96, 32),
      // One die of an Atlas A3: assumed equal to B1, not published but for the size of HBM, which users
      // report.
      AtlasA2("Ascend910_9392", 24, 1.85, 192, 64),
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

const DeviceModel &DeviceModel::Resized(uint32_t vector_core_count, uint64_t ub_bytes) const {
  if (vector_core_count % 2 != 0 || vector_core_count > kMaxVectorCores) {
    throw std::invalid_argument(
        "vector cores must be an even number up to " + std::to_string(kMaxVectorCores) +
        ", as each cube core has two of them; got " + std::to_string(vector_core_count));
  }
  if (ub_bytes % 32 != 0 || (ub_bytes != 0 && ub_bytes < kLeastUbBytes) || ub_bytes > kMostUbBytes) {
    throw std::invalid_argument("bytes of the Unified Buffer must be a multiple of 32 in [" +
                                std::to_string(kLeastUbBytes) + ", " + std::to_string(kMostUbBytes) +
                                "]; got " + std::to_string(ub_bytes));
  }
  if (vector_core_count == 0) vector_core_count = vector_cores;
  if (ub_bytes == 0) ub_bytes = bytes[static_cast<int>(Space::UB)];
  if (vector_core_count == vector_cores && ub_bytes == bytes[static_cast<int>(Space::UB)]) return *this;
  static std::mutex mutex;
  static auto *devices = new std::map<std::tuple<std::string, uint32_t, uint64_t>, DeviceModel>;
  std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, added] = devices->try_emplace({soc, vector_core_count, ub_bytes}, *this);
  if (added) {
    entry->second.vector_cores = vector_core_count;
    entry->second.cube_cores = vector_core_count / 2;
    entry->second.bytes[static_cast<int>(Space::UB)] = ub_bytes;
  }
  return entry->second;
}

std::vector<std::string> DeviceModel::Names() {
  std::vector<std::string> names;
  for (const DeviceModel &device : Devices()) names.push_back(device.soc);
  return names;
}

}  // namespace sim
