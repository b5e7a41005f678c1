// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "device_table.h"

using namespace sim::runtime;

namespace {

std::atomic<bool> initialised{false};

}  // namespace

extern "C" {

// The configuration file asks for dumps and profiles that the simulated device does not make.
aclError aclInit(const char *) {
  std::string error;
  if (FindModel(&error) == nullptr) return Fail(ACL_ERROR_RT_SOC_VERSION, __func__, ": ", error);
  if (initialised.exchange(true)) {
    return Fail(ACL_ERROR_REPEAT_INITIALIZE, __func__, ": called again without aclFinalize");
  }
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  if (!initialised.exchange(false)) {
    return Fail(ACL_ERROR_REPEAT_FINALIZE, __func__, ": called without aclInit, or a second time");
  }
  DeviceTable::Get().CloseAll();
  return ACL_SUCCESS;
}

aclError aclFinalizeReference(uint64_t *refCount) {
  const aclError code = aclFinalize();
  if (refCount != nullptr) *refCount = 0;
  return code;
}

}  // extern "C"
