// SPDX-License-Identifier: Apache-2.0
// Virtual memory: a program reserves a range of addresses and maps physical memory into it, piece by piece.
#include <algorithm>

#include "context.h"
#include "device_table.h"
#include "registry.h"

using namespace sim::runtime;

namespace {

constexpr size_t kGranularity = size_t{2} << 20;  // a huge page of the device

struct PhysicalMemory {
  std::shared_ptr<Device> device;
  uint64_t place = 0;
};

Registry<PhysicalMemory> &Physicals() {
  static auto *physicals = new Registry<PhysicalMemory>;  // never destroyed: threads may outlive main
  return *physicals;
}

std::shared_ptr<PhysicalMemory> FindPhysical(const char *call, aclrtDrvMemHandle handle, aclError *code) {
  std::shared_ptr<PhysicalMemory> found = Physicals().Find(handle);
  if (found == nullptr) {
    *code = Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": handle ", handle,
                 " is no physical memory (freed already?)");
  }
  return found;
}

// Finds the device to which an address belongs.
std::shared_ptr<Device> DeviceOfAddress(const char *call, const void *address, aclError *code) {
  std::shared_ptr<Device> device = DeviceOf(address);
  if (device == nullptr) {
    *code = Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": virPtr must be a device address, got host address ",
                 address);
  }
  return device;
}

aclError Judge(const char *call, const char *subject, const void *value, const std::string &problem) {
  if (problem.empty()) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": ", subject, " ", value, " ", problem);
}

}  // namespace

extern "C" {

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t) try {
  SIM_REQUIRE_POINTER(virPtr);
  *virPtr = nullptr;
  if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": size must be greater than 0");
  if ((alignment & (alignment - 1)) != 0) {
    return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": alignment must be 0 or a power of 2, got ", alignment);
  }
  if (expectPtr != nullptr) {
    return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__, ": expectPtr must be null on this device, got ",
                expectPtr);
  }
  aclError code = ACL_SUCCESS;
  // torch_npu tries this call before it sets a device.
  const std::shared_ptr<Context> context = CurrentContextOrNull();
  const std::shared_ptr<Device> device =
      context != nullptr ? context->device() : DeviceTable::Get().Open(__func__, 0, &code);
  if (device == nullptr) return code;
  // Physical memory comes in pages of that size, and programs map it at multiples of that size.
  *virPtr = device->memory().Reserve(size, std::max<size_t>(alignment, kGranularity));
  if (*virPtr != nullptr) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, __func__, ": device ", device->id(), " has no ", size,
              " addresses in a row left");
}
SIM_CATCH

aclError aclrtReleaseMemAddress(void *virPtr) try {
  SIM_REQUIRE_POINTER(virPtr);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Device> device = DeviceOfAddress(__func__, virPtr, &code);
  if (device == nullptr) return code;
  return Judge(__func__, "virPtr", virPtr, device->memory().Release(virPtr));
}
SIM_CATCH

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop,
                             uint64_t) try {
  SIM_REQUIRE_POINTER(handle);
  SIM_REQUIRE_POINTER(prop);
  *handle = nullptr;
  if (size == 0 || size % kGranularity != 0) {
    return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": size must be a multiple of ", kGranularity, ", got ",
                size);
  }
  if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
    return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, __func__,
                ": prop->location.type must be ACL_MEM_LOCATION_TYPE_DEVICE on this device, got ",
                prop->location.type);
  }
  const std::shared_ptr<Device> device = OpenDevice(static_cast<int32_t>(prop->location.id));
  if (device == nullptr) {
    return Fail(ACL_ERROR_RT_INVALID_DEVICEID, __func__, ": prop->location.id must be an open device, got ",
                prop->location.id);
  }
  auto memory = std::make_shared<PhysicalMemory>(PhysicalMemory{device});
  if (!device->memory().AllocatePhysical(size, &memory->place)) {
    return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, __func__, ": out of memory on device ", device->id(), ": ",
                size, " bytes wanted, ", device->memory().capacity() - device->memory().used(), " free");
  }
  *handle = Physicals().Add(std::move(memory));
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) try {
  SIM_REQUIRE_POINTER(handle);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<PhysicalMemory> memory = FindPhysical(__func__, handle, &code);
  if (memory == nullptr) return code;
  code = Judge(__func__, "handle", handle, memory->device->memory().FreePhysical(memory->place));
  if (code == ACL_SUCCESS) Physicals().Take(handle);
  return code;
}
SIM_CATCH

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t) try {
  SIM_REQUIRE_POINTER(virPtr);
  SIM_REQUIRE_POINTER(handle);
  if (offset != 0) return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": offset must be 0, got ", offset);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<PhysicalMemory> memory = FindPhysical(__func__, handle, &code);
  const std::shared_ptr<Device> device =
      memory == nullptr ? nullptr : DeviceOfAddress(__func__, virPtr, &code);
  if (device == nullptr) return code;
  if (device != memory->device) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, __func__, ": virPtr belongs to device ", device->id(),
                ", handle to device ", memory->device->id());
  }
  const std::string problem = device->memory().Map(virPtr, size, memory->place);
  return problem.empty() ? ACL_SUCCESS : Fail(ACL_ERROR_RT_PARAM_INVALID, __func__, ": ", problem);
}
SIM_CATCH

aclError aclrtUnmapMem(void *virPtr) try {
  SIM_REQUIRE_POINTER(virPtr);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Device> device = DeviceOfAddress(__func__, virPtr, &code);
  if (device == nullptr) return code;
  return Judge(__func__, "virPtr", virPtr, device->memory().Unmap(virPtr));
}
SIM_CATCH

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions,
                                          size_t *granularity) try {
  SIM_REQUIRE_POINTER(prop);
  SIM_REQUIRE_POINTER(granularity);
  *granularity = kGranularity;
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
