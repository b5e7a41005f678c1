// SPDX-License-Identifier: Apache-2.0
// Which bits of an on-chip memory hold values. A bit is undefined where nobody wrote it, or where it was
// computed from undefined bits.
//
//   defined_    a bit for each byte: all eight bits of the byte are defined
//   holes_      for a byte that is not: which of its bits are undefined
//   origins_    for such a byte: where its undefined bits come from (Values::Origin); 0: nobody wrote it
//
// The last two exist only after an undefined value was read.
#pragma once

#include "byte_map.h"

namespace sim {

class ValueMap {
 public:
  void Reset(uint64_t bytes) {
    bytes_ = bytes;
    defined_.Reset(bytes);
    holes_.clear();
    origins_.clear();
  }

  uint64_t bytes() const { return bytes_; }
  void Define(uint64_t begin, uint64_t bytes) { defined_.Set(begin, bytes); }
  void DefineBits(uint64_t byte, uint8_t bits) {
    const auto left = static_cast<uint8_t>(Holes(byte) & ~bits);
    if (left == 0) return Define(byte, 1);
    Undefine(byte, 1, 0, Origin(byte));
    holes_[byte] = left;
  }
  bool Defined(uint64_t begin, uint64_t bytes) const { return defined_.AllSet(begin, bytes); }

  // The undefined bits of a byte.
  uint8_t Holes(uint64_t byte) const {
    if (defined_.FirstUnset(byte, 1) == 1) return 0;
    return holes_.empty() ? 0xFF : holes_[byte];
  }
  uint32_t Origin(uint64_t byte) const { return origins_.empty() ? 0 : origins_[byte]; }

  // Returns the offset from `begin` of the first byte with one of these bits undefined, or `bytes`.
  uint64_t FirstHole(uint64_t begin, uint64_t bytes, uint8_t bits = 0xFF) const {
    for (uint64_t at = 0; at < bytes; ++at) {
      at += defined_.FirstUnset(begin + at, bytes - at);
      if (at < bytes && (Holes(begin + at) & bits) != 0) return at;
    }
    return bytes;
  }

  void Undefine(uint64_t begin, uint64_t bytes, uint8_t bits, uint32_t origin) {
    if (holes_.empty()) {
      holes_.assign(bytes_, 0xFF);
      origins_.assign(bytes_, 0);
    }
    for (uint64_t byte = begin; byte < begin + bytes; ++byte) {
      holes_[byte] = defined_.FirstUnset(byte, 1) == 1 ? bits : static_cast<uint8_t>(holes_[byte] | bits);
      origins_[byte] = origin;
    }
    defined_.Clear(begin, bytes);
  }

 private:
  uint64_t bytes_ = 0;
  ByteMap defined_;
  std::vector<uint8_t> holes_;
  std::vector<uint32_t> origins_;
};

}  // namespace sim
