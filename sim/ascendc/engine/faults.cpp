// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <cstring>

namespace sim {

const char *FaultName(FaultKind kind) {
  switch (kind) {
    case FaultKind::kAlignment:
      return "Alignment";
    case FaultKind::kRepeat:
      return "Repeat";
    case FaultKind::kMask:
      return "Mask";
    case FaultKind::kStride:
      return "Stride";
    case FaultKind::kUbBounds:
      return "UbBounds";
    case FaultKind::kGmBounds:
      return "GmBounds";
    case FaultKind::kUbCapacity:
      return "UbCapacity";
    case FaultKind::kQueueBalance:
      return "QueueBalance";
    case FaultKind::kUninitialised:
      return "Uninitialised";
    case FaultKind::kUseAfterFree:
      return "UseAfterFree";
    case FaultKind::kMissingSync:
      return "MissingSync";
    case FaultKind::kBlockConflict:
      return "BlockConflict";
    case FaultKind::kRoundMode:
      return "RoundMode";
    case FaultKind::kCount_:
      return "Count";
    case FaultKind::kType:
      return "Type";
    case FaultKind::kFlag:
      return "Flag";
    case FaultKind::kAssert:
      return "Assert";
    case FaultKind::kOther:
      return "Other";
  }
  return "Other";
}

const char *PipeName(Pipe pipe) {
  static const char *const names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return pipe < Pipe::kCount ? names[static_cast<int>(pipe)] : "?";
}

const char *SpaceName(Space space) {
  static const char *const names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
  return space < Space::kCount ? names[static_cast<int>(space)] : "?";
}

std::string Describe(const Site &site) {
  const char *slash = std::strrchr(site.file, '/');
  return std::string(site.name) + " (" + (slash != nullptr ? slash + 1 : site.file) + ":" +
         std::to_string(site.line) + ")";
}

std::string Range(Space space, int64_t begin, int64_t end) {
  return std::string(SpaceName(space)) + " bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
         ")";
}

FaultLog::Key FaultLog::KeyOf(FaultKind kind, const Site &first, const Site &second) {
  return {kind, first.file, first.line, second.file, second.line};
}

bool FaultLog::Known(FaultKind kind, const Site &first, const Site &second) const {
  return pairs_.size() >= kMaxFaults || pairs_.count(KeyOf(kind, first, second)) != 0;
}

void FaultLog::Add(FaultKind kind, const std::string &text) {
  Log(kind, text, text.substr(0, text.find(')')));
}

bool FaultLog::AddPair(FaultKind kind, const Site &first, const Site &second, const std::string &text) {
  if (!pairs_.insert(KeyOf(kind, first, second)).second) return false;
  Log(kind, text, Describe(first) + Describe(second));
  return true;
}

void FaultLog::Log(FaultKind kind, const std::string &text, const std::string &calls) {
  if (faults_.size() < kMaxFaults) faults_.push_back({kind, text, calls});
}

}  // namespace sim
