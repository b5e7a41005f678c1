// SPDX-License-Identifier: Apache-2.0
#include "source_lines.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "kernel_libraries.h"
#include "line_tables.h"

namespace sim {
namespace {

std::string FileName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// Removes everything between `open` and its `close`, the two included.
std::string WithoutBrackets(const std::string &text, char open, char close) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) out += c;
    if (c == close && depth > 0) --depth;
  }
  return out;
}

// Returns the last name of a function: "Load" for "void Scan<float>::Load<3>(int) const". A lambda, whose
// name is "operator()", becomes "lambda".
std::string ShortName(const std::string &function) {
  std::string name = WithoutBrackets(WithoutBrackets(function, '<', '>'), '(', ')');
  name = name.substr(0, name.find(" const"));
  name = name.substr(name.rfind(' ') + 1);
  const size_t scope = name.rfind("::");
  if (scope != std::string::npos) name = name.substr(scope + 2);
  const bool call = name == "operator" && function.find("operator()") != std::string::npos;
  return call ? "lambda" : name;
}

// The argument that begins at `begin`, up to its comma or closing parenthesis; empty where it does not end.
std::string FirstArgument(const std::string &text, size_t begin) {
  int depth = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && (c == ',' || c == ')')) {
      const size_t first = text.find_first_not_of(" \t\n", begin);
      const size_t last = text.find_last_not_of(" \t\n", i - 1);
      return first < i ? text.substr(first, last - first + 1) : "";
    }
    const bool arrow = c == '>' && text[i - 1] == '-';
    if (!arrow) depth += std::strchr("([{<", c) != nullptr ? 1 : std::strchr(")]}>", c) != nullptr ? -1 : 0;
  }
  return "";
}

// Line `line` of a file and the next ones, as far as a call may go; empty where there is no such line.
std::string LinesFrom(const std::string &path, int line) {
  constexpr int kLinesOfCall = 4;
  std::ifstream file(path);
  std::string text;
  std::string one;
  for (int number = 1; number < line + kLinesOfCall && std::getline(file, one); ++number) {
    if (number >= line) text += one + "\n";
  }
  return text;
}

std::string NameIn(const std::string &text) {
  const std::string call = "InitBuffer";
  const size_t found = text.find(call);
  if (found == std::string::npos) return "";
  // Two calls in one line: nobody knows which one it is.
  const size_t next = text.find(call, found + call.size());
  if (next != std::string::npos && next < text.find('\n')) return "";
  const size_t open = text.find('(', found);
  if (open == std::string::npos) return "";
  std::string name = FirstArgument(text, open + 1);
  const std::string self = "this->";
  return name.compare(0, self.size(), self) == 0 ? name.substr(self.size()) : name;
}

using KnownCalls = std::map<uintptr_t, std::vector<SourceCall>>;

// The calls of a site, innermost first, without the function that calls the kernel's entry.
std::vector<SourceCall> CallsBelowEntry(const Site &site, const KnownCalls &known) {
  std::vector<SourceCall> calls;
  if (site.path == nullptr) return calls;
  bool entry = false;
  for (const uintptr_t address : *site.path) {
    const auto found = known.find(address);
    if (found == known.end()) continue;  // in the simulator
    entry = !found->second.empty();
    calls.insert(calls.end(), found->second.begin(), found->second.end());
  }
  if (entry) calls.pop_back();
  return calls;
}

// Removes the calls within the API function, where the site says the line of its call.
void CutAtLine(const Site &site, std::vector<SourceCall> *calls) {
  const std::string file = FileName(site.file);
  const auto in_file = [&file](const SourceCall &call) { return FileName(call.file) == file; };
  auto first = std::find_if(calls->begin(), calls->end(),
                            [&](const SourceCall &call) { return in_file(call) && call.line == site.line; });
  // Where a compiler joined equal code of two lines, the table has one of them only.
  if (first == calls->end()) first = std::find_if(calls->begin(), calls->end(), in_file);
  calls->erase(calls->begin(), first);
  if (!calls->empty()) calls->front().line = site.line;
}

