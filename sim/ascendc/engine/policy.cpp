// SPDX-License-Identifier: Apache-2.0
#include "policy.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "faults.h"
#include "suppressions.h"

namespace sim {
namespace {

constexpr FaultKind kWarnings[] = {FaultKind::kBeyondTensor, FaultKind::kRoundedCopy,
                                   FaultKind::kPartlyWritten, FaultKind::kUnusedRace, FaultKind::kWrongQueue};

std::string Variable(const char *name) {
  const char *text = std::getenv(name);
  return text != nullptr ? text : "";
}

Policy::OnFault OnFaultOf(const std::string &text) {
  if (text.empty() || text == "stop") return Policy::OnFault::kStop;
  if (text == "continue") return Policy::OnFault::kContinue;
  if (text == "abort") return Policy::OnFault::kAbort;
  throw std::invalid_argument("AVO_SIM_ON_FAULT must be stop, continue or abort, got '" + text + "'");
}

std::vector<FaultKind> PromotedBy(const std::string &text) {
  if (text.empty() || text == "warn") return {};
  if (text == "error") return {std::begin(kWarnings), std::end(kWarnings)};
  std::vector<FaultKind> kinds;
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    const auto found = std::find_if(std::begin(kWarnings), std::end(kWarnings),
                                    [&name](FaultKind kind) { return name == FaultName(kind); });
    if (found == std::end(kWarnings)) {
      std::string known;
      for (const FaultKind kind : kWarnings)
        known += (known.empty() ? "" : ", ") + std::string(FaultName(kind));
      throw std::invalid_argument("AVO_SIM_WARNINGS must be warn, error, or kinds of warnings (" + known +
                                  ") with commas between them, got '" + name + "'");
    }
    kinds.push_back(*found);
  }
  return kinds;
}

}  // namespace

const char *SeverityName(Severity severity) { return severity == Severity::kError ? "error" : "warning"; }

Severity Policy::SeverityOf(FaultKind kind) const {
  const bool warning = std::find(std::begin(kWarnings), std::end(kWarnings), kind) != std::end(kWarnings);
  const bool error = std::find(promoted.begin(), promoted.end(), kind) != promoted.end();
  return warning && !error ? Severity::kWarning : Severity::kError;
}

bool Policy::GoesOn(FaultKind kind, const std::string &kernel) const {
  return on_fault == OnFault::kContinue || SeverityOf(kind) == Severity::kWarning ||
         (suppressions != nullptr && suppressions->MayName(kind, kernel));
}

Policy Policy::FromEnvironment() {
  Policy policy;
  policy.on_fault = OnFaultOf(Variable("AVO_SIM_ON_FAULT"));
  policy.promoted = PromotedBy(Variable("AVO_SIM_WARNINGS"));
  policy.suppressions = Suppressions::OfFiles(Variable("AVO_SIM_SUPPRESSIONS"));
  return policy;
}

}  // namespace sim
