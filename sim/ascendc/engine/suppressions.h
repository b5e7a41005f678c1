// SPDX-License-Identifier: Apache-2.0
// Faults that somebody has looked at, and that do not count. A file has a block for each suppression:
//
//     # a comment
//     {
//       the tail lanes of my_op go nowhere     its name, which the summary prints
//       kind:Uninitialised                     the fault's first word
//       kernel:my_op_*                         optional: the kernel
//       line:tail.h:1?                         optional: file and line of a call that led to the fault
//       fun:CopyOut                            optional: the function that this call stands in
//     }
//
// Kernel, line and function are shell patterns. Several lines with line: or fun: must hold all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core.h"

namespace sim {

struct Fault;

struct Suppression {
  std::string name;
  std::string place;  // "suppressions.txt:3", where its block begins
  std::string kind;
  std::string kernel = "*";
  std::vector<std::string> lines;
  std::vector<std::string> functions;

  bool Names(const Fault &fault) const;
};

class Suppressions {
 public:
  // The blocks of "FILE[:FILE]"; null for an empty text. A list is read once in a process. Throws
  // std::invalid_argument with file and line where a block is ill-formed.
  static std::shared_ptr<const Suppressions> OfFiles(const std::string &files);

  const std::vector<Suppression> &all() const { return all_; }
  // Whether one may name a fault of which the lines are not known yet.
  bool MayName(FaultKind kind, const std::string &kernel) const;
  const Suppression *Naming(const Fault &fault) const;  // the first one, or null

 private:
  void Read(const std::string &path);

  std::vector<Suppression> all_;
};

// The block that suppresses this fault and no other.
std::string SuppressionOf(const Fault &fault);

}  // namespace sim
