// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <cstdlib>
#include <stdexcept>

#include "sim/sim_runtime.h"

namespace sim::runtime {
namespace {

struct Choice {
  std::mutex mutex;
  std::string soc;  // of simSetSoc; empty: not called
};

Choice &ChosenSoc() {
  static auto *choice = new Choice;
  return *choice;
}

}  // namespace

Device::Device(int32_t id, const DeviceModel &model)
    : id_(id), model_(model), memory_(model.bytes[static_cast<int>(Space::GM)]) {}

int32_t DeviceCount() {
  static const int32_t count = [] {
    const char *text = std::getenv("AVO_SIM_DEVICES");
    const int value = text == nullptr ? 1 : std::atoi(text);
    return value < 1 ? 1 : value;
  }();
  return count;
}

std::string SocName() {
  Choice &choice = ChosenSoc();
  std::lock_guard<std::mutex> lock(choice.mutex);
  if (!choice.soc.empty()) return choice.soc;
  const char *text = std::getenv("AVO_SIM_SOC");
  return text == nullptr || *text == '\0' ? "Ascend910B1" : text;
}

const DeviceModel *FindModel(std::string *error) {
  try {
    return &DeviceModel::Find(SocName());
  } catch (const std::invalid_argument &unknown) {
    *error = unknown.what();
    return nullptr;
  }
}

}  // namespace sim::runtime

extern "C" void simSetSoc(const char *soc) {
  sim::runtime::Choice &choice = sim::runtime::ChosenSoc();
  std::lock_guard<std::mutex> lock(choice.mutex);
  choice.soc = soc == nullptr ? "" : soc;
}
