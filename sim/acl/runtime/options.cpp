// SPDX-License-Identifier: Apache-2.0
// Settings that programs may make and read back. The simulated device behaves the same whatever they say.
#include <atomic>
#include <map>
#include <mutex>

#include "context.h"
#include "device_table.h"

using namespace sim::runtime;

namespace {

struct SysParams {
  std::mutex mutex;
  std::map<aclSysParamOpt, int64_t> values = {{ACL_OPT_DETERMINISTIC, 0}};  // nobody has set the others

  static SysParams &Get() {
    static auto *params = new SysParams;
    return *params;
  }
};

std::atomic<int> sat_mode{ACL_RT_OVERFLOW_MODE_INFNAN};

aclError SetSysParam(const char *call, aclSysParamOpt opt, int64_t value) {
  if (opt < ACL_OPT_DETERMINISTIC || opt > ACL_OPT_STRONG_CONSISTENCY) {
    return Fail(ACL_ERROR_INVALID_PARAM, call, ": opt must be an aclSysParamOpt, got ", opt);
  }
  std::lock_guard<std::mutex> lock(SysParams::Get().mutex);
  SysParams::Get().values[opt] = value;
  return ACL_SUCCESS;
}

aclError GetSysParam(const char *call, aclSysParamOpt opt, int64_t *value) {
  std::lock_guard<std::mutex> lock(SysParams::Get().mutex);
  const auto found = SysParams::Get().values.find(opt);
  if (found == SysParams::Get().values.end()) {
    return Fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, call, ": opt ", opt, " was not set");
  }
  *value = found->second;
  return ACL_SUCCESS;
}

uint32_t Cores(const sim::DeviceModel &model, aclrtDevResLimitType type) {
  return type == ACL_RT_DEV_RES_CUBE_CORE ? model.cube_cores : model.vector_cores;
}

aclError CheckLimit(const char *call, const sim::DeviceModel &model, aclrtDevResLimitType type,
                    uint32_t value) {
  const uint32_t cores = Cores(model, type);
  if (value == cores) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, call, ": the simulated device gives every kernel all its ",
              cores, " cores; value must be that, got ", value);
}

}  // namespace

extern "C" {

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
  sat_mode = mode;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode) try {
  SIM_REQUIRE_POINTER(mode);
  *mode = static_cast<aclrtFloatOverflowMode>(sat_mode.load());
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtSetOpExecuteTimeOut(uint32_t) { return ACL_SUCCESS; }

aclError aclrtSetOpWaitTimeout(uint32_t) { return ACL_SUCCESS; }

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) try {
  return SetSysParam(__func__, opt, value);
}
SIM_CATCH

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value) try {
  SIM_REQUIRE_POINTER(value);
  return GetSysParam(__func__, opt, value);
}
SIM_CATCH

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) try {
  return SetSysParam(__func__, opt, value);
}
SIM_CATCH

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value) try {
  SIM_REQUIRE_POINTER(value);
  return GetSysParam(__func__, opt, value);
}
SIM_CATCH

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value) try {
  SIM_REQUIRE_POINTER(value);
  if (const aclError code = CheckDeviceId(__func__, "deviceId", deviceId); code != ACL_SUCCESS) return code;
  std::string error;
  const sim::DeviceModel *model = FindModel(&error);
  if (model == nullptr) return Fail(ACL_ERROR_RT_SOC_VERSION, __func__, ": ", error);
  *value = Cores(*model, type);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value) try {
  if (const aclError code = CheckDeviceId(__func__, "deviceId", deviceId); code != ACL_SUCCESS) return code;
  std::string error;
  const sim::DeviceModel *model = FindModel(&error);
  if (model == nullptr) return Fail(ACL_ERROR_RT_SOC_VERSION, __func__, ": ", error);
  return CheckLimit(__func__, *model, type, value);
}
SIM_CATCH

aclError aclrtResetDeviceResLimit(int32_t deviceId) try {
  return CheckDeviceId(__func__, "deviceId", deviceId);
}
SIM_CATCH

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value) try {
  SIM_REQUIRE_POINTER(value);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found != nullptr) *value = Cores(found->device()->model(), type);
  return code;
}
SIM_CATCH

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  return found == nullptr ? code : CheckLimit(__func__, found->device()->model(), type, value);
}
SIM_CATCH

aclError aclrtResetStreamResLimit(aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  FindStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  FindStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream) try {
  aclError code = ACL_SUCCESS;
  FindStream(__func__, stream, &code);
  return code;
}
SIM_CATCH

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value) try {
  SIM_REQUIRE_POINTER(value);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(__func__, &code);
  if (context != nullptr) *value = Cores(context->device()->model(), type);
  return code;
}
SIM_CATCH

}  // extern "C"
