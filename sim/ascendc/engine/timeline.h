// SPDX-License-Identifier: Apache-2.0
// A launch as the page of `avo sim run --html` shows it: what each pipe of each core did and waited for, with
// source lines. AVO_SIM_TIMELINE=FOLDER writes one file for each launch, NNN-KERNEL.json:
//
//   {"report":  …,                                   Report::Json
//    "device":  {"soc": …, "clock_ghz": …, …},
//    "start":   cycles until the first core starts,
//    "tick":    cycles; times below are whole ticks,
//    "sites":   [[name, file, line, calls], …],      API calls; line 0: not known
//    "modules": [path, …],                           of the kernels' libraries
//    "rows":    [{"core": 0, "cube": false, "pipe": "V", "slices": base64}, …]}
//
// `slices` are little-endian 32-bit words, nine for each instruction, in order of their starts:
//
//   start │ length │ site │ bytes │ waited │ cause │ pipe + 16 * core │ site + 1 or 0 │ stalled
//                                  └──────── what it waited for before (waits.h) ─┘
#pragma once

#include <string>
#include <vector>

#include "cost.h"
#include "device_model.h"
#include "launch.h"

namespace sim {

// Writes the file of a launch, with the next number that the folder has not. Says on stderr where it cannot.
void WriteTimeline(const std::string &folder, const DeviceModel &model, const std::vector<CoreTrace> &cores,
                   const CostResult &cost, const Report &report);

}  // namespace sim
