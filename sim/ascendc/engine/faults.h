// SPDX-License-Identifier: Apache-2.0
// The faults of one core, for each pair of source lines one; where lines are not known, for each pair of call
// paths.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core.h"
#include "events.h"

namespace sim {

// Ends a block. The fault itself is already in the block's log.
struct BlockEnded {};

// "Add (rows.h:7)", or "Add (unknown line)" for an intrinsic that cannot tell the line of its call.
std::string Describe(const Site &site);
std::string Range(Space space, int64_t begin, int64_t end);  // "UB bytes [0, 256)"

// The bytes that a text of Range names; the first ones, where there are several.
struct NamedBytes {
  std::string space;  // "UB"; empty: the text names no bytes
  int64_t begin = 0;
  int64_t end = 0;
};
NamedBytes BytesIn(const std::string &text);

std::string SecondsText(double seconds);  // "60", "0.25"

struct LoggedFault {
  FaultKind kind;
  std::string text;         // without kernel and block
  std::vector<Site> sites;  // those that the text describes, in that order
  bool ends = false;        // its block ended here
  bool final = false;       // whatever the policy is
};

// An API call that a fault names.
struct FaultSite {
  std::string call;               // "DataCopyPad"
  std::string file;               // as the line table has it
  int line = 0;                   // 0: unknown
  std::vector<std::string> path;  // "count_outside.cpp:15 count_outside_float32", …: the kernel's entry first
};

// A fault as a reader wants it.
struct FaultText {
  // "Add (rows.h:7)" becomes "Add (kernel.h:42 Process > rows.h:7 AddRows)" where the calls are known.
  std::string text;
  // What a fault has in common with the same fault of other blocks: its kind, its API calls and their lines.
  std::string key;
  std::vector<FaultSite> sites;
};

// Takes all faults at a time, as it runs a program that reads the line tables.
std::vector<FaultText> TextsWithCalls(const std::vector<LoggedFault> &faults);

class FaultLog {
 public:
  void Add(FaultKind kind, const std::string &text, const std::vector<Site> &sites = {});
  // Adds a fault that ends the block. final: under each policy, for nobody knows how it could go on.
  void AddEnd(FaultKind kind, const std::string &text, const std::vector<Site> &sites, bool final = true);
  // Adds a fault unless one of this kind is there for the first of the sites.
  void AddAtPlace(FaultKind kind, const std::string &text, const std::vector<Site> &sites);
  // Adds a fault unless one of this kind is there for the same two lines; the text describes `second` and
  // then `first`. Returns whether it was added.
  bool AddPair(FaultKind kind, const Site &first, const Site &second, const std::string &text);
  bool Known(FaultKind kind, const Site &first, const Site &second) const;
  const std::vector<LoggedFault> &faults() const { return faults_; }

 private:
  static constexpr size_t kMaxFaults = 32;               // of a kind
  using Place = std::tuple<std::string, int, uint64_t>;  // file and line, else the call path
  using Key = std::tuple<FaultKind, Place, Place>;
  static Place PlaceOf(const Site &site);
  static Key PairOf(FaultKind kind, const Site &first, const Site &second);

  std::vector<LoggedFault> faults_;
  std::map<FaultKind, size_t> logged_;
  std::set<Key> pairs_;
};

}  // namespace sim
