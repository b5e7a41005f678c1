// SPDX-License-Identifier: Apache-2.0
#include "faults.h"

#include <cstdio>
#include <cstdlib>

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
    case FaultKind::kBeyondTensor:
      return "BeyondTensor";
    case FaultKind::kRoundedCopy:
      return "RoundedCopy";
    case FaultKind::kPartlyWritten:
      return "PartlyWritten";
    case FaultKind::kUnusedRace:
      return "UnusedRace";
    case FaultKind::kWrongQueue:
      return "WrongQueue";
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

NamedBytes BytesIn(const std::string &text) {
  const std::string words = " bytes [";
  const size_t found = text.find(words);
  NamedBytes bytes;
  if (found == std::string::npos) return bytes;
  for (int space = 0; space < kSpaces; ++space) {
    const std::string name = SpaceName(static_cast<Space>(space));
    if (found >= name.size() && text.compare(found - name.size(), name.size(), name) == 0) bytes.space = name;
  }
  const char *number = text.c_str() + found + words.size();
  char *end = nullptr;
  bytes.begin = std::strtoll(number, &end, 10);
  bytes.end = std::strtoll(end + 1, nullptr, 10);  // behind the comma
  return bytes;
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
    std::vector<FaultSite> called;
    for (const Site &site : fault.sites) {
      const SourcePlace &place = places[next++];
      key += " " + place.api + " (" + place.line + ")";
      called.push_back({place.api, place.file, place.number, place.path});
      const std::string described = Describe(site);
      const size_t found = text.find(described, from);
      if (found == std::string::npos) continue;
      const std::string path = place.api + " (" + place.calls + ")";
      text.replace(found, described.size(), path);
      from = found + path.size();
    }
    texts.push_back({text, fault.sites.empty() ? key + fault.text : key, called});
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
  const auto logged = logged_.find(kind);
  return (logged != logged_.end() && logged->second >= kMaxFaults) ||
         pairs_.count(PairOf(kind, first, second)) != 0;
}

void FaultLog::Add(FaultKind kind, const std::string &text, const std::vector<Site> &sites) {
  if (++logged_[kind] <= kMaxFaults) faults_.push_back({kind, text, sites});
}

void FaultLog::AddEnd(FaultKind kind, const std::string &text, const std::vector<Site> &sites, bool final) {
  faults_.push_back({kind, text, sites, true, final});
}

void FaultLog::AddAtPlace(FaultKind kind, const std::string &text, const std::vector<Site> &sites) {
  if (pairs_.insert(PairOf(kind, sites.front(), sites.front())).second) Add(kind, text, sites);
}

bool FaultLog::AddPair(FaultKind kind, const Site &first, const Site &second, const std::string &text) {
  if (!pairs_.insert(PairOf(kind, first, second)).second) return false;
  Add(kind, text, {second, first});
  return true;
}

}  // namespace sim
