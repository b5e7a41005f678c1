// SPDX-License-Identifier: Apache-2.0
#include "aclrtlaunch_scaled.h"
#include "host.h"

int main() {
  Device device;
  uint8_t *out = device.Numbers(std::vector<int32_t>(16, 1));
  ACLRT_LAUNCH_KERNEL(scaled)(1, device.stream, out, 5, 2);
  device.Print("scaled", out, 2);
  return 0;
}
