// SPDX-License-Identifier: Apache-2.0
// Functions of C that take the size of what they write to, under the names of the library that CANN brings.
// They write nothing where it does not fit, and return why.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>

#ifndef EOK
#define EOK 0
#endif
using errno_t = int;

// Copies `count` bytes; the memories may not overlap.
inline errno_t memcpy_s(void *to, size_t capacity, const void *from, size_t count) {
  if (to == nullptr || from == nullptr) return EINVAL;
  if (count > capacity) return ERANGE;
  std::memcpy(to, from, count);
  return EOK;
}

inline errno_t memmove_s(void *to, size_t capacity, const void *from, size_t count) {
  if (to == nullptr || from == nullptr) return EINVAL;
  if (count > capacity) return ERANGE;
  std::memmove(to, from, count);
  return EOK;
}

inline errno_t memset_s(void *to, size_t capacity, int value, size_t count) {
  if (to == nullptr) return EINVAL;
  if (count > capacity) return ERANGE;
  std::memset(to, value, count);
  return EOK;
}

inline errno_t strcpy_s(char *to, size_t capacity, const char *from) {
  return from == nullptr ? EINVAL : memcpy_s(to, capacity, from, std::strlen(from) + 1);
}
