// SPDX-License-Identifier: Apache-2.0
// Kernels whose accesses to memory are those of a compiler, and what the report about each must say.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

struct ScalarCase {
  const char *name;
  void (*kernel)(
      void *const *args);          // args: device addresses of kFloats floats each: input 0, 1, 2, …; output
  std::vector<std::string> texts;  // one report must hold all of them; empty: there must be none
  uint64_t accesses = 0;           // of all blocks; 0: any number
  bool strict = false;             // without automatic synchronisation by the compiler
  uint32_t blocks = 1;
  size_t reports = 1;   // faults in all, where there are any
  bool marked = false;  // accesses to UB have the prefix GS, as those that clang makes
};

constexpr uint32_t kFloats = 1024;

// Stands on the line before the statement with the fault: the report must name the line of that statement.
extern std::atomic<int> fault_line;
#define FAULT_HERE fault_line = __LINE__ + 1

const std::vector<ScalarCase> &ScalarCases();
