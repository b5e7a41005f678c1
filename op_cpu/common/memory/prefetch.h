// SPDX-License-Identifier: Apache-2.0
// Fetching memory ahead of its use.
#pragma once

#include <cstdint>

#include "hwy/cache_control.h"

namespace avo {

// Brings elements to the caches. A prefetch of an address without memory does nothing.
template <typename T>
HWY_INLINE void PrefetchRun(const T *run, int64_t length) {
  for (int64_t x = 0; x < length; x += 64 / sizeof(T)) hwy::Prefetch(run + x);
}

// If the elements that a vector reads lie in more bytes than these, most lines would be fetched for nothing.
constexpr int64_t kMostSpread = 32 * 64;

// Brings a run to the caches of which a vector reads some elements, unless these lie too far apart.
template <typename T>
HWY_INLINE void PrefetchSpread(const T *run, int64_t length) {
  if (length * static_cast<int64_t>(sizeof(T)) <= kMostSpread) PrefetchRun(run, length);
}

}  // namespace avo
