// SPDX-License-Identifier: Apache-2.0
// Copies in flight share bandwidth like a fluid. Each one is at most as fast as its core and its rows allow,
// and all together stay within the bandwidth of HBM and of L2.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "device_model.h"
#include "events.h"
#include "l2_cache.h"

namespace sim {

struct Flow {
  uint32_t core = 0;
  Pipe pipe = Pipe::MTE2;
  const Event *copy = nullptr;
  double bytes = 0;  // moved, with what misalignment adds
  double left = 0;
  double hbm_share = 0;    // bytes over HBM for each of them
  double row_cycles = 0;   // of all rows, when nobody else is there
  double alone = 0;        // bytes a cycle then
  double alone_doubt = 0;  // the part by which these cycles may be off; of HBM: hbm_doubt
  double hbm_doubt = 0;
  // Cores that start to read at one line meet there: how many there are, and the cycles that each one adds.
  uint64_t line = 0;
  uint32_t *together = nullptr;
  double line_cycles = 0;
  double rate = 0;                             // bytes a cycle now
  ConstantGroup bound = ConstantGroup::kCopy;  // what makes it no faster now, and how far off that may be
  double doubt = 0;
  Doubts doubts{};  // cycles, since it started
};

class Bandwidth {
 public:
  Bandwidth(const DeviceModel &model, L2Cache *l2);

  void Start(uint32_t core, bool cube, Pipe pipe, const Event &copy);
  bool idle() const { return flows_.empty(); }
  double NextEnd() const;  // cycles from now until a copy ends
  void Advance(double cycles);
  // The copies that have ended, in the order in which they started; valid until the next call.
  const std::vector<Flow> &TakeFinished();
  void Settle();  // new rates after starts and ends

  double hbm_read() const { return hbm_read_; }
  double hbm_written() const { return hbm_written_; }
  // Cycles that the lines take which may have left the L2, or may not, depending on what it can keep.
  double EvictionsOff() const;

 private:
  void JoinReaders(Flow *flow);
  static void Bind(Flow *flow, double rate, ConstantGroup group, double doubt);

  const DeviceModel &model_;
  L2Cache *l2_;
  const double hbm_;  // bytes a cycle
  const double l2_bandwidth_;
  std::vector<Flow> flows_;
  std::unordered_map<uint64_t, uint32_t> readers_;  // by their first line
  std::vector<Flow> finished_;
  std::vector<double> demands_;
  double hbm_read_ = 0;
  double hbm_written_ = 0;
};

}  // namespace sim
