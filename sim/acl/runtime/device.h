// SPDX-License-Identifier: Apache-2.0
// A simulated device while it is open: its description and its memory.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "ascendc/engine/device_memory.h"
#include "ascendc/engine/device_model.h"
#include "error.h"

namespace sim::runtime {

// A device with the cores and the Unified Buffer that were chosen: simSetSize, else the environment's
// AVO_SIM_CORES and AVO_SIM_UB_BYTES, else its own. Throws std::invalid_argument where the environment names
// a device that cannot be.
ACL_FUNC_VISIBILITY const DeviceModel &Sized(const DeviceModel &model);

class Device {
 public:
  Device(int32_t id, const DeviceModel &model);

  int32_t id() const { return id_; }
  // What the device is like now: simSetSize changes it.
  const DeviceModel &model() const { return Sized(model_); }
  DeviceMemory &memory() { return memory_; }
  // Bytes of memory that the device should have: the environment's AVO_SIM_MEMORY_BYTES where it is less than
  // the model's. A limit on addresses may leave it less.
  uint64_t memory_bytes() const { return memory_bytes_; }
  // A running kernel holds this: a device runs one kernel at a time, on all its cores.
  std::mutex &cores() { return cores_; }

 private:
  const int32_t id_;
  const DeviceModel &model_;
  const uint64_t memory_bytes_;
  DeviceMemory memory_;
  std::mutex cores_;
};

// Number of simulated devices: the environment's AVO_SIM_DEVICES, one by default.
int32_t DeviceCount();

// Name of the simulated device: simSetSoc, else the environment's AVO_SIM_SOC, else Ascend910B1.
ACL_FUNC_VISIBILITY std::string SocName();

// The description of SocName(), with the chosen size; nullptr, with *error set, when there is no such device.
ACL_FUNC_VISIBILITY const DeviceModel *FindModel(std::string *error);

// The open device whose memory holds the address; nullptr for host addresses.
ACL_FUNC_VISIBILITY std::shared_ptr<Device> DeviceOf(const void *address);

// The open device of that id, or nullptr.
std::shared_ptr<Device> OpenDevice(int32_t id);

}  // namespace sim::runtime
