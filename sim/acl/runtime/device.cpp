// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/sim_runtime.h"

namespace sim::runtime {
namespace {

struct Choice {
  std::mutex mutex;
  std::string soc;            // of simSetSoc; empty: not called
  uint32_t vector_cores = 0;  // of simSetSize; 0: not chosen
  uint64_t ub_bytes = 0;

  static Choice &Get() {
    static auto *choice = new Choice;
    return *choice;
  }
};

uint64_t FromEnvironment(const char *name) {
  const char *text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

uint64_t MemoryBytes(const DeviceModel &model) {
  const uint64_t whole = model.bytes[static_cast<int>(Space::GM)];
  const uint64_t wanted = FromEnvironment("AVO_SIM_MEMORY_BYTES");
  return wanted == 0 ? whole : std::min(whole, wanted);
}

}  // namespace

Device::Device(int32_t id, const DeviceModel &model)
    : id_(id), model_(model), memory_bytes_(MemoryBytes(model)), memory_(memory_bytes_) {}

int32_t DeviceCount() {
  static const int32_t count = [] {
    const char *text = std::getenv("AVO_SIM_DEVICES");
    const int value = text == nullptr ? 1 : std::atoi(text);
    return value < 1 ? 1 : value;
  }();
  return count;
}

std::string SocName() {
  Choice &choice = Choice::Get();
  std::lock_guard<std::mutex> lock(choice.mutex);
  if (!choice.soc.empty()) return choice.soc;
  const char *text = std::getenv("AVO_SIM_SOC");
  return text == nullptr || *text == '\0' ? "Ascend910B1" : text;
}

const DeviceModel &Sized(const DeviceModel &model) {
  static const auto cores = static_cast<uint32_t>(FromEnvironment("AVO_SIM_CORES"));
  static const uint64_t ub_bytes = FromEnvironment("AVO_SIM_UB_BYTES");
  Choice &choice = Choice::Get();
  std::lock_guard<std::mutex> lock(choice.mutex);
  return model.Resized(choice.vector_cores != 0 ? choice.vector_cores : cores,
                       choice.ub_bytes != 0 ? choice.ub_bytes : ub_bytes);
}

const DeviceModel *FindModel(std::string *error) {
  try {
    return &Sized(DeviceModel::Find(SocName()));
  } catch (const std::invalid_argument &unknown) {
    *error = unknown.what();
    return nullptr;
  }
}

}  // namespace sim::runtime

extern "C" void simSetSoc(const char *soc) try {
  sim::runtime::Choice &choice = sim::runtime::Choice::Get();
  std::lock_guard<std::mutex> lock(choice.mutex);
  choice.soc = soc == nullptr ? "" : soc;
}
SIM_CATCH_VOID

extern "C" aclError simSetSize(uint32_t vectorCores, uint64_t ubBytes) try {
  try {
    sim::DeviceModel::Find("Ascend910B1").Resized(vectorCores, ubBytes);
  } catch (const std::invalid_argument &error) {
    return sim::runtime::Fail(ACL_ERROR_INVALID_PARAM, __func__, ": ", error.what());
  }
  sim::runtime::Choice &choice = sim::runtime::Choice::Get();
  std::lock_guard<std::mutex> lock(choice.mutex);
  choice.vector_cores = vectorCores;
  choice.ub_bytes = ubBytes;
  return ACL_SUCCESS;
}
SIM_CATCH
