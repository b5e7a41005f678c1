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
    const uint64_t head = ~uint64_t{0} << (begin % 64);
    const uint64_t tail = ~uint64_t{0} >> (63 - last % 64);
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

  uint64_t FirstUnset(uint64_t begin, uint64_t bytes) const {
    return FirstBit(false, words_.data(), begin, bytes);
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace sim
