// SPDX-License-Identifier: Apache-2.0
// The description of a device as tilings see it who look things up by name.
#pragma once

#include <map>
#include <string>
#include <vector>

// Sources of tilings take these names from here.
using std::map;
using std::string;
using std::vector;

namespace sim {
struct DeviceModel;
}

namespace fe {

// CANN fills this from the configuration file of a device. Here it refers to the description of the simulated
// device.
class __attribute__((visibility("default"))) PlatFormInfos {
 public:
  explicit PlatFormInfos(const sim::DeviceModel &device) : model(device) {}

  // Sets `value` and returns true where the device has this key below this label: "version" has "SoC_version"
  // and "Short_SoC_version", "SoCInfo" has "ai_core_cnt", "cube_core_cnt" and "vector_core_cnt", "AICoreSpec"
  // has "ub_size", and "AICoreintrinsicDtypeMap" has "Intrinsic_fix_pipe_l0c2out".
  bool GetPlatformRes(const std::string &label, const std::string &key, std::string &value) const;

  const sim::DeviceModel &model;
};

}  // namespace fe
