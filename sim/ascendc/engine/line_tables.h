// SPDX-License-Identifier: Apache-2.0
// Line tables of the program and the libraries of this process.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sim {

struct SourceCall {
  std::string file;
  int line = 0;
  std::string function;  // with namespaces, template arguments and parameters
};

// For each return address the calls that end there, innermost first: one, and one more for each function that
// was inlined around it. None where there is no line table, or no addr2line.
std::map<uintptr_t, std::vector<SourceCall>> CallsAt(const std::vector<uintptr_t> &return_addresses);

// The file of the program or library that holds an address; empty where none does.
std::string ModuleOf(uintptr_t address);

}  // namespace sim
