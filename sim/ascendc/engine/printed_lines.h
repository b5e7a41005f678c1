// SPDX-License-Identifier: Apache-2.0
// What a core prints: whole lines, each with the core in front, so that those of several cores do not mix.
//
//   [AIV Block 3/8] text
#pragma once

#include <string>

namespace sim {

struct CoreIdentity;

class PrintedLines {
 public:
  explicit PrintedLines(const CoreIdentity &core);
  // Prints the lines that end in the text, and keeps what follows the last of them.
  void Add(const std::string &text);
  // Prints what was kept as a line.
  void Flush();

 private:
  const std::string prefix_;
  std::string kept_;
};

}  // namespace sim
