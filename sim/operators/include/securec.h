// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that are given the size of the destination and return what went wrong, as
// sources for CANN use them. Where the size does not suffice nothing is written.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstring>

using errno_t = int;
#ifndef EOK
#define EOK 0
#endif

inline errno_t memset_s(void *dest, size_t destMax, int c, size_t count) {
  if (dest == nullptr) return EINVAL;
  if (count > destMax) return ERANGE;
  std::memset(dest, c, count);
  return EOK;
}
inline errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count) {
  if (dest == nullptr || src == nullptr) return EINVAL;
  if (count > destMax) return ERANGE;
  std::memmove(dest, src, count);
  return EOK;
}
inline errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count) {
  return memmove_s(dest, destMax, src, count);
}
inline errno_t strcpy_s(char *strDest, size_t destMax, const char *strSrc) {
  return strSrc == nullptr ? EINVAL : memmove_s(strDest, destMax, strSrc, std::strlen(strSrc) + 1);
}
