// SPDX-License-Identifier: Apache-2.0
// torch.npu._sleep: the stream does nothing for a number of cycles, those of a core's clock. CANN does not
// publish which clock it counts; torch's tests measure how many cycles a millisecond has.
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/device.h"
#include "table.h"

ACLNN(Sleep, Ints(cycles)) {
  std::string error;
  const sim::DeviceModel *model = sim::runtime::FindModel(&error);
  if (model == nullptr) throw std::invalid_argument(error);
  std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(cycles.at(0) / model->clock_ghz));
}
