// SPDX-License-Identifier: Apache-2.0
// Settings of the library and names of its errors.
#include <atomic>

#include "hccl/hccl.h"
#include "report.h"

namespace {

// Sums have one order whatever this says; programs may read it back.
std::atomic<int32_t> deterministic{1};

struct ErrorText {
  HcclResult code;
  const char *text;
};

constexpr ErrorText kErrors[] = {
    {HCCL_SUCCESS, "no error"},
    {HCCL_E_PARA, "parameter error"},
    {HCCL_E_PTR, "null pointer"},
    {HCCL_E_MEMORY, "memory error"},
    {HCCL_E_INTERNAL, "internal error"},
    {HCCL_E_NOT_SUPPORT, "not supported"},
    {HCCL_E_NOT_FOUND, "resource not found"},
    {HCCL_E_UNAVAIL, "resource unavailable"},
    {HCCL_E_SYSCALL, "system call failed"},
    {HCCL_E_TIMEOUT, "timeout"},
    {HCCL_E_RUNTIME, "runtime call failed"},
    {HCCL_E_REMOTE, "another rank failed"},
};

}  // namespace

extern "C" {

// torch_npu asks whether a setting's number is less than this. Settings up to the execution timeout are read,
// or make no difference here.
uint32_t HcclGetCommConfigCapability() { return 9; }

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  if (config == HCCL_DETERMINISTIC) deterministic = configValue.value;
  return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue) try {
  HCCL_REQUIRE_POINTER(configValue);
  if (config != HCCL_DETERMINISTIC) {
    return sim::hccl::Refuse(HCCL_E_PARA, __func__, ": config must be HCCL_DETERMINISTIC, got ",
                             static_cast<int>(config));
  }
  configValue->value = deterministic;
  return HCCL_SUCCESS;
}
HCCL_CATCH

const char *HcclGetErrorString(HcclResult code) {
  for (const ErrorText &error : kErrors) {
    if (error.code == code) return error.text;
  }
  return "unknown error";
}

}  // extern "C"
