// SPDX-License-Identifier: Apache-2.0
// Memory that a thread keeps from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "op_cpu/common/memory/aligned.h"

namespace avo {

// Where an array of KeptMemory begins, and its elements.
template <typename T>
struct KeptArray {
  T **begin;
  int64_t count;
};
template <typename T>
KeptArray(T **, int64_t) -> KeptArray<T>;

// The arrays of an object of class `User`, of which a thread has one at a time. Small calls save some 30 ns
// for each array that they need not allocate, and larger ones the time in which the system clears new pages.
// A thread keeps at most kMost bytes for a class.
template <class User>
class KeptMemory {
 public:
  // Allocates arrays that live as long as this object, or until it allocates again. Their elements have any
  // values.
  template <typename... Ts>
  void Allocate(KeptArray<Ts>... arrays) {
    std::byte *next = Memory((BytesOf(arrays) + ...));
    ((*arrays.begin = reinterpret_cast<Ts *>(next), next += BytesOf(arrays)), ...);
  }

 private:
  static constexpr int64_t kAlignment = 64, kMost = 1 << 20;

  template <typename T>
  static int64_t BytesOf(const KeptArray<T> &array) {
    return (array.count * static_cast<int64_t>(sizeof(T)) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::byte *Memory(int64_t bytes) {
    static thread_local AlignedVector<std::byte> kept;
    if (bytes > kMost) {
      own_ = AllocateAligned<std::byte>(bytes);
      return own_.get();
    }
    if (static_cast<int64_t>(kept.size()) < bytes) {
      kept = {};
      kept.resize(bytes);
    }
    return kept.data();
  }

  hwy::AlignedFreeUniquePtr<std::byte[]> own_;
};

}  // namespace avo
