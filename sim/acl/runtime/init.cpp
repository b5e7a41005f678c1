// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "device_table.h"

using namespace sim::runtime;

namespace {

std::atomic<bool> initialised{false};

}  // namespace

extern "C" {

// The configuration file asks for dumps and profiles that the simulated device does not make.
aclError aclInit(const char *) try {
  std::string error;
  if (FindModel(&error) == nullptr) return Fail(ACL_ERROR_RT_SOC_VERSION, __func__, ": ", error);
  if (initialised.exchange(true)) {
    return Fail(ACL_ERROR_REPEAT_INITIALIZE, __func__, ": called again without aclFinalize");
  }
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclFinalize() try {
  if (!initialised.exchange(false)) {
    return Fail(ACL_ERROR_REPEAT_FINALIZE, __func__, ": called without aclInit, or a second time");
  }
  DeviceTable::Get().CloseAll();
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclFinalizeReference(uint64_t *refCount) try {
  const aclError code = aclFinalize();
  if (refCount != nullptr) *refCount = 0;
  return code;
}
SIM_CATCH

}  // extern "C"
