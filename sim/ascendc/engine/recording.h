// SPDX-License-Identifier: Apache-2.0
// What one core issued, in program order and in full, for programs that compare it (LaunchOptions::record). A
// line for each instruction, flag and barrier; words are separated by blanks, and the first one says what the
// line is:
//
//   I pipe name site repeats elements element_bytes atomic operand …    an instruction
//   F from to id site         a flag set, by SetFlag or by a queue; id -1: a unit flag of L0C
//   W from to id site         the same, waited for
//   B pipe site               PipeBarrier, of "ALL" pipes too
//   X mode pipe flag site     CrossCoreSetFlag
//   T flag site               CrossCoreWaitFlag
//
// `site` is a number in the core's list of sites. An operand is eleven values with commas between them:
//
//   name,space,w,address,row_bytes,rows,row_stride,groups,group_stride,element_bytes,lanes
//
// w is w where it is written, else r. An address in GM is "start+offset" of its allocation; lanes are
// hexadecimal, empty where all are touched, and a hash of the map for gathers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device_memory.h"
#include "events.h"
#include "instruction.h"

namespace sim {

class Recording {
 public:
  void Add(const Instruction &instruction, uint32_t site, const DeviceMemory &memory);
  void AddFlag(char kind, Pipe from, Pipe to, int32_t id, uint32_t site);
  void AddBarrier(const char *pipe, uint32_t site);
  // kind X: set, T: waited for.
  void AddCrossCore(char kind, int mode, Pipe pipe, uint16_t flag, uint32_t site);
  // SyncAll: the flags that CANN sets and waits for.
  void AddMeeting(bool vector_only, bool cube, uint32_t site);
  const std::string &lines() const { return lines_; }

 private:
  void AddOperand(const Operand &operand, const DeviceMemory &memory);
  void Word(const std::string &text) { lines_ += ' ' + text; }
  void Word(uint64_t number) { Word(std::to_string(number)); }

  std::string lines_;
};

struct RecordedCore {
  uint32_t core;
  bool cube;
  const Recording *recording;
  const std::vector<Site> *sites;
};

// {"kernel": …, "cycles": …, "cores": [{"core": 0, "cube": false, "sites": [[name, calls], …], "lines": "…"},
// …]}. `calls` are those from the kernel's entry to the site (CallTexts of source_lines.h), or else its line
// alone.
std::string RecordingJson(const std::string &kernel, double cycles, const std::vector<RecordedCore> &cores,
                          bool with_calls);

}  // namespace sim
