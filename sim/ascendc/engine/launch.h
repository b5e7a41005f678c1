// SPDX-License-Identifier: Apache-2.0
// Runs a kernel on the simulated device and returns what the judges found and measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "constant.h"
#include "core.h"
#include "device_memory.h"
#include "device_model.h"
#include "faults.h"
#include "kernel.h"
#include "policy.h"

namespace sim {

struct LaunchOptions {
  bool auto_sync = true;  // model the compiler's auto-sync; false is the strict mode
  bool hazards = true;    // happens-before and uninitialised-read judges
  bool cost = true;       // cycle model
  // false: matrix products are judged and timed, but their results are not computed; for measurements of
  // products that a CPU would compute for minutes.
  bool products = true;
  bool warm =
      false;  // the cycle model: the L2 holds what the same launch left there a moment ago; else it is empty
  bool trace = false;    // keep the events for Report::Trace
  std::string timeline;  // a folder for a file on the launch (timeline.h); empty: none
  // What each core did, for Report::recording; with the calls that led to each site, which takes addr2line.
  enum class Record : uint8_t { kNothing, kLines, kCalls } record = Record::kNothing;
  uint32_t threads = 0;  // 0: all host cores
  uint64_t seed = 0;     // order in which blocks start; a failure prints it
  // After these a kernel counts as endless (watch.h): seconds that a core computes without progress, and
  // instructions of a core.
  double timeout = 60;
  uint64_t instructions = uint64_t{1} << 26;
  // A workspace, [begin, end) of GM: nobody reads what the kernel leaves there.
  uint64_t workspace_begin = 0;
  uint64_t workspace_end = 0;
  Policy policy;
  // AVO_SIM_STRICT, AVO_SIM_FAST, AVO_SIM_THREADS, AVO_SIM_SEED, AVO_SIM_WARM, AVO_SIM_TIMEOUT,
  // AVO_SIM_INSTRUCTIONS, AVO_SIM_TIMELINE, and the policy. Throws std::invalid_argument where the policy is
  // ill-formed.
  static LaunchOptions FromEnvironment();
};

struct Fault {
  FaultKind kind;
  std::string kernel;
  uint32_t block;
  // The whole message: kernel, block, instructions with their source lines, operand, bytes, missing event.
  std::string text;
  Severity severity = Severity::kError;
  std::vector<FaultSite> sites;  // in the order of the text
  NamedBytes bytes;
  bool final = false;  // it ended its block, as it does under each policy
};

struct Suppression;

struct PipeCounters {
  uint64_t instructions = 0;
  uint64_t bytes = 0;  // kCopy: bytes moved; others: bytes of operands
  uint64_t repeats = 0;
  double busy_cycles = 0;  // modelled, summed over blocks
};

struct Report {
  std::string kernel;
  std::string soc;
  uint32_t blocks = 0;
  uint32_t cores = 0;  // blocks that issued any instruction but scalar ones
  PipeCounters pipes[kPipes];
  uint64_t gm_read_bytes = 0;  // by MTE2 and scalar loads
  uint64_t gm_write_bytes = 0;
  uint64_t hbm_read_bytes = 0;  // modelled: misses of the L2
  uint64_t hbm_write_bytes = 0;
  uint64_t scalar_accesses = 0;  // GetValue / SetValue
  uint64_t ub_peak_bytes = 0;
  double cycles = 0;  // modelled makespan, launch overhead included
  double microseconds = 0;
  // The range of `microseconds` that follows from the doubts of the model's constants, and by how much each
  // group of constants may move it.
  double least_microseconds = 0;
  double most_microseconds = 0;
  double doubts[kGroups] = {};  // microseconds
  uint64_t seed = 0;
  std::vector<Fault> faults;
  std::vector<const Suppression *> suppressed;  // the suppression of each fault that does not count

  bool ok() const;           // no fault is an error
  std::string Json() const;  // every field above, one object
  std::string trace;         // Chrome / Perfetto JSON where LaunchOptions::trace
  std::string recording;     // RecordingJson (recording.h) where LaunchOptions::record
};

// Runs the kernel and returns when all its blocks have ended. `args` are device addresses, or words that are
// passed by value; `tiling` is copied to GM, and its address comes after `args`. After a fault GM holds what
// the blocks wrote until then.
Report Launch(DeviceMemory &memory, const DeviceModel &model, const Kernel &kernel, uint32_t block_dim,
              uint64_t tiling_key, const std::vector<void *> &args, const void *tiling, size_t tiling_bytes,
              const LaunchOptions &options);

}  // namespace sim
