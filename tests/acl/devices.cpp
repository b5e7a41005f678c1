// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <thread>

#include "acl/acl_op_compiler.h"
#include "acl_test.h"
#include "sim/sim_runtime.h"
#include "tiling/platform/platform_ascendc.h"

using namespace acl_test;

ACL_TEST(a_thread_needs_a_device) {
  CHECK_OK(aclInit(nullptr));
  CHECK_FAILS(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
  void *device = nullptr;
  aclrtStream stream = nullptr;
  int32_t id = -1;
  CHECK_FAILS(aclrtMalloc(&device, 4, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL,
              "aclrtSetDevice");
  CHECK_FAILS(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  CHECK_FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  CHECK_FAILS(aclrtSetDevice(5), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId must be in [0, ");
  CHECK_FAILS(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "got -1");
  CHECK_OK(aclrtSetDevice(0));
  CHECK_OK(aclrtGetDevice(&id));
  CHECK(id == 0);
  std::thread([] {
    int32_t other = -1;
    CHECK_FAILS(aclrtGetDevice(&other), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  }).join();
  CHECK_OK(aclrtResetDevice(0));
  CHECK_FAILS(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetDevice");
  CHECK_OK(aclFinalize());
  CHECK_FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize");
}

ACL_TEST(two_devices_are_apart) {
  CHECK_OK(aclInit(nullptr));
  uint32_t count = 0;
  CHECK_OK(aclrtGetDeviceCount(&count));
  CHECK(count == 2);
  CHECK_OK(aclrtSetDevice(0));
  void *on0 = nullptr;
  aclrtStream stream0 = nullptr;
  CHECK_OK(aclrtMalloc(&on0, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_OK(aclrtCreateStream(&stream0));
  CHECK_OK(aclrtSetDevice(1));
  CHECK(UsedBytes() == 0);
  void *on1 = nullptr;
  CHECK_OK(aclrtMalloc(&on1, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtPtrAttributes attributes{};
  CHECK_OK(aclrtPointerGetAttributes(on1, &attributes));
  CHECK(attributes.location.id == 1);
  CHECK_FAILS(aclrtMemsetAsync(on0, 64, 0, 64, stream0), ACL_ERROR_RT_STREAM_CONTEXT, "does not belong");
  std::vector<uint8_t> host(64, 3);
  CHECK_OK(aclrtMemcpy(on0, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK_OK(aclrtMemcpy(on1, 64, on0, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
  std::vector<uint8_t> back(64);
  CHECK_OK(aclrtMemcpy(back.data(), 64, on1, 64, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(back == host);
  CHECK_OK(aclrtResetDevice(0));
  CHECK_FAILS(aclrtFree(on0), ACL_ERROR_RT_PARAM_INVALID, "devPtr");
  CHECK_OK(aclrtFree(on1));
  CHECK_OK(aclrtResetDevice(1));
  CHECK_OK(aclFinalize());
}

ACL_TEST(contexts_of_one_device_share_its_memory) {
  Session session;
  aclrtContext primary = nullptr;
  aclrtContext created = nullptr;
  aclrtContext current = nullptr;
  CHECK_OK(aclrtGetCurrentContext(&primary));
  Buffer buffer(4);
  CHECK_OK(aclrtCreateContext(&created, 0));
  CHECK_OK(aclrtGetCurrentContext(&current));
  CHECK(current == created && created != primary);
  CHECK_OK(aclrtMemset(buffer.data, 4, 0, 4));
  aclrtStream stream = nullptr;
  CHECK_OK(aclrtCreateStream(&stream));
  CHECK_OK(aclrtSetCurrentContext(primary));
  CHECK_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT, "does not belong");
  CHECK_OK(aclrtDestroyContext(created));
  CHECK_FAILS(aclrtSetCurrentContext(created), ACL_ERROR_RT_INVALID_HANDLE, "context");
  aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
  CHECK_FAILS(aclrtStreamQuery(stream, &status), ACL_ERROR_RT_INVALID_HANDLE, "no stream");
  CHECK_FAILS(aclrtDestroyContext(primary), ACL_ERROR_RT_PARAM_INVALID, "aclrtResetDevice");
}

ACL_TEST(a_device_is_closed_by_as_many_resets_as_sets) {
  CHECK_OK(aclInit(nullptr));
  CHECK_OK(aclrtSetDevice(0));
  CHECK_OK(aclrtSetDevice(0));
  Buffer *buffer = new Buffer(64);
  CHECK_OK(aclrtResetDevice(0));
  CHECK(UsedBytes() > 0);
  CHECK_OK(aclrtMemset(buffer->data, 64, 0, 64));
  delete buffer;
  CHECK_OK(aclrtResetDevice(0));
  int32_t active = 1;
  CHECK_OK(aclrtGetPrimaryCtxState(0, nullptr, &active));
  CHECK(active == 0);
  CHECK_OK(aclrtSetDevice(0));
  CHECK(UsedBytes() == 0);
  CHECK_OK(aclrtResetDeviceForce(0));
  CHECK_OK(aclFinalize());
}

ACL_TEST(the_device_describes_itself) {
  CHECK(acl_test::Differs(aclrtGetSocName(), "Ascend910B1") == 0);
  Session session;
  int64_t value = 0;
  CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
  CHECK(value == 48);
  CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
  CHECK(value == 24);
  CHECK_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_L2_CACHE_SIZE, &value));
  CHECK(value == 192 << 20);
  CHECK_FAILS(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(9999), &value),
              ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attr");
  CHECK_FAILS(aclGetDeviceCapability(9, ACL_DEVICE_INFO_AI_CORE_NUM, &value), ACL_ERROR_RT_INVALID_DEVICEID,
              "got 9");

  const auto &platform = *platform_ascendc::PlatformAscendCManager::GetInstance();
  using platform_ascendc::CoreMemType;
  CHECK(platform.GetCoreNumAiv() == 48 && platform.GetCoreNumAic() == 24);
  CHECK(platform.GetSocVersion() == platform_ascendc::SocVersion::ASCEND910B);
  CHECK(platform.GetCurNpuArch() == NpuArch::DAV_2201);
  uint64_t bytes = 0;
  platform.GetCoreMemSize(CoreMemType::UB, bytes);
  CHECK(bytes == 196608 - 256);
  platform.GetCoreMemSize(CoreMemType::L2, bytes);
  CHECK(bytes == 192 << 20);
  platform.GetCoreMemBw(CoreMemType::HBM, bytes);
  CHECK(bytes > 20 && bytes < 80);
}

ACL_TEST(another_device_can_be_chosen) {
  simSetSoc("Ascend910B4");
  CHECK(acl_test::Differs(aclrtGetSocName(), "Ascend910B4") == 0);
  Session session;
  int64_t value = 0;
  CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
  CHECK(value == 40);
  CHECK(platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAiv() == 40);
  CHECK(platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1")->GetCoreNumAiv() == 48);
}

ACL_TEST(a_device_can_have_any_size) {
  Session session;
  const auto platform = [] { return platform_ascendc::PlatformAscendCManager::GetInstance(); };
  const auto ub_bytes = [&] {
    uint64_t bytes = 0;
    platform()->GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return bytes;
  };
  CHECK_OK(simSetSize(6, 65536));
  CHECK(platform()->GetCoreNumAiv() == 6 && platform()->GetCoreNumAic() == 3);
  CHECK(ub_bytes() == 65536 - 256);
  CHECK(platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B1")->GetCoreNumAiv() == 48);
  CHECK_FAILS(simSetSize(7, 0), ACL_ERROR_INVALID_PARAM, "even number");
  CHECK_FAILS(simSetSize(0, 100), ACL_ERROR_INVALID_PARAM, "multiple of 32");
  CHECK(platform()->GetCoreNumAiv() == 6);
  CHECK_OK(simSetSize(0, 0));
  CHECK(platform()->GetCoreNumAiv() == 48 && ub_bytes() == 196608 - 256);
}

ACL_TEST(the_environment_gives_a_size) {  // AVO_SIM_CORES=6, AVO_SIM_UB_BYTES=65536
  Session session;
  int64_t value = 0;
  CHECK_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
  CHECK(value == 6);
  uint64_t bytes = 0;
  platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreMemSize(platform_ascendc::CoreMemType::UB,
                                                                          bytes);
  CHECK(bytes == 65536 - 256);
}

ACL_TEST(the_environment_gives_a_size_of_memory) {  // AVO_SIM_MEMORY_BYTES=8388608
  Session session;
  size_t free = 0, total = 0;
  CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  CHECK(free == 8388608 && total == 8388608);
  void *memory = nullptr;
  CHECK_FAILS(aclrtMalloc(&memory, 8388609, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION,
              "8388608 of 8388608 free");
  CHECK(memory == nullptr);
  CHECK_OK(aclrtMalloc(&memory, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_OK(aclrtFree(memory));
}

ACL_TEST(an_impossible_size_is_refused) {  // AVO_SIM_CORES=7
  CHECK_FAILS(aclInit(nullptr), ACL_ERROR_RT_SOC_VERSION, "even number");
}

ACL_TEST(an_unknown_device_is_refused_with_the_known_names) {
  simSetSoc("Ascend9000");
  CHECK_FAILS(aclInit(nullptr), ACL_ERROR_RT_SOC_VERSION, "Ascend910B1");
  CHECK_FAILS(aclrtSetDevice(0), ACL_ERROR_RT_SOC_VERSION, "Ascend9000");
}

ACL_TEST(messages_are_taken_latest_first_and_by_thread) {
  CHECK(aclGetRecentErrMsg() == nullptr);
  aclrtFree(nullptr);
  aclrtSetDevice(99);
  std::thread([] { CHECK(aclGetRecentErrMsg() == nullptr); }).join();
  CHECK(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_INVALID_DEVICEID);
  CHECK(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_SUCCESS);
  const std::string text = Message();
  CHECK(text.find("aclrtSetDevice") < text.find("aclrtFree"));
  CHECK(text.find("aclrtFree") != std::string::npos);
  CHECK(aclGetRecentErrMsg() == nullptr);
}

ACL_TEST(options_read_back_as_they_were_set) {
  char value[16];
  CHECK_OK(aclGetCompileopt(ACL_OP_JIT_COMPILE, value, sizeof(value)));
  CHECK(std::strcmp(value, "disable") == 0);
  CHECK(aclGetCompileoptSize(ACL_PRECISION_MODE) == 1);
  CHECK_OK(aclSetCompileopt(ACL_PRECISION_MODE, "must_keep"));
  CHECK(aclGetCompileoptSize(ACL_PRECISION_MODE) == 10);
  CHECK_FAILS(aclGetCompileopt(ACL_PRECISION_MODE, value, 9), ACL_ERROR_INVALID_PARAM,
              "length must be at least 10");
  int64_t param = 0;
  CHECK_FAILS(aclrtGetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, &param), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
              "was not set");
  CHECK_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &param));
  CHECK(param == 0);
  CHECK_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
  CHECK_OK(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &param));
  CHECK(param == 1);

  Session session;
  uint32_t cores = 0;
  CHECK_OK(aclrtGetStreamResLimit(nullptr, ACL_RT_DEV_RES_VECTOR_CORE, &cores));
  CHECK(cores == 48);
  CHECK_FAILS(aclrtSetStreamResLimit(nullptr, ACL_RT_DEV_RES_VECTOR_CORE, 8),
              ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "all its 48 cores");
}
