// SPDX-License-Identifier: Apache-2.0
#include "host.h"

void Seven(void *out, aclrtStream stream);

int main() {
  Device device;
  uint8_t *out = device.Numbers(std::vector<int32_t>(16, 1));
  Seven(out, device.stream);
  device.Print("seven", out, 2);
  return 0;
}
