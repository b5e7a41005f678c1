// SPDX-License-Identifier: Apache-2.0
#include "gm_words.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace sim {

const GmWords::Note *GmWords::Look(uint64_t word) const {
  for (const Words *words : {&polled_, &younger_, &older_}) {
    const auto found = words->find(word);
    if (found != words->end()) return &found->second;
  }
  return nullptr;
}

namespace {

// What either knew.
GlobalClockPtr Joined(const GlobalClockPtr &known, const GmWords::Note &before) {
  auto joined = std::make_shared<GlobalClock>(known != nullptr ? *known : GlobalClock{});
  const GlobalClock others = before.known != nullptr ? *before.known : GlobalClock{};
  joined->resize(std::max({joined->size(), others.size(), size_t{before.core} + 1}));
  for (size_t core = 0; core < others.size(); ++core) Join(&(*joined)[core], others[core]);
  Join(&(*joined)[before.core], before.own);
  return joined;
}

}  // namespace

void GmWords::Write(uint64_t address, uint64_t bytes, const std::byte *memory, Note note) {
  std::lock_guard<std::mutex> lock(mutex_);
  const GlobalClockPtr known = note.known;
  Note joined;  // what `note` was joined with last: words side by side mostly have the same note
  for (uint64_t word = address / kWord; word * kWord < address + bytes; ++word) {
    const Note *const before = Look(word);
    note.old = before != nullptr ? before->old : 0;
    const Note other = note.counts && before != nullptr && before->published ? *before : Note{};
    if (other.own != joined.own || other.known != joined.known || other.core != joined.core) {
      note.known = Joined(known, other);
      joined = other;
    }
    const auto offset = static_cast<int64_t>(word * kWord - address);
    if (memory != nullptr) std::memcpy(&note.old, memory + offset, kWord);
    const auto polled = polled_.find(word);
    if (polled != polled_.end()) {
      polled->second = note;
      continue;
    }
    if (younger_.size() >= kMostWords) {
      older_ = std::move(younger_);
      younger_.clear();
    }
    younger_[word] = note;
  }
}

bool GmWords::Find(uint64_t address, Note *note) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const Note *const found = Look(address / kWord);
  if (found != nullptr) *note = *found;
  return found != nullptr;
}

void GmWords::Keep(uint64_t address, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (uint64_t word = address / kWord; word * kWord < address + bytes; ++word) {
    const Note *const known = Look(word);
    if (known != nullptr) polled_.emplace(word, *known);
  }
}

}  // namespace sim
