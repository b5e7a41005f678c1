// SPDX-License-Identifier: Apache-2.0
// What printf, DumpTensor and assertions of a kernel print, for both ways to AscendC. CANN's documentation
// gives the form.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "../../engine/core.h"

namespace sim {

[[noreturn]] inline void FailAssert(const char *condition, const std::string &message, Where where) {
  Core::Current().Fail(FaultKind::kAssert, "ASSERT", where,
                       std::string(condition) + " does not hold" + (message.empty() ? "" : ": " + message));
}

// half and bfloat16_t are classes here; as arguments of printf they are numbers, like float.
template <typename T>
auto Printable(const T &value) {
  if constexpr (std::is_class_v<T>) {
    return static_cast<double>(static_cast<float>(value));
  } else {
    return value;
  }
}
inline const char *Printable(const char *text) { return text; }

template <typename... Arguments>
std::string FormatText(const char *format, const Arguments &...arguments) {
  const int length = std::snprintf(nullptr, 0, format, Printable(arguments)...);
  std::string text(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  if (length > 0) std::snprintf(text.data(), text.size() + 1, format, Printable(arguments)...);
  return text;
}
inline std::string FormatText() { return ""; }

template <typename T>
const char *ElementName() {
  if constexpr (std::is_class_v<T>) {  // 1 is 0x3c00 in half, 0x3f80 in bfloat16_t
    const T one(1.0F);
    uint16_t bits = 0;
    std::memcpy(&bits, &one, sizeof(bits));
    return bits == 0x3c00 ? "float16" : "bfloat16";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "float32";
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1 ? "int8" : sizeof(T) == 2 ? "int16" : sizeof(T) == 4 ? "int32" : "int64";
  } else {
    return sizeof(T) == 1 ? "uint8" : sizeof(T) == 2 ? "uint16" : sizeof(T) == 4 ? "uint32" : "uint64";
  }
}

template <typename T>
std::string ElementText(const T &value) {
  if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return std::to_string(static_cast<float>(value));
  }
}

// "[a, b]", or, with a shape, a list in brackets for each dimension; "-" where there are no more elements.
std::string ShapedText(const std::vector<std::string> &elements, const std::vector<uint32_t> &shape);

// The bytes from an address on, and no more than the memory, or the allocation in GM, has. No judge sees it.
std::vector<std::byte> Peek(Space space, uint64_t address, uint64_t bytes);

// Writes these bytes to a file of the host. Returns 0, or 1 where it cannot.
int SaveBytes(Space space, uint64_t address, uint64_t bytes, const std::string &file);

// Prints elements with 32 bytes in a line, which the number of its first element begins.
template <typename T>
void PrintElements(Space space, uint64_t address, uint32_t count) {
  constexpr size_t kBlock = 32;
  const std::vector<std::byte> bytes = Peek(space, address, uint64_t{count} * sizeof(T));
  std::string text;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof(T));
    if (at % kBlock == 0) text += (at == 0 ? "" : "\n") + FormatText("%04zu:", at / sizeof(T));
    text += " " + ElementText(value);
  }
  Core::Current().Print(text + "\n");
}

// Prints elements of a memory as DumpTensor does. Looking at a tensor changes nothing.
template <typename T>
void DumpElements(Space space, uint64_t address, uint32_t desc, uint32_t count,
                  const std::vector<uint32_t> &shape = {}) {
  const std::vector<std::byte> bytes = Peek(space, address, uint64_t{count} * sizeof(T));
  std::vector<std::string> elements;
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &bytes[at], sizeof(T));
    elements.push_back(ElementText(value));
  }
  Core::Current().Print(
      FormatText("DumpTensor: desc=%u, addr=0x%llx, data_type=%s, position=%s, dump_size=%u\n", desc,
                 static_cast<unsigned long long>(address), ElementName<T>(), SpaceName(space), count) +
      ShapedText(elements, shape) + "\n");
}

}  // namespace sim
