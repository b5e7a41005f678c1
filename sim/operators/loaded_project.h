// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "definition_facts.h"
#include "registry.h"
#include "tiling_structs.h"

namespace sim::operators {

// What a library of host sources registered while it was loaded.
struct Project {
  std::vector<std::unique_ptr<ops::OpDef>> definitions;
  std::map<std::string, OperatorType> types;
  TilingStructs structs;
};

// The project whose library this thread loads, or nullptr. A library registers on the thread that loads it:
// into this project, and not among what all libraries of packages registered.
Project *&LoadingProject();

}  // namespace sim::operators
