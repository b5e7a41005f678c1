// SPDX-License-Identifier: Apache-2.0
// What stands between the host code of a program and its kernels. `avo sim build` puts it before a source,
// and writes
//
//   add<<<8, nullptr, stream>>>(x, y);   as   sim::program::Launch<add>("add", 8, nullptr, stream)(x, y);
//   __global__ void add(…) { … }         as   void add(…) { … } and after it a Definition of add
//
// With CANN's own headers a source is compiled once for vector and once for cube cores. The second object
// defines the code of cube cores alone; its launches are never called.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cpu_debug.h"
#include "engine/core.h"
#include "engine/current_core.h"
#include "include/sim/asc_dump.h"

namespace sim::program {

// The cores of a block, as sim::KernelType has them.
enum class Cores : uint8_t { kVector, kCube, kMixed12, kMixed11 };

struct KernelCode {
  const void *function;   // the kernel, by which launches find it
  const char *signature;  // names the kernel, the same for both kinds of core
  Cores cores;
  void (*invoke)(void *const *arguments);
  void (*prepare)(void *workspace);  // of kernels on CANN's own headers
  bool cube;                         // the code is that of cube cores
};

// Makes a kernel known to launches of this process.
__attribute__((visibility("default"))) void Define(const KernelCode &code);
// The cores of a kernel that is known; those of a mixed kernel for any other function.
__attribute__((visibility("default"))) Cores CoresOf(const void *function);
// Appends a launch to the stream. `arguments`: what `invoke` finds at arguments[0].
__attribute__((visibility("default"))) void Start(const void *function, const char *name, uint32_t blocks,
                                                  void *stream, std::shared_ptr<const void> arguments);

#if defined(__DAV_VEC__) || defined(__DAV_CUBE__)
static void SetWorkspaceOfCore(void *workspace);  // program_end.h
constexpr void (*kPrepare)(void *) = SetWorkspaceOfCore;
#else
constexpr void (*kPrepare)(void *) = nullptr;
#endif
#ifdef __DAV_CUBE__
constexpr bool kCubeCode = true;
#else
constexpr bool kCubeCode = false;
#endif

// The bytes of UB, from its start on, that arrays of the functions which now run on this core have.
inline thread_local uint64_t ub_of_arrays = 0;

// An array that a function declares in UB: `__ubuf__ float row[64];`. It counts from 0, as all of UB.
template <typename Array>
class UbArray {
 public:
  explicit UbArray(Where where = Where::Here()) : begin_(ub_of_arrays) {
    constexpr uint64_t kBlock = 32;
    const uint64_t end = begin_ + (sizeof(Array) + kBlock - 1) / kBlock * kBlock;
    Core &core = Core::Current();
    if (end > core.BytesOf(Space::UB)) {
      core.Fail(FaultKind::kUbCapacity, "__ubuf__", where,
                "arrays in the Unified Buffer must have at most " + std::to_string(core.BytesOf(Space::UB)) +
                    " bytes together, got " + std::to_string(end));
    }
    ub_of_arrays = end;
  }
  UbArray(const UbArray &) = delete;
  UbArray &operator=(const UbArray &) = delete;
  ~UbArray() { ub_of_arrays = begin_; }
  Array &get() const { return *reinterpret_cast<Array *>(begin_); }

 private:
  const uint64_t begin_;
};

template <auto kernel, typename Values, typename Indices>
struct Code;
template <auto kernel, typename Values, size_t... indices>
struct Code<kernel, Values, std::index_sequence<indices...>> {
  static const char *Signature() { return __PRETTY_FUNCTION__; }
  // Calls the kernel without a function in between, as the calls that a fault shows begin below this one.
  static void Invoke(void *const *arguments) {
    [[maybe_unused]] const auto &values = *static_cast<const Values *>(arguments[0]);
    ub_of_arrays = 0;  // a fault may have ended the kernel before this one anywhere
    kernel(std::get<indices>(values)...);
  }
};

template <auto kernel, typename... Parameters>
KernelCode CodeOf(void (*function)(Parameters...), Cores cores) {
  using Values = std::tuple<std::decay_t<Parameters>...>;
  using Own = Code<kernel, Values, std::index_sequence_for<Parameters...>>;
  return {
      reinterpret_cast<const void *>(function), Own::Signature(), cores, Own::Invoke, kPrepare, kCubeCode};
}

// Defines a kernel before main begins.
template <auto kernel, Cores cores>
struct Definition {
  Definition() { Define(CodeOf<kernel>(+kernel, cores)); }
};

// Arguments become what the kernel takes, as in a call; pointers to device memory have any type on the host.
template <typename To, typename From>
To Converted(From &&value) {
  if constexpr (!std::is_pointer_v<To>) {
    return static_cast<To>(std::forward<From>(value));
  } else if constexpr (std::is_same_v<std::decay_t<From>, std::nullptr_t>) {
    return nullptr;
  } else {
    return (To)value;
  }
}

inline void *StreamOf() { return nullptr; }
template <typename First, typename... Rest>
void *StreamOf(First &&first, Rest &&...rest) {
  if constexpr (sizeof...(Rest) != 0) {
    return StreamOf(std::forward<Rest>(rest)...);
  } else {
    return Converted<void *>(std::forward<First>(first));
  }
}

template <typename... Parameters>
class PointerLaunch {
 public:
  PointerLaunch(void (*kernel)(Parameters...), const char *name, uint32_t blocks, void *stream)
      : kernel_(kernel), name_(name), blocks_(blocks), stream_(stream) {}

