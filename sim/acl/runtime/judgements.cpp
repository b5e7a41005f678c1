// SPDX-License-Identifier: Apache-2.0
#include "judgements.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>

#include "ascendc/engine/suppressions.h"

namespace sim::runtime {
namespace {

constexpr int kAbortCode = 86;  // of a process that AVO_SIM_ON_FAULT=abort ends

std::string Variable(const char *name) {
  const char *text = std::getenv(name);
  return text != nullptr ? text : "";
}

// 0: the process ends as it would without faults.
int ExitCode() {
  const std::string text = Variable("AVO_SIM_EXIT_CODE");
  if (text.empty()) return 0;
  char *end = nullptr;
  const long code = std::strtol(text.c_str(), &end, 10);
  if (*end == '\0' && code >= 0 && code <= 255) return static_cast<int>(code);
  throw std::invalid_argument("AVO_SIM_EXIT_CODE must be in [0, 255], got '" + text + "'");
}

// The same; `otherwise` where the variable is ill-formed, of which each launch has complained.
int ExitCodeOr(int otherwise) {
  try {
    return ExitCode();
  } catch (const std::invalid_argument &) {
    return otherwise;
  }
}

bool IsSwitch(const std::string &text) { return text.empty() || text == "0" || text == "1"; }

struct Counts {
  std::mutex mutex;
  pid_t process = 0;  // a child that fork made starts from nothing
  uint64_t launches = 0;
  uint64_t errors = 0;
  uint64_t warnings = 0;
  uint64_t suppressed = 0;
  std::map<std::tuple<Severity, std::string, std::string>, uint64_t> faults;  // by severity, kind and kernel
  std::map<const Suppression *, uint64_t> suppressions;                       // all that were read
  std::set<std::string> printed;  // warnings, each is printed once

  static Counts &Get() {
    static auto *counts = new Counts;  // never destroyed: the summary comes last
    return *counts;
  }
};

std::string Plural(uint64_t count, const std::string &what) {
  return std::to_string(count) + " " + what +
         (count == 1 || what.back() == 'd' ? ""
          : what.back() == 'h'             ? "es"
                                           : "s");
}

std::string SummaryText(const Counts &counts) {
  std::string text = "simulated device: " + Plural(counts.launches, "launch") + ", " +
                     Plural(counts.errors, "error") + ", " + Plural(counts.warnings, "warning") + ", " +
                     Plural(counts.suppressed, "suppressed") + "\n";
  for (const auto &[fault, count] : counts.faults) {
    const auto &[severity, kind, kernel] = fault;
    text += "  " + Plural(count, SeverityName(severity)) + ": " + kind + ", kernel " + kernel + "\n";
  }
  for (const auto &[suppression, count] : counts.suppressions) {
    text += "  " + (count == 0 ? "never used" : "suppressed " + std::to_string(count)) + ": " +
            suppression->name + " (" + suppression->place + ")\n";
  }
  return text;
}

// The caller holds the mutex.
void PrintSummary(const Counts &counts) {
  const std::string wanted = Variable("AVO_SIM_SUMMARY");
  const bool found = counts.errors + counts.warnings + counts.suppressed != 0;
  if (wanted == "0" || (wanted != "1" && !found)) return;
  std::fputs(SummaryText(counts).c_str(), stderr);
}

[[noreturn]] void EndProcess(int code) {
  std::fflush(nullptr);
  _exit(code);
}

void AtExit(void *) try {
  Counts &counts = Counts::Get();
  std::lock_guard<std::mutex> lock(counts.mutex);
  if (counts.process != getpid() && counts.launches != 0) return;
  PrintSummary(counts);
  const int code = ExitCodeOr(kAbortCode);
  if (code != 0 && counts.errors != 0) EndProcess(code);
} catch (...) {
  std::fputs("[simulated device] there is no memory for the summary\n", stderr);
}

// Runs when the library is loaded. What is registered first runs last, so that a program has printed and
// written everything before. The library stays in the process, for its function is called at the end.
__attribute__((constructor)) void RegisterAtExit() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void *>(&AtExit), &info) != 0) {
    dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  abi::__cxa_atexit(AtExit, nullptr, nullptr);
}

// Throws where the file cannot be written.
void AppendToReport(const std::string &line) {
  const std::string path = Variable("AVO_SIM_REPORT");
  if (path.empty()) return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const bool written =
      file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int error = errno;
  if (file >= 0) close(file);
  if (!written) {
    throw std::invalid_argument("AVO_SIM_REPORT: cannot write the file '" + path +
                                "': " + std::strerror(error));
  }
}

void Print(const Fault &fault, Counts *counts) {
  const bool warning = fault.severity == Severity::kWarning;
  if (warning && !counts->printed.insert(fault.text).second) return;
  std::fprintf(stderr, "%s%s\n", warning ? "warning: " : "", fault.text.c_str());
  if (Variable("AVO_SIM_GEN_SUPPRESSIONS") != "1") return;
  std::fputs(fault.final ? "# no suppression: nothing can go on behind this fault, and results are missing\n"
                         : SuppressionOf(fault).c_str(),
             stderr);
}

void Count(const Report &report, const Policy &policy, Counts *counts) {
  if (counts->process != getpid()) {
    counts->launches = counts->errors = counts->warnings = counts->suppressed = 0;
    counts->faults.clear();
    counts->suppressions.clear();
    counts->process = getpid();
  }
  ++counts->launches;
  for (const Fault &fault : report.faults) {
    ++(fault.severity == Severity::kError ? counts->errors : counts->warnings);
    ++counts->faults[{fault.severity, FaultName(fault.kind), fault.kernel}];
  }
  counts->suppressed += report.suppressed.size();
  if (policy.suppressions != nullptr) {
    for (const Suppression &one : policy.suppressions->all()) counts->suppressions.try_emplace(&one, 0);
  }
  for (const Suppression *one : report.suppressed) ++counts->suppressions[one];
}

}  // namespace

void CheckJudgementSettings() {
  ExitCode();
  for (const char *name : {"AVO_SIM_SUMMARY", "AVO_SIM_GEN_SUPPRESSIONS", "AVO_SIM_ZERO"}) {
    if (IsSwitch(Variable(name))) continue;
    throw std::invalid_argument(std::string(name) + " must be 0 or 1, got '" + Variable(name) + "'");
  }
  AppendToReport("");
}

void NoteLaunch(const Report &report, const Policy &policy) {
  Counts &counts = Counts::Get();
  std::lock_guard<std::mutex> lock(counts.mutex);
  Count(report, policy, &counts);
  for (const Fault &fault : report.faults) Print(fault, &counts);
  try {
    AppendToReport(report.Json() + "\n");
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  if (policy.on_fault != Policy::OnFault::kAbort || report.ok()) return;
  PrintSummary(counts);
  const int code = ExitCodeOr(kAbortCode);
  EndProcess(code != 0 ? code : kAbortCode);
}

}  // namespace sim::runtime
