// SPDX-License-Identifier: Apache-2.0
// Functions to look into a kernel: printf, DumpTensor and ASSERT.
#pragma once

#include <cstdio>
#include <string>

#include "kernel_tensor.h"

namespace sim {

[[noreturn]] inline void FailAssert(const char *condition, const std::string &message, Where where) {
  Core::Current().Fail(FaultKind::kAssert, "ASSERT", where,
                       std::string(condition) + " does not hold" + (message.empty() ? "" : ": " + message));
}

template <typename... Arguments>
std::string FormatText(const char *format, const Arguments &...arguments) {
  const int length = std::snprintf(nullptr, 0, format, arguments...);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0) std::snprintf(text.data(), text.size() + 1, format, arguments...);
  return text;
}
inline std::string FormatText() { return ""; }

// One write for the whole text, so that the lines of several blocks do not mix.
inline void Print(const std::string &text) { std::fwrite(text.data(), 1, text.size(), stdout); }

template <typename Read>
void DumpValues(const char *kind, uint32_t desc, uint32_t count, Read &&read) {
  std::string text = std::string("DumpTensor ") + kind + ", desc " + std::to_string(desc) + ", block " +
                     std::to_string(Core::Current().BlockIdx()) + ", " + std::to_string(count) +
                     " elements: [";
  for (uint32_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(static_cast<double>(read(i)));
  Print(text + "]\n");
}

}  // namespace sim

namespace AscendC {

template <class... Args>
inline void printf(const char *fmt, Args &&...args) {
  sim::Print(sim::FormatText(fmt, args...));
}
template <class... Args>
inline void PRINTF(const char *fmt, Args &&...args) {
  sim::Print(sim::FormatText(fmt, args...));
}

template <typename T>
inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  sim::DumpValues(sim::SpaceName(tensor.space), desc, dumpSize,
                  [&tensor](uint32_t i) { return tensor.GetValue(i); });
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize) {
  sim::DumpValues("GM", desc, dumpSize, [&tensor](uint32_t i) { return tensor.GetValue(i); });
}

template <typename T>
inline void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &) {
  DumpTensor(tensor, desc, dumpSize);
}

template <typename T>
inline void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &) {
  DumpTensor(tensor, desc, dumpSize);
}

}  // namespace AscendC

#undef ASSERT
#define ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::sim::FailAssert(#condition, "", ::sim::Where{__FILE__, __LINE__}))
// ascendc_assert(condition) or ascendc_assert(condition, format, arguments...)
#define ascendc_assert(condition, ...) \
  ((condition)                         \
       ? static_cast<void>(0)          \
       : ::sim::FailAssert(#condition, ::sim::FormatText(__VA_ARGS__), ::sim::Where{__FILE__, __LINE__}))
