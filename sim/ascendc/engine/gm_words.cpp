// SPDX-License-Identifier: Apache-2.0
#include "gm_words.h"

#include <cstring>

namespace sim {

void GmWords::Write(uint64_t address, uint64_t bytes, const std::byte *memory, Note note) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (words_.size() >= kMostWords) words_.clear();
  for (uint64_t word = address / kWord; word * kWord < address + bytes; ++word) {
    Note &entry = words_[word];
    note.old = entry.old;
    const auto offset = static_cast<int64_t>(word * kWord - address);
    if (memory != nullptr) std::memcpy(&note.old, memory + offset, kWord);
    entry = note;
  }
}

bool GmWords::Find(uint64_t address, Note *note) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = words_.find(address / kWord);
  if (found == words_.end()) return false;
  *note = found->second;
  return true;
}

}  // namespace sim
