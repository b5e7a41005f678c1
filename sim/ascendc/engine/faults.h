// SPDX-License-Identifier: Apache-2.0
// Faults of one core: collected, each pair of source lines once.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core.h"
#include "events.h"

namespace sim {

// Ends a block. The fault itself is already in the block's log.
struct BlockEnded {};

std::string Describe(const Site &site);                      // "Add (kernel.h:42)"
std::string Range(Space space, int64_t begin, int64_t end);  // "UB bytes [0, 256)"

struct LoggedFault {
  FaultKind kind;
  std::string text;   // without kernel and block
  std::string calls;  // what it has in common with the same fault of other blocks: the calls it names
};

class FaultLog {
 public:
  void Add(FaultKind kind, const std::string &text);
  // The same for a pair of sites: once a pair.
  bool AddPair(FaultKind kind, const Site &first, const Site &second, const std::string &text);
  bool Known(FaultKind kind, const Site &first, const Site &second) const;
  const std::vector<LoggedFault> &faults() const { return faults_; }

 private:
  static constexpr size_t kMaxFaults = 32;
  using Key = std::tuple<FaultKind, std::string, int, std::string, int>;
  void Log(FaultKind kind, const std::string &text, const std::string &calls);
  static Key KeyOf(FaultKind kind, const Site &first, const Site &second);

  std::vector<LoggedFault> faults_;
  std::set<Key> pairs_;
};

}  // namespace sim
