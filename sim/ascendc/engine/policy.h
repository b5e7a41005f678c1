// SPDX-License-Identifier: Apache-2.0
// What a launch does about faults. A fault is an error or a warning. A warning is what the documentation
// allows and what is dangerous all the same; it is reported, and the kernel goes on.
//
//     variable              value                        effect
//     AVO_SIM_ON_FAULT      stop                         an error that leaves no right result ends its block
//                           continue                     the block goes on behind it, where it can
//                           abort                        as stop; the caller ends the process behind the
//                           launch
//     AVO_SIM_WARNINGS      warn, error, or kinds        which warnings are errors: none, all, these
//     AVO_SIM_SUPPRESSIONS  FILE[:FILE]                  faults that do not count (suppressions.h)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core.h"

namespace sim {

class Suppressions;

enum class Severity : uint8_t { kError, kWarning };
const char *SeverityName(Severity severity);  // "error", "warning"

struct Policy {
  enum class OnFault : uint8_t { kStop, kContinue, kAbort };

  OnFault on_fault = OnFault::kStop;
  std::vector<FaultKind> promoted;                   // kinds of warnings that are errors
  std::shared_ptr<const Suppressions> suppressions;  // null: none

  Severity SeverityOf(FaultKind kind) const;
  // Whether a block goes on behind a fault of this kind, if it can. It does so too where a suppression may
  // name the fault: which line the fault has is known after the launch.
  bool GoesOn(FaultKind kind, const std::string &kernel) const;

  // Throws std::invalid_argument, whose text names the variable or the line of the file, what was expected
  // and what came.
  static Policy FromEnvironment();
};

}  // namespace sim
