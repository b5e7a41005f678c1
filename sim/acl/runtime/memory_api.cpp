// SPDX-License-Identifier: Apache-2.0
#include "context.h"
#include "device_table.h"
#include "memory.h"

using namespace sim::runtime;

namespace {

constexpr uint64_t kAlignment = 512;
constexpr uint32_t kPageSize = 4096;
constexpr uint64_t kBlock = 32;

// A device allocates whole blocks of 32 bytes and, where `more` says so, one more: kernels may touch these.
aclError Allocate(const char *call, void **pointer, size_t size, bool more) {
  *pointer = nullptr;
  if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, call, ": size must be greater than 0");
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(call, &code);
  if (context == nullptr) return code;
  sim::DeviceMemory &memory = context->device()->memory();
  *pointer = memory.Allocate(size, kAlignment, (kBlock - size % kBlock) % kBlock + (more ? kBlock : 0));
  if (*pointer != nullptr) return ACL_SUCCESS;
  const uint64_t whole = context->device()->memory_bytes();
  const std::string limited = memory.capacity() >= whole
                                  ? ""
                                  : Text("; a limit on addresses (ulimit -v) leaves it so many of ", whole);
  return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, call, ": out of memory on device ", context->device()->id(),
              ": ", size, " bytes wanted, ", memory.capacity() - memory.used(), " of ", memory.capacity(),
              " free", limited);
}

aclError Release(const char *call, void *pointer) {
  if (const aclError code = RefuseFork(call); code != ACL_SUCCESS) return code;
  const std::shared_ptr<Device> device = DeviceOf(pointer);
  if (device == nullptr) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": devPtr must be device memory, got host address ",
                pointer);
  }
  if (device->memory().Free(pointer)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": devPtr ", pointer,
              " is not the start of a live allocation (freed already?)");
}

aclError ReleaseHost(const char *call, void *pointer) {
  if (PinnedMemory::Free(pointer)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_PARAM_INVALID, call, ": hostPtr ", pointer,
              " was not allocated by aclrtMallocHost, or is freed already");
}

aclError AllocateHost(const char *call, void **pointer, size_t size) {
  *pointer = nullptr;
  if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, call, ": size must be greater than 0");
  *pointer = PinnedMemory::Allocate(size);
  if (*pointer != nullptr) return ACL_SUCCESS;
  return Fail(ACL_ERROR_RT_MEMORY_ALLOCATION, call, ": the host has no ", size, " bytes");
}

// Host and device share one coherent memory here, so that only the range is checked.
aclError CheckCacheRange(const char *call, void *pointer, size_t size) {
  Range range;
  const Status status = CheckRange("devPtr", pointer, size, Side::kDevice, &range);
  return ReturnStatus(call, status);
}

}  // namespace

extern "C" {

aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy) try {
  SIM_REQUIRE_POINTER(devPtr);
  return Allocate(__func__, devPtr, size, true);
}
SIM_CATCH

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy) try {
  SIM_REQUIRE_POINTER(devPtr);
  return Allocate(__func__, devPtr, size, false);
}
SIM_CATCH

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy) try {
  SIM_REQUIRE_POINTER(devPtr);
  return Allocate(__func__, devPtr, size, true);
}
SIM_CATCH

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy, aclrtMallocConfig *) try {
  SIM_REQUIRE_POINTER(devPtr);
  return Allocate(__func__, devPtr, size, true);
}
SIM_CATCH

// Frees at once, without waiting for streams: a queued task that still uses the memory fails.
aclError aclrtFree(void *devPtr) try {
  SIM_REQUIRE_POINTER(devPtr);
  return Release(__func__, devPtr);
}
SIM_CATCH

aclError aclrtFreeWithDevSync(void *devPtr) try {
  SIM_REQUIRE_POINTER(devPtr);
  const aclError code = aclrtSynchronizeDevice();
  return code != ACL_SUCCESS ? code : Release(__func__, devPtr);
}
SIM_CATCH

aclError aclrtMallocHost(void **hostPtr, size_t size) try {
  SIM_REQUIRE_POINTER(hostPtr);
  return AllocateHost(__func__, hostPtr, size);
}
SIM_CATCH

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *) try {
  SIM_REQUIRE_POINTER(ptr);
  return AllocateHost(__func__, ptr, size);
}
SIM_CATCH

aclError aclrtFreeHost(void *hostPtr) try {
  SIM_REQUIRE_POINTER(hostPtr);
  return ReleaseHost(__func__, hostPtr);
}
SIM_CATCH

aclError aclrtFreeHostWithDevSync(void *hostPtr) try {
  SIM_REQUIRE_POINTER(hostPtr);
  const aclError code = aclrtSynchronizeDevice();
  return code != ACL_SUCCESS ? code : ReleaseHost(__func__, hostPtr);
}
SIM_CATCH

// Kernels on the simulated device cannot reach host memory: to register memory pins it and maps nothing.
aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType, void **devPtr) try {
  SIM_REQUIRE_POINTER(ptr);
  if (size == 0) return Fail(ACL_ERROR_INVALID_PARAM, __func__, ": size must be greater than 0");
  if (devPtr != nullptr) *devPtr = ptr;
  PinnedMemory::Register(ptr, size);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtHostUnregister(void *ptr) try {
  SIM_REQUIRE_POINTER(ptr);
  if (PinnedMemory::Unregister(ptr)) return ACL_SUCCESS;
  return Fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, __func__, ": ptr ", ptr, " is not registered");
}
SIM_CATCH

aclError aclrtMemFlush(void *devPtr, size_t size) try {
  SIM_REQUIRE_POINTER(devPtr);
  return CheckCacheRange(__func__, devPtr, size);
}
SIM_CATCH

aclError aclrtMemInvalidate(void *devPtr, size_t size) try {
  SIM_REQUIRE_POINTER(devPtr);
  return CheckCacheRange(__func__, devPtr, size);
}
SIM_CATCH

aclError aclrtGetMemInfo(aclrtMemAttr, size_t *free, size_t *total) try {
  SIM_REQUIRE_POINTER(free);
  SIM_REQUIRE_POINTER(total);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(__func__, &code);
  if (context == nullptr) return code;
  *total = context->device()->memory().capacity();
  *free = *total - context->device()->memory().used();
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes) try {
  SIM_REQUIRE_POINTER(ptr);
  SIM_REQUIRE_POINTER(attributes);
  *attributes = {};
  attributes->pageSize = kPageSize;
  Range range;
  if (!CheckRange("ptr", ptr, 1, Side::kEither, &range).ok()) {
    attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  } else if (range.device != nullptr) {
    attributes->location = {static_cast<uint32_t>(range.device->id()), ACL_MEM_LOCATION_TYPE_DEVICE};
  } else {
    attributes->location.type =
        range.pinned ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
  }
  return ACL_SUCCESS;
}
SIM_CATCH

}  // extern "C"
