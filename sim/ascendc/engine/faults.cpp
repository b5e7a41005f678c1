// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <cstdio>

#include "source_lines.h"

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
    case FaultKind::kOverlap:
      return "Overlap";
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
    case FaultKind::kCoherence:
      return "Coherence";
    case FaultKind::kAssert:
      return "Assert";
    case FaultKind::kEndless:
      return "Endless";
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

std::string Describe(const Site &site) { return std::string(site.name) + " (" + LineText(site) + ")"; }

std::string Range(Space space, int64_t begin, int64_t end) {
  return std::string(SpaceName(space)) + " bytes [" + std::to_string(begin) + ", " + std::to_string(end) +
         ")";
}

std::string SecondsText(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", seconds);
  return text;
}

std::vector<FaultText> TextsWithCalls(const std::vector<LoggedFault> &faults) {
  std::vector<Site> sites;
  for (const LoggedFault &fault : faults) sites.insert(sites.end(), fault.sites.begin(), fault.sites.end());
  const std::vector<SourcePlace> places = PlacesOf(sites);
  size_t next = 0;
  std::vector<FaultText> texts;
  for (const LoggedFault &fault : faults) {
    std::string text = fault.text;
    std::string key = FaultName(fault.kind);
    size_t from = 0;
    for (const Site &site : fault.sites) {
      const SourcePlace &place = places[next++];
      key += " " + place.api + " (" + place.line + ")";
      const std::string described = Describe(site);
      const size_t found = text.find(described, from);
      if (found == std::string::npos) continue;
      const std::string path = place.api + " (" + place.calls + ")";
      text.replace(found, described.size(), path);
      from = found + path.size();
    }
    texts.push_back({text, fault.sites.empty() ? key + fault.text : key});
  }
  return texts;
}

FaultLog::Place FaultLog::PlaceOf(const Site &site) {
  if (site.line > 0) return {site.file, site.line, 0};
  uint64_t hash = 0;
  if (site.path != nullptr) {
    for (const uintptr_t address : *site.path) hash = (hash << 9 | hash >> 55) ^ address;
  }
  return {site.name, 0, hash};
}

FaultLog::Key FaultLog::PairOf(FaultKind kind, const Site &first, const Site &second) {
  return {kind, PlaceOf(first), PlaceOf(second)};
}

bool FaultLog::Known(FaultKind kind, const Site &first, const Site &second) const {
  return pairs_.size() >= kMaxFaults || pairs_.count(PairOf(kind, first, second)) != 0;
}

void FaultLog::Add(FaultKind kind, const std::string &text, const std::vector<Site> &sites) {
  if (faults_.size() < kMaxFaults) faults_.push_back({kind, text, sites});
}

bool FaultLog::AddPair(FaultKind kind, const Site &first, const Site &second, const std::string &text) {
  if (!pairs_.insert(PairOf(kind, first, second)).second) return false;
  Add(kind, text, {second, first});
  return true;
}

}  // namespace sim
