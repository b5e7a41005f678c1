// SPDX-License-Identifier: Apache-2.0
#include "suppressions.h"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "faults.h"
#include "launch.h"

namespace sim {
namespace {

std::string Trimmed(const std::string &text) {
  const size_t first = text.find_first_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool Matches(const std::string &pattern, const std::string &text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

// The pattern that matches this text alone.
std::string Literally(const std::string &text) {
  std::string pattern;
  for (const char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool IsKind(const std::string &name) {
  for (int kind = 0; kind <= static_cast<int>(FaultKind::kOther); ++kind) {
    if (name == FaultName(static_cast<FaultKind>(kind))) return true;
  }
  return false;
}

// Whether a call of the fault satisfies `holds`, which gets "row_copy.h:93" and "CopyOut".
template <typename Holds>
bool AnyCall(const Fault &fault, Holds holds) {
  for (const FaultSite &site : fault.sites) {
    for (const std::string &call : site.path) {
      const size_t blank = call.find(' ');
      if (holds(call.substr(0, blank), blank == std::string::npos ? "" : call.substr(blank + 1))) return true;
    }
  }
  return false;
}

// Reads the lines of a file, and says of each fault in them where it is.
class Reader {
 public:
  explicit Reader(const std::string &path) : path_(path), file_(path) {
    if (!file_) throw std::invalid_argument("AVO_SIM_SUPPRESSIONS: cannot read the file '" + path + "'");
  }

  bool Next(Suppression *block) {
    std::string line;
    if (!Line(&line)) return false;
    if (line != "{") Fail("expected { at the start of a suppression, got '" + line + "'");
    *block = {};
    block->place = Place();
    while (Line(&line) && line != "}") {
      if (line == "{") Fail("the suppression of " + block->place + " has no } before the next one");
      if (block->name.empty()) {
        block->name = line;
      } else {
        Add(line, block);
      }
    }
    if (line != "}") Fail("the suppression of " + block->place + " has no } at its end");
    if (block->kind.empty())
      Fail("the suppression of " + block->place + " needs a name and a line 'kind:KIND'");
    return true;
  }

 private:
  std::string Place() const { return path_ + ":" + std::to_string(number_); }
  [[noreturn]] void Fail(const std::string &text) const {
    throw std::invalid_argument("AVO_SIM_SUPPRESSIONS: " + Place() + ": " + text);
  }

  // The next line that is neither empty nor a comment.
  bool Line(std::string *line) {
    while (std::getline(file_, *line)) {
      ++number_;
      *line = Trimmed(*line);
      if (!line->empty() && (*line)[0] != '#') return true;
    }
    line->clear();
    return false;
  }

  void Add(const std::string &line, Suppression *block) const {
    const size_t colon = line.find(':');
    const std::string key = line.substr(0, colon);
    const std::string value = colon == std::string::npos ? "" : Trimmed(line.substr(colon + 1));
    if (value.empty() || (key != "kind" && key != "kernel" && key != "line" && key != "fun")) {
      Fail("expected kind:KIND, kernel:PATTERN, line:FILE:LINE or fun:PATTERN, got '" + line + "'");
    }
    if (key == "kind" && !IsKind(value)) Fail("no fault is of the kind '" + value + "'");
    if (key == "kind") block->kind = value;
    if (key == "kernel") block->kernel = value;
    if (key == "line") block->lines.push_back(value);
    if (key == "fun") block->functions.push_back(value);
  }

  const std::string path_;
  std::ifstream file_;
  int number_ = 0;
};

}  // namespace

bool Suppression::Names(const Fault &fault) const {
  if (kind != FaultName(fault.kind) || !Matches(kernel, fault.kernel)) return false;
  const auto called_at = [&fault](const std::string &pattern) {
    return AnyCall(fault,
                   [&](const std::string &line, const std::string &) { return Matches(pattern, line); });
  };
  const auto called_in = [&fault](const std::string &pattern) {
    return AnyCall(fault,
                   [&](const std::string &, const std::string &name) { return Matches(pattern, name); });
  };
  return std::all_of(lines.begin(), lines.end(), called_at) &&
         std::all_of(functions.begin(), functions.end(), called_in);
}

std::shared_ptr<const Suppressions> Suppressions::OfFiles(const std::string &files) {
  if (files.empty()) return nullptr;
  static std::mutex mutex;
  static auto *known = new std::map<std::string, std::shared_ptr<const Suppressions>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Suppressions> &entry = (*known)[files];
  if (entry != nullptr) return entry;
  auto read = std::make_shared<Suppressions>();
  std::istringstream paths(files);
  for (std::string path; std::getline(paths, path, ':');) {
    if (!path.empty()) read->Read(path);
  }
  return entry = read;
}

void Suppressions::Read(const std::string &path) {
  Reader reader(path);
  for (Suppression one; reader.Next(&one);) all_.push_back(one);
}

bool Suppressions::MayName(FaultKind kind, const std::string &kernel) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Suppression &one) {
    return one.kind == FaultName(kind) && Matches(one.kernel, kernel);
  });
}

const Suppression *Suppressions::Naming(const Fault &fault) const {
  const auto found =
      std::find_if(all_.begin(), all_.end(), [&fault](const Suppression &one) { return one.Names(fault); });
  return found != all_.end() ? &*found : nullptr;
}

std::string SuppressionOf(const Fault &fault) {
  std::string text = "{\n  a name for it\n  kind:" + std::string(FaultName(fault.kind)) +
                     "\n  kernel:" + Literally(fault.kernel);
  for (const FaultSite &site : fault.sites) {
    if (site.path.empty() || site.path.back().find(':') == std::string::npos) continue;
    const std::string &call = site.path.back();
    const size_t blank = call.find(' ');
    text += "\n  line:" + Literally(call.substr(0, blank));
    if (blank != std::string::npos) text += "\n  fun:" + Literally(call.substr(blank + 1));
  }
  return text + "\n}\n";
}

}  // namespace sim
