// SPDX-License-Identifier: Apache-2.0
#include "launch.h"

#include <exception>
#include <new>

#include "ascendc/engine/kernel_libraries.h"
#include "error.h"
#include "judgements.h"
#include "sim/sim_runtime.h"

namespace sim::runtime {
namespace {

struct Reports {
  std::mutex mutex;
  bool keep = false;
  bool trace = false;
  LaunchOptions::Record record = LaunchOptions::Record::kNothing;
  std::vector<std::string> kept;        // JSON objects
  std::vector<std::string> recordings;  // JSON objects
  std::string last_trace;

  static Reports &Get() {
    static auto *reports = new Reports;  // never destroyed: threads may outlive main
    return *reports;
  }
};

// The text that simTakeReports and simTakeTrace return. It lives until the next call on this thread.
std::string &TakenText() {
  thread_local std::string text;
  return text;
}

void Keep(Report report) {
  Reports &reports = Reports::Get();
  std::lock_guard<std::mutex> lock(reports.mutex);
  if (reports.keep || !report.ok()) reports.kept.push_back(report.Json());
  if (!report.recording.empty()) reports.recordings.push_back(std::move(report.recording));
  if (reports.trace) reports.last_trace = std::move(report.trace);
}

Status FaultStatus(const Kernel &kernel, const Report &report) {
  if (report.ok()) return {};
  std::string text;
  for (const Fault &fault : report.faults) {
    if (fault.severity == Severity::kWarning) continue;
    if (!text.empty()) text += '\n';
    text += fault.text;
  }
  const bool vector = kernel.type == KernelType::kVector;
  return {vector ? ACL_ERROR_RT_VECTOR_CORE_EXCEPTION : ACL_ERROR_RT_AICORE_EXCEPTION, std::move(text)};
}

Report NeverRan(const Kernel &kernel, uint32_t blocks, const std::string &text) {
  Report report;
  report.kernel = kernel.name;
  report.blocks = blocks;
  Fault fault;
  fault.kind = FaultKind::kOther;
  fault.kernel = kernel.name;
  fault.block = 0;
  fault.text = text;
  report.faults.push_back(fault);
  return report;
}

// Moves the objects out and joins them, as simTakeReports and simTakeRecordings return them.
const char *TakenArray(std::vector<std::string> Reports::*objects) {
  Reports &reports = Reports::Get();
  std::vector<std::string> taken;
  {
    std::lock_guard<std::mutex> lock(reports.mutex);
    taken.swap(reports.*objects);
  }
  std::string &text = TakenText();
  text = "[";
  for (const std::string &object : taken) {
    if (text.size() > 1) text += ",\n";
    text += object;
  }
  text += "]";
  return text.c_str();
}

}  // namespace

Status RunKernel(Device &device, const KernelLaunch &launch, const std::vector<void *> &args) {
  LaunchOptions options;
  try {
    options = LaunchOptions::FromEnvironment();
    CheckJudgementSettings();
    {
      Reports &reports = Reports::Get();
      std::lock_guard<std::mutex> lock(reports.mutex);
      options.trace = options.trace || reports.trace;
      options.record = reports.record;
    }
    options.workspace_begin = reinterpret_cast<uint64_t>(launch.workspace_begin);
    options.workspace_end = reinterpret_cast<uint64_t>(launch.workspace_end);
    std::lock_guard<std::mutex> cores(device.cores());
    Report report = Launch(device.memory(), device.model(), *launch.kernel, launch.block_dim,
                           launch.tiling_key, args, launch.tiling.data(), launch.tiling.size(), options);
    NoteLaunch(report, options.policy);
    Status status = FaultStatus(*launch.kernel, report);
    Keep(std::move(report));
    return status;
  } catch (const std::bad_alloc &) {
    // The kernel is not to blame: its tiling data needs device memory too, and other calls have taken it.
    return {ACL_ERROR_RT_MEMORY_ALLOCATION,
            Text("kernel ", launch.kernel->name, " could not run: out of memory on device ", device.id())};
  } catch (const std::exception &error) {
    const std::string text = Text("kernel ", launch.kernel->name, " could not run: ", error.what());
    NoteLaunch(NeverRan(*launch.kernel, launch.block_dim, text), options.policy);
    return {ACL_ERROR_RT_INTERNAL_ERROR, text};
  }
}

}  // namespace sim::runtime

using sim::runtime::Reports;

extern "C" {

aclError simLoadKernels(const char *path) try {
  try {
    sim::LoadKernels(path == nullptr ? "" : path);
  } catch (const std::exception &error) {
    return sim::runtime::Fail(ACL_ERROR_INVALID_PARAM, __func__, ": ", error.what());
  }
  return ACL_SUCCESS;
}
SIM_CATCH

void simKeepReports(int keep) try {
  Reports &reports = Reports::Get();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.keep = keep != 0;
}
SIM_CATCH_VOID

const char *simTakeReports(void) try { return sim::runtime::TakenArray(&Reports::kept); }
SIM_CATCH

void simSetRecord(int level) try {
  Reports &reports = Reports::Get();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.record = static_cast<sim::LaunchOptions::Record>(level < 0 ? 0 : level > 2 ? 2 : level);
}
SIM_CATCH_VOID

const char *simTakeRecordings(void) try { return sim::runtime::TakenArray(&Reports::recordings); }
SIM_CATCH

void simSetTrace(int on) try {
  Reports &reports = Reports::Get();
  std::lock_guard<std::mutex> lock(reports.mutex);
  reports.trace = on != 0;
}
SIM_CATCH_VOID

const char *simTakeTrace(void) try {
  Reports &reports = Reports::Get();
  std::string &text = sim::runtime::TakenText();
  std::lock_guard<std::mutex> lock(reports.mutex);
  text = std::move(reports.last_trace);
  reports.last_trace.clear();
  return text.c_str();
}
SIM_CATCH

}  // extern "C"