  // Takes {…} too, for structs.
  void operator()(std::decay_t<Parameters>... values) const {
    Begin(std::make_shared<const Values>(std::move(values)...));
  }

  template <typename... Arguments>
  void operator()(Arguments &&...arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "a launch must give each parameter a value");
    Begin(std::make_shared<const Values>(
        Converted<std::decay_t<Parameters>>(std::forward<Arguments>(arguments))...));
  }

 private:
  using Values = std::tuple<std::decay_t<Parameters>...>;

  void Begin(std::shared_ptr<const void> values) const {
    Start(reinterpret_cast<const void *>(kernel_), name_, blocks_, stream_, std::move(values));
  }

  void (*const kernel_)(Parameters...);
  const char *const name_;
  const uint32_t blocks_;
  void *const stream_;
};

// A launch of any function that was defined: `kernel<<<blocks, bytes of UB, stream>>>`.
template <typename... Parameters, typename... Settings>
PointerLaunch<Parameters...> LaunchPointer(void (*kernel)(Parameters...), const char *name, uint32_t blocks,
                                           Settings &&...settings) {
  return {kernel, name, blocks, StreamOf(std::forward<Settings>(settings)...)};
}

// A launch of a kernel that is defined elsewhere, or above. The return type is not deduced, so that a launch
// in a branch that `if constexpr` leaves out instantiates nothing.
template <auto kernel, typename... Settings>
auto Launch(const char *name, uint32_t blocks, Settings &&...settings)
    -> decltype(LaunchPointer(+kernel, name, blocks, std::forward<Settings>(settings)...)) {
  return LaunchPointer(+kernel, name, blocks, std::forward<Settings>(settings)...);
}

// The definition of an instance of a kernel template, which its launches make.
template <auto kernel, Cores cores>
struct Instance {
  static inline const Definition<kernel, cores> defined;
};

template <auto kernel, Cores cores, typename... Settings>
auto LaunchInstance(const char *name, uint32_t blocks, Settings &&...settings)
    -> decltype(LaunchPointer(+kernel, name, blocks, std::forward<Settings>(settings)...)) {
  static_cast<void>(&Instance<kernel, cores>::defined);
  return Launch<kernel>(name, blocks, std::forward<Settings>(settings)...);
}

// The instance of a kernel template that a launch without template arguments chooses: its declaration stands
// behind the template, and `Chooser` calls it with the launch's arguments.
template <auto kernel>
struct Chosen {
  static constexpr auto instance = kernel;
};

template <Cores cores, typename Chooser, typename... Settings>
auto LaunchDeduced(const Chooser &, const char *name, uint32_t blocks, Settings &&...settings) {
  void *stream = StreamOf(std::forward<Settings>(settings)...);
  return [name, blocks, stream](auto &&...values) -> void {
    using Instance = decltype(std::declval<const Chooser &>()(values...));
    LaunchInstance<Instance::instance, cores>(name, blocks,
                                              stream)(std::forward<decltype(values)>(values)...);
  };
}

// printf and assert of a source, which its host code and its kernels may call.
template <typename... Arguments>
int Print(const char *format, const Arguments &...arguments) {
  if (!InKernel()) return std::printf(format, Printable(arguments)...);
  Core::Current().Print(FormatText(format, arguments...));
  return 0;
}
// `message`: a format with its arguments, which ascendc_assert may have.
template <typename... Message>
[[noreturn]] void FailAssertion(const char *condition, const char *file, unsigned line, const char *function,
                                const Message &...message) {
  if (!InKernel()) __assert_fail(condition, file, line, function);
  FailAssert(condition, FormatText(message...), Where{file, static_cast<int>(line)});
}

// DumpTensor and DumpAccChkPoint on CANN's own headers; program_end.h defines them.
template <typename Tensor>
void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count);
template <typename Tensor, typename Shape>
void DumpTensor(const Tensor &tensor, uint32_t desc, uint32_t count, const Shape &shape);
template <typename Tensor>
void DumpAccChkPoint(const Tensor &tensor, uint32_t desc, uint32_t offset, uint32_t count);

}  // namespace sim::program
