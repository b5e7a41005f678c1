// SPDX-License-Identifier: Apache-2.0
// Memory that a thread keeps from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "op_cpu/common/memory/aligned.h"

namespace avo {

// Arrays of one object of class `User`, of which a thread has one at a time. Small calls save some 30 ns for
// each array that they need not allocate, and large calls the time in which the system clears new pages.
// Elements have any values at first, but once they were those of such an array, or 0.
template <class User>
class KeptMemory {
 public:
  explicit KeptMemory(int64_t bytes) {
    static thread_local AlignedVector<std::byte> memory;
    if (static_cast<int64_t>(memory.size()) < bytes) {
      memory = {};
      memory.resize(bytes);
    }
    next_ = memory.data();
  }

  // The bytes that Take needs for an array.
  template <typename T>
  static constexpr int64_t BytesOf(int64_t count) {
    return (count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
  }

  // The next array. The sum of all BytesOf must be at most what the constructor got.
  template <typename T>
  T *Take(int64_t count) {
    auto *const taken = reinterpret_cast<T *>(next_);
    next_ += BytesOf<T>(count);
    return taken;
  }

 private:
  static constexpr int64_t kAlignment = 64;
  std::byte *next_;
};

}  // namespace avo
