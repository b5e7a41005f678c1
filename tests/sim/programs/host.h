// SPDX-License-Identifier: Apache-2.0
// What the host code of these programs has in common.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"

// A device with one stream, and int32_t numbers in its memory.
class Device {
 public:
  Device() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
  }
  ~Device() {
    for (void *one : allocated_) aclrtFree(one);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
  }

  uint8_t *Numbers(const std::vector<int32_t> &values) {
    void *memory = nullptr;
    const size_t bytes = values.size() * sizeof(int32_t);
    aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    allocated_.push_back(memory);
    return static_cast<uint8_t *>(memory);
  }

  // Waits for the stream, and prints the numbers after a title; ends the program where the stream failed.
  void Print(const char *title, const void *memory, size_t count) {
    const aclError failed = aclrtSynchronizeStream(stream);
    if (failed != ACL_SUCCESS) {
      const char *why = aclGetRecentErrMsg();
      std::printf("%s: error %d: %s\n", title, failed, why == nullptr ? "" : why);
      return;
    }
    std::vector<int32_t> values(count);
    aclrtMemcpy(values.data(), count * sizeof(int32_t), memory, count * sizeof(int32_t), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%s:", title);
    for (const int32_t value : values) std::printf(" %d", value);
    std::printf("\n");
  }

  aclrtStream stream = nullptr;

 private:
  std::vector<void *> allocated_;
};
