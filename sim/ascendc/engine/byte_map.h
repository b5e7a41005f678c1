// SPDX-License-Identifier: Apache-2.0
// One bit for each byte of an on-chip memory, which says whether anything wrote the byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

// Looks at `count` bits from bit `begin` on. Returns the offset of the first one that is `set` from `begin`,
// or `count` where there is none. Other threads may set bits meanwhile.
inline uint64_t FirstBit(bool set, const uint64_t *words, uint64_t begin, uint64_t count) {
  const uint64_t end = begin + count;
  for (uint64_t position = begin; position < end;) {
    const uint64_t word = __atomic_load_n(&words[position / 64], __ATOMIC_RELAXED);
    const uint64_t found = (set ? word : ~word) >> (position % 64);
    if (found != 0) {
      return std::min(position + static_cast<uint64_t>(__builtin_ctzll(found)), end) - begin;
    }
    position = (position / 64 + 1) * 64;
  }
  return count;
}

class ByteMap {
 public:
  void Reset(uint64_t bytes) { words_.assign((bytes + 63) / 64, 0); }

  void Set(uint64_t begin, uint64_t bytes) {
    if (bytes == 0) return;
    const uint64_t last = begin + bytes - 1;
    const uint64_t head = Head(begin);
    const uint64_t tail = Tail(last);
    if (begin / 64 == last / 64) {
      words_[begin / 64] |= head & tail;
      return;
    }
    words_[begin / 64] |= head;
    std::fill(words_.begin() + static_cast<int64_t>(begin / 64 + 1),
              words_.begin() + static_cast<int64_t>(last / 64), ~uint64_t{0});
    words_[last / 64] |= tail;
  }

  void Clear(uint64_t begin, uint64_t bytes) {
    for (uint64_t bit = begin; bit < begin + bytes; ++bit) words_[bit / 64] &= ~(uint64_t{1} << (bit % 64));
  }

  bool AllSet(uint64_t begin, uint64_t bytes) const {
    if (bytes == 0) return true;
    const uint64_t last = begin + bytes - 1;
    uint64_t missing = ~words_[begin / 64] & Head(begin);
    if (begin / 64 == last / 64) return (missing & Tail(last)) == 0;
    for (uint64_t word = begin / 64 + 1; word < last / 64; ++word) missing |= ~words_[word];
    return (missing | (~words_[last / 64] & Tail(last))) == 0;
  }

  uint64_t FirstUnset(uint64_t begin, uint64_t bytes) const {
    return FirstBit(false, words_.data(), begin, bytes);
  }

 private:
  // The bits of a word from this one on, and those up to this one.
  static uint64_t Head(uint64_t bit) { return ~uint64_t{0} << (bit % 64); }
  static uint64_t Tail(uint64_t bit) { return ~uint64_t{0} >> (63 - bit % 64); }

  std::vector<uint64_t> words_;
};

}  // namespace sim
