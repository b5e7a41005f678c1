// SPDX-License-Identifier: Apache-2.0
// One bit a byte of an on-chip memory: has anything written it?
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

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

  // Offset from `begin` of the first byte that is not set, or `bytes`.
  uint64_t FirstUnset(uint64_t begin, uint64_t bytes) const {
    const uint64_t end = begin + bytes;
    for (uint64_t position = begin; position < end;) {
      const uint64_t missing = ~words_[position / 64] >> (position % 64);
      if (missing != 0)
        return std::min(position + static_cast<uint64_t>(__builtin_ctzll(missing)), end) - begin;
      position = (position / 64 + 1) * 64;
    }
    return bytes;
  }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace sim
