// SPDX-License-Identifier: Apache-2.0
// Answers of the runtime about the software and the device.
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "device_table.h"
#include "operator_compiler.h"

using namespace sim::runtime;

namespace {

// The CANN release whose ABI this library follows.
constexpr char kCannVersion[] = "8.5.0";
constexpr int32_t kCannVersionNumber = 80500;
constexpr int64_t kNpuArch = 2201;

aclError ModelOf(const char *call, int64_t device, const sim::DeviceModel **model) {
  if (const aclError code = CheckDeviceId(call, "deviceId", device); code != ACL_SUCCESS) return code;
  if (const std::shared_ptr<Device> open = OpenDevice(static_cast<int32_t>(device)); open != nullptr) {
    *model = &open->model();
    return ACL_SUCCESS;
  }
  std::string error;
  *model = FindModel(&error);
  return *model != nullptr ? ACL_SUCCESS : Fail(ACL_ERROR_RT_SOC_VERSION, call, ": ", error);
}

}  // namespace

extern "C" {

const char *aclrtGetSocName() try {
  thread_local std::string name;
  name = SocName();
  return name.c_str();
}
SIM_CATCH

aclError aclrtGetRunMode(aclrtRunMode *runMode) try {
  SIM_REQUIRE_POINTER(runMode);
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion) try {
  SIM_REQUIRE_POINTER(majorVersion);
  SIM_REQUIRE_POINTER(minorVersion);
  SIM_REQUIRE_POINTER(patchVersion);
  *majorVersion = ACL_MAJOR_VERSION;
  *minorVersion = ACL_MINOR_VERSION;
  *patchVersion = ACL_PATCH_VERSION;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclsysGetCANNVersion(aclCANNPackageName, aclCANNPackageVersion *version) try {
  SIM_REQUIRE_POINTER(version);
  *version = {};
  std::strcpy(version->version, kCannVersion);
  std::strcpy(version->majorVersion, "8");
  std::strcpy(version->minorVersion, "5");
  std::strcpy(version->releaseVersion, "0");
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclsysGetVersionStr(char *pkgName, char *versionStr) try {
  SIM_REQUIRE_POINTER(pkgName);
  SIM_REQUIRE_POINTER(versionStr);
  std::strcpy(versionStr, kCannVersion);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum) try {
  SIM_REQUIRE_POINTER(pkgName);
  SIM_REQUIRE_POINTER(versionNum);
  *versionNum = kCannVersionNumber;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num) try {
  SIM_REQUIRE_POINTER(cannAttrList);
  SIM_REQUIRE_POINTER(num);
  static const aclCannAttr attributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16,
                                           ACL_CANN_ATTR_JIT_COMPILE};
  *cannAttrList = attributes;
  *num = sizeof(attributes) / sizeof(attributes[0]);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value) try {
  SIM_REQUIRE_POINTER(value);
  if (cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE) {
    return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": cannAttr must be an aclCannAttr, got ", cannAttr);
  }
  *value = 1;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value) try {
  SIM_REQUIRE_POINTER(value);
  const sim::DeviceModel *model = nullptr;
  if (const aclError code = ModelOf(__func__, deviceId, &model); code != ACL_SUCCESS) return code;
  switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      *value = model->cube_cores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      *value = model->vector_cores;
      return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
      *value = static_cast<int64_t>(model->l2_bytes);
      return ACL_SUCCESS;
    default:
      return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": deviceInfo must be an aclDeviceInfo, got ",
                  deviceInfo);
  }
}
SIM_CATCH

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value) try {
  SIM_REQUIRE_POINTER(value);
  const sim::DeviceModel *model = nullptr;
  if (const aclError code = ModelOf(__func__, deviceId, &model); code != ACL_SUCCESS) return code;
  switch (attr) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = model->cube_cores;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = model->vector_cores;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
      *value = static_cast<int64_t>(model->bytes[static_cast<int>(sim::Space::UB)]);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = static_cast<int64_t>(model->bytes[static_cast<int>(sim::Space::GM)]);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = static_cast<int64_t>(model->l2_bytes);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_NPU_ARCH:
      *value = kNpuArch;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
      *value = deviceId;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
    case ACL_DEV_ATTR_SMP_ID:
    case ACL_DEV_ATTR_IS_VIRTUAL:
      *value = 0;
      return ACL_SUCCESS;
    default:
      return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__, ": attr ", attr,
                  " is unknown to the simulated device");
  }
}
SIM_CATCH

aclError aclrtGetLogicDevIdByUserDevId(const int32_t userDevid, int32_t *const logicDevId) try {
  SIM_REQUIRE_POINTER(logicDevId);
  if (const aclError code = CheckDeviceId(__func__, "userDevid", userDevid); code != ACL_SUCCESS) return code;
  *logicDevId = userDevid;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId) try {
  SIM_REQUIRE_POINTER(canAccessPeer);
  if (const aclError code = CheckDeviceId(__func__, "deviceId", deviceId); code != ACL_SUCCESS) return code;
  if (const aclError code = CheckDeviceId(__func__, "peerDeviceId", peerDeviceId); code != ACL_SUCCESS)
    return code;
  *canAccessPeer = deviceId != peerDeviceId ? 1 : 0;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t) try {
  return CheckDeviceId(__func__, "peerDeviceId", peerDeviceId);
}
SIM_CATCH

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) try {
  return CheckDeviceId(__func__, "peerDeviceId", peerDeviceId);
}
SIM_CATCH

// Messages go to stderr from the level of the environment's AVO_SIM_LOG on (0 debug to 3 error); without it
// none do.
void aclAppLog(aclLogLevel logLevel, const char *func, const char *, uint32_t, const char *fmt, ...) try {
  static const int lowest = [] {
    const char *text = std::getenv("AVO_SIM_LOG");
    return text == nullptr ? ACL_ERROR + 1 : std::atoi(text);
  }();
  const bool shown = static_cast<int>(logLevel) >= lowest;
  if (fmt == nullptr || !(shown || logLevel == ACL_WARNING)) return;
  std::array<char, 1024> text;
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text.data(), text.size(), fmt, arguments);
  va_end(arguments);
  if (shown)
    std::fprintf(stderr, "[acl %d] %s: %s\n", static_cast<int>(logLevel), func == nullptr ? "" : func,
                 text.data());
  if (std::strstr(fmt, "Will call") != nullptr) NoteMissingFunction(text.data());
}
SIM_CATCH_VOID

}  // extern "C"
