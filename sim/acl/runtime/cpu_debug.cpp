// SPDX-License-Identifier: Apache-2.0
#include "sim/cpu_debug.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "acl/acl.h"
#include "ascendc/include/kernel_cpu_debug.h"
#include "context.h"
#include "error.h"
#include "launch.h"
#include "sim/program.h"
#include "stream.h"

namespace sim::program {
namespace {

struct Shared {
  size_t bytes = 0;
  void *device = nullptr;  // during a run that uses it
};

struct State {
  std::mutex mutex;
  std::map<uintptr_t, Shared> shared;  // by the address on the host
  std::optional<KernelMode> mode;
  uint64_t tiling_key = 0;

  static State &Get() {
    static auto *state = new State;  // never destroyed: a program may free memory while it ends
    return *state;
  }
};

// The calls of this file have no result by which a program could learn that they failed.
template <typename... Parts>
[[noreturn]] void Stop(const Parts &...parts) {
  std::fprintf(stderr, "%s\n", runtime::Text(parts...).c_str());
  std::exit(EXIT_FAILURE);
}

std::string LatestError() {
  const char *text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

// The device of this thread; a program of this kind need not choose one.
std::shared_ptr<runtime::Device> ChosenDevice() {
  aclError code = ACL_SUCCESS;
  std::shared_ptr<runtime::Stream> stream = runtime::UseStream("ICPU_RUN_KF", nullptr, &code);
  if (stream == nullptr) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    stream = runtime::UseStream("ICPU_RUN_KF", nullptr, &code);
  }
  if (stream == nullptr) Stop("ICPU_RUN_KF: there is no device: ", LatestError());
  return stream->device();
}

Cores CoresOfRun(const void *function) {
  const std::optional<KernelMode> mode = State::Get().mode;
  if (!mode) return CoresOf(function);
  return *mode == KernelMode::AIV_MODE   ? Cores::kVector
         : *mode == KernelMode::AIC_MODE ? Cores::kCube
                                         : Cores::kMixed12;
}

void CopyBack() {
  for (auto &[host, shared] : State::Get().shared) {
    if (shared.device == nullptr) continue;
    aclrtMemcpy(reinterpret_cast<void *>(host), shared.bytes, shared.device, shared.bytes,
                ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(shared.device);
    shared.device = nullptr;
  }
}

}  // namespace

void SetTilingKey(uint64_t key) { State::Get().tiling_key = key; }

void *OnDevice(const void *address) {
  ChosenDevice();
  State &state = State::Get();
  std::unique_lock<std::mutex> lock(state.mutex);
  const auto at = reinterpret_cast<uintptr_t>(address);
  auto found = state.shared.upper_bound(at);
  if (found == state.shared.begin()) return const_cast<void *>(address);
  Shared &shared = (--found)->second;
  if (at - found->first >= shared.bytes) return const_cast<void *>(address);
  if (shared.device == nullptr) {
    if (aclrtMalloc(&shared.device, shared.bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
      const size_t bytes = shared.bytes;
      lock.unlock();  // the end of the program may free memory
      Stop("ICPU_RUN_KF: ", bytes, " bytes of GmAlloc do not fit on the device: ", LatestError());
    }
    aclrtMemcpy(shared.device, shared.bytes, reinterpret_cast<void *>(found->first), shared.bytes,
                ACL_MEMCPY_HOST_TO_DEVICE);
  }
  return static_cast<std::byte *>(shared.device) + (at - found->first);
}

void Run(const CpuRun &run) {
  const std::shared_ptr<runtime::Device> device = ChosenDevice();
  if (run.blocks == 0) Stop("ICPU_RUN_KF: kernel ", run.name, ": expected at least 1 block, got 0");
  Kernel kernel;
  kernel.name = run.name;
  kernel.invoke = run.invoke;
  kernel.type = static_cast<KernelType>(CoresOfRun(run.function));
  runtime::RunKernel(*device, {&kernel, run.blocks, State::Get().tiling_key, {}},
                     {const_cast<void *>(run.arguments)});
  std::lock_guard<std::mutex> lock(State::Get().mutex);
  CopyBack();
}

}  // namespace sim::program

namespace AscendC {

ACL_FUNC_VISIBILITY void *GmAlloc(size_t size) {
  void *memory = std::calloc(size == 0 ? 1 : size, 1);
  if (memory == nullptr) return nullptr;
  sim::program::State &state = sim::program::State::Get();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.shared[reinterpret_cast<uintptr_t>(memory)].bytes = size;
  return memory;
}

ACL_FUNC_VISIBILITY void GmFree(void *ptr) {
  sim::program::State &state = sim::program::State::Get();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (ptr == nullptr) return;
  if (state.shared.erase(reinterpret_cast<uintptr_t>(ptr)) == 0) {
    lock.unlock();
    sim::program::Stop("GmFree: ptr ", ptr, " is not the start of memory of GmAlloc (freed already?)");
  }
  std::free(ptr);
}

ACL_FUNC_VISIBILITY void SetKernelMode(KernelMode mode) { sim::program::State::Get().mode = mode; }

}  // namespace AscendC
