// SPDX-License-Identifier: Apache-2.0
// The cycle model. It replays what all cores did while they share the bandwidth of HBM and L2.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "constant.h"
#include "device_model.h"
#include "events.h"
#include "waits.h"

namespace sim {

struct CoreTrace {
  uint32_t core = 0;
  bool cube = false;
  const std::vector<Event> *events = nullptr;
  const std::vector<Site> *sites = nullptr;
  Cycles tail;  // of the scalar unit, after the last event
};

struct TraceSlice {
  uint32_t core;
  Pipe pipe;
  uint32_t site;
  double begin;  // cycles
  double end;
  uint64_t bytes;
  double waited;   // cycles before `begin` in which the pipe had nothing to do, and nothing of it went on
  Wait wait;       // why
  double stalled;  // of a copy: cycles that it took longer than alone; of V: cycles of bank conflicts
};

struct CostResult {
  Moment end;                // of the last core; the launch begins at 0
  double busy[kPipes] = {};  // summed over cores
  uint64_t hbm_read_bytes = 0;
  uint64_t hbm_write_bytes = 0;
  std::vector<TraceSlice> slices;  // where asked for, in the order in which they ended
};

struct ReplayOptions {
  bool slices = false;  // keep them
  bool warm = false;    // the L2 holds what the same launch left there a moment ago; else it is empty
};

CostResult Replay(const DeviceModel &model, const std::vector<CoreTrace> &cores,
                  const std::vector<uint32_t> &meetings, const std::vector<std::vector<uint32_t>> &deliveries,
                  const ReplayOptions &options);

// Returns the trace as Chrome / Perfetto JSON: each core is a process, each pipe a row.
std::string TraceJson(const DeviceModel &model, const std::vector<CoreTrace> &cores, const CostResult &cost,
                      const std::string &kernel);

}  // namespace sim
