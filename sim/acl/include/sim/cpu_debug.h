// SPDX-License-Identifier: Apache-2.0
// Runs of kernels by ICPU_RUN_KF (kernel_cpu_debug.h). Memory of GmAlloc lies on the host; a run copies what
// its arguments point to onto the device and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sim::program {

__attribute__((visibility("default"))) void SetTilingKey(uint64_t key);

// What a run calls: `invoke` finds `arguments` at arguments[0]. function: the kernel, where it is one of the
// source; it says which cores run.
struct CpuRun {
  const char *name;
  const void *function;
  uint32_t blocks;
  void (*invoke)(void *const *arguments);
  const void *arguments;
};
// The address on the device of memory of GmAlloc, which it copies there; other addresses stay as they are.
__attribute__((visibility("default"))) void *OnDevice(const void *shared);
// Runs a kernel, copies the memory back and frees it on the device.
__attribute__((visibility("default"))) void Run(const CpuRun &run);

template <typename T>
T OnDeviceValue(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return (T)OnDevice((const void *)value);
  } else {
    return value;
  }
}

template <typename Kernel, typename Values, typename Indices>
struct CpuCall;
template <typename Kernel, typename... Arguments, size_t... indices>
struct CpuCall<Kernel, std::tuple<Arguments...>, std::index_sequence<indices...>> {
  Kernel kernel;
  std::tuple<Arguments...> values;

  // Calls the kernel without a function in between, as the calls that a fault shows begin below this one.
  static void Invoke(void *const *arguments) {
    const auto &call = *static_cast<const CpuCall *>(arguments[0]);
    call.kernel(std::get<indices>(call.values)...);
  }
};

// Takes a function, or a lambda that calls an instance of a template.
template <typename Kernel, typename... Arguments>
void RunOnCpu(Kernel kernel, const char *name, uint32_t blocks, Arguments... arguments) {
  using Call = CpuCall<Kernel, std::tuple<Arguments...>, std::index_sequence_for<Arguments...>>;
  const Call call{kernel, {OnDeviceValue(arguments)...}};
  const void *function = nullptr;
  if constexpr (std::is_pointer_v<Kernel>) function = reinterpret_cast<const void *>(kernel);
  Run({name, function, blocks, Call::Invoke, &call});
}

}  // namespace sim::program