// Removes the calls within the headers, where the site says no line. Returns the function of the headers that
// the kernel calls; empty where the kernel calls the intrinsic itself.
std::string CutAtHeaders(std::vector<SourceCall> *calls) {
  const auto first = std::find_if(calls->begin(), calls->end(),
                                  [](const SourceCall &call) { return !InHeaderFolder(call.file); });
  if (first == calls->end()) calls->clear();
  if (calls->empty() || first == calls->begin()) return "";
  const std::string api = ShortName(std::prev(first)->function);
  calls->erase(calls->begin(), first);
  return api;
}

std::vector<std::string> PathOf(const std::vector<SourceCall> &calls) {
  std::vector<std::string> path;
  std::string inner;  // file and function of the call before
  for (const SourceCall &call : calls) {
    const std::string function = ShortName(call.function);
    // A compiler that splits a function shows it as one that calls itself.
    if (inner == call.file + function) continue;
    inner = call.file + function;
    path.push_back(FileName(call.file) + ":" + std::to_string(call.line) + " " + function);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

SourcePlace PlaceOf(const Site &site, const KnownCalls &known) {
  SourcePlace place;
  place.api = site.name;
  place.file = site.file != nullptr ? site.file : "";
  place.line = LineText(site);
  place.number = std::max(site.line, 0);
  std::vector<SourceCall> calls = CallsBelowEntry(site, known);
  if (site.line > 0) {
    CutAtLine(site, &calls);
  } else {
    const std::string api = CutAtHeaders(&calls);
    if (!api.empty() && api != place.api) place.api = api + ": " + place.api;
    if (!calls.empty()) {
      place.file = calls.front().file;
      place.number = calls.front().line;
      place.line = FileName(place.file) + ":" + std::to_string(place.number);
    }
  }
  place.path = PathOf(calls);
  for (const std::string &call : place.path) place.calls += (place.calls.empty() ? "" : " > ") + call;
  if (place.path.empty() && place.number > 0) place.path = {place.line};
  if (place.calls.empty()) place.calls = place.line;
  return place;
}

}  // namespace

std::string LineText(const Site &site) {
  return site.line > 0 ? FileName(site.file) + ":" + std::to_string(site.line) : "unknown line";
}

std::vector<SourcePlace> PlacesOf(const std::vector<Site> &sites) {
  static const std::string simulator = ModuleOf(reinterpret_cast<uintptr_t>(&LineText));
  std::set<uintptr_t> addresses;
  for (const Site &site : sites) {
    if (site.path != nullptr) addresses.insert(site.path->begin(), site.path->end());
  }
  std::vector<uintptr_t> of_kernels;
  for (const uintptr_t address : addresses) {
    if (ModuleOf(address) != simulator) of_kernels.push_back(address);
  }
  const KnownCalls known = CallsAt(of_kernels);
  std::vector<SourcePlace> places;
  for (const Site &site : sites) places.push_back(PlaceOf(site, known));
  return places;
}

bool IsFlagOfHeaders(const Site &set) {
  const std::string api = PlacesOf({set}).front().api;
  const size_t end = api.find(": ");
  return end != std::string::npos && api.substr(0, end) != "NotifyEvent";
}

namespace {

// Reads the source file.
std::string BufferNameInFile(const Site &site) {
  const std::string path = site.file;
  std::string text = LinesFrom(path, site.line);
  if (text.empty() && path[0] != '/' && site.path != nullptr && !site.path->empty()) {
    // A path from the folder in which the compiler ran: one of those around the kernel's library.
    std::string folder = ModuleOf(site.path->back());
    while (text.empty() && folder.find('/') != std::string::npos) {
      folder.resize(folder.rfind('/'));
      text = LinesFrom(folder + "/" + path, site.line);
    }
  }
  return NameIn(text);
}

}  // namespace

std::string BufferName(const Site &site) {
  if (site.file == nullptr || site.line <= 0) return "";
  static std::mutex mutex;
  static auto *names = new std::map<std::tuple<std::string, int, uint64_t>, std::string>;  // never destroyed
  const bool has_path = site.path != nullptr && !site.path->empty();
  const std::tuple key(std::string(site.file), site.line, has_path ? site.path->back() : 0);
  std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, added] = names->try_emplace(key);
  if (added) entry->second = BufferNameInFile(site);
  return entry->second;
}

}  // namespace sim
