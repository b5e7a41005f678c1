// SPDX-License-Identifier: Apache-2.0
// Words of GM by which cores tell each other that something is done: one writes a word, another one reads it
// again and again until it has changed. Who reads what was written knows all that the writer knew.
//
//   core 0   SetValue(data)  clean  SetValue(word)  clean ─────┐ published
//   core 1   clean  GetValue(word) = 0   clean  GetValue(word) = 1   clean  GetValue(data)
//
// A write of the scalar unit is published when its line is written back, or at once where it goes past the
// data cache; small copies are published too. Cores may also count in a word, by atomic copies of int32_t: a
// core that reads the count knows all that the cores knew which have added to it. A read is only taken for
// one of these where it looks into GM: past the data cache, or in a line that DataCacheCleanAndInvalid has
// just named.
//
// Nothing orders the first such read after the write, so that it gets the old value: a core that goes on with
// it does not wait for the word, and that is found as a conflict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "clock.h"

namespace sim {

class GmWords {
 public:
  struct Note {
    uint32_t core = 0;  // that wrote the word last
    bool published = false;
    bool counts = false;   // it added to the word, so that `known` has what the cores before it knew, too
    uint32_t old = 0;      // what the word held before
    Clock own{};           // what that core had done
    GlobalClockPtr known;  // and what it knew of others
    uint32_t post = 0;     // the write for the cost model, where Scheduler::posts_writes()
  };
  // Of a write that may tell something. A message of CANN's Matmul has two lines of the data cache.
  static constexpr uint64_t kMostBytes = 128;

  // Of a row that counts: a copy may add to a count of each core.
  static constexpr uint32_t kCount = 32;

  static constexpr uint64_t kWord = 4;  // bytes

  // A note that counts joins what is known of each word. `memory`: the host's address of `address`, whose
  // bytes have not changed yet; null: they have, and the core has noted that before.
  void Write(uint64_t address, uint64_t bytes, const std::byte *memory, Note note);
  bool Find(uint64_t address, Note *note) const;
  // Says that a core asks for these words: they are kept for the whole launch.
  void Keep(uint64_t address, uint64_t bytes);

 private:
  // Words that nobody has read yet are kept in two maps; when the younger one is full, the older one goes.
  static constexpr size_t kMostWords = 1 << 17;
  using Words = std::unordered_map<uint64_t, Note>;

  const Note *Look(uint64_t word) const;

  mutable std::mutex mutex_;
  Words polled_;
  Words younger_;
  Words older_;
};

}  // namespace sim
