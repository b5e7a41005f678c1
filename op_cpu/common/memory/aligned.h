// SPDX-License-Identifier: Apache-2.0
// Memory that is aligned for vectors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "hwy/aligned_allocator.h"

namespace avo {

// Memory for `count` elements, or for one where that is 0. Throws std::bad_alloc where there is no memory;
// Highway's function returns null then, and kernels would write to it.
template <typename T>
hwy::AlignedFreeUniquePtr<T[]> AllocateAligned(int64_t count) {
  auto memory = hwy::AllocateAligned<T>(static_cast<size_t>(std::max<int64_t>(count, 1)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

template <typename T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <typename U>
  AlignedAllocator(const AlignedAllocator<U> &) {}

  T *allocate(size_t count) { return AllocateAligned<T>(static_cast<int64_t>(count)).release(); }
  void deallocate(T *memory, size_t) { hwy::FreeAlignedBytes(memory, nullptr, nullptr); }

  friend bool operator==(const AlignedAllocator &, const AlignedAllocator &) { return true; }
  friend bool operator!=(const AlignedAllocator &, const AlignedAllocator &) { return false; }
};

template <typename T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace avo
