// SPDX-License-Identifier: Apache-2.0
// Follows the ends of copies of whole blocks from global memory to UB: does the core use these bytes?
//
//   a row of 20 floats   |........|........|....|
//   DataCopy             |........|........|....~~~~|    ~~~~ is the next row, which another core may write
//
// A kernel that throws these bytes away is right, whatever it finds there. So a copy has a tail, which is its
// last block, and a tail has a bit for each byte that is used: one that the scalar unit, an address, a
// reduction or global memory depends on. Lanes that are computed from a tail, lane by lane, are followed.
#pragma once

#include <cstdint>
#include <vector>

#include "hazards.h"
#include "values.h"

namespace sim {

class Tails {
 public:
  // Notes in `log` what is used.
  explicit Tails(GmLog *log) : log_(log) {}
  void Release();
  // Call it when the accesses of the instruction to GM are in the log. `copy` is the last one of its pipe.
  void Follow(const Instruction &instruction, uint32_t copy);

 private:
  // Bytes of UB that depend on bytes of a tail: those from `begin` on, in their order, on those from `first`
  // on. Lanes may have become wider or narrower on the way.
  struct Part {
    uint64_t begin = 0;
    uint32_t bytes = 0;
    uint32_t tail = 0;  // index in GmLog::tails
    uint32_t first = 0;
    uint32_t count = 0;
  };
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr size_t kMostParts = 64;  // of a page; the tails of others count as used

  static Part Slice(const Part &part, uint64_t begin, uint64_t end);
  bool Touches(const Operand &operand) const;
  template <typename Visit>
  void ForEachPart(uint64_t begin, uint64_t bytes, Visit &&visit) const;
  void Spread(const Instruction &instruction);
  void SpreadLanes(ValueFlow flow, const Values::Runs &result, const Values::Runs &source);
  void Use(const Part &part);
  void Use(const Values::Runs &source);
  void Drop(uint64_t begin, uint64_t bytes);
  void Put(const Part &part);
  void Begin(const Operand &global, const Operand &local, uint32_t copy);

  GmLog *const log_;
  std::vector<std::vector<Part>> pages_;
  std::vector<Part> results_;
  size_t parts_ = 0;
};

}  // namespace sim
