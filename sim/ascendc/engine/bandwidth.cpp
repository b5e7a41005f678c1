// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.h"

#include <algorithm>
#include <limits>

namespace sim {
namespace {

// A copy counts as done when it needs less than this part of a cycle: rounding may leave so much. It must be
// more than the smallest step of a double after an hour of cycles; otherwise a long kernel would wait for
// ever for bytes that take less than one step of its clock.
constexpr double kDone = 1e-3;

// Shares bandwidth fairly: demands below an equal share get all they want, and the others divide what is
// left. Each round gives the demands below the share what they want, until no demand is below it.
double WaterLevel(const std::vector<double> &demands, double capacity) {
  double share = capacity / static_cast<double>(demands.size());
  for (;;) {
    double left = capacity;
    size_t above = 0;
    for (const double demand : demands) {
      if (demand > share) {
        ++above;
      } else {
        left -= demand;
      }
    }
    if (above == 0) return std::numeric_limits<double>::infinity();
    const double next = left / static_cast<double>(above);
    if (next <= share) return share;
    share = next;
  }
}

}  // namespace

Bandwidth::Bandwidth(const DeviceModel &model, L2Cache *l2)
    : model_(model),
      l2_(l2),
      hbm_(model.hbm_bytes_per_second * model.cost.hbm_efficiency / (model.clock_ghz * 1e9)),
      l2_bandwidth_(model.l2_bytes_per_second / (model.clock_ghz * 1e9)) {}

void Bandwidth::Start(uint32_t core, bool cube, Pipe pipe, const Event &copy) {
  const CostModel &cost = model_.cost;
  Flow flow;
  flow.core = core;
  flow.pipe = pipe;
  flow.copy = &copy;
  HbmTraffic traffic;
  double extra = 0;
  ForEachRow(copy, [&](uint64_t begin, uint64_t end) {
    const HbmTraffic row = l2_->Access(begin, end - begin, copy.write, copy.bypass);
    traffic.read += row.read;
    traffic.written += row.written;
    // A row that starts inside a sector and ends in the next line moves one line more than it fills.
    const bool crosses = (end - 1) / cost.gm_line != begin / cost.gm_line;
    if (crosses && begin % cost.l2_sector != 0)
      extra += static_cast<double>(std::min<uint64_t>(cost.gm_line, end - begin));
  });
  const double payload = static_cast<double>(copy.row_bytes) * copy.rows;
  flow.bytes = flow.left = payload + extra;
  const double misses = copy.write ? 0 : std::min(1.0, traffic.read / payload);
  hbm_read_ += traffic.read;
  hbm_written_ += traffic.written;
  flow.hbm_share = (traffic.read + extra * misses + traffic.written) / flow.bytes;
  const double from_hbm = cube ? cost.cube_read_hbm_bytes : cost.read_hbm_bytes;
  const double from_l2 = cube ? cost.cube_read_l2_bytes : cost.read_l2_bytes;
  const double written = cube ? cost.cube_write_bytes : cost.write_bytes;
  const double cycles_per_byte = copy.write ? 1 / written : misses / from_hbm + (1 - misses) / from_l2;
  const double row = cube ? cost.cube_copy_row : cost.copy_row;
  flow.row_cycles = std::max(copy.rows * row, flow.bytes * cycles_per_byte);
  flow.alone = flow.bytes / flow.row_cycles;
  if (!copy.write) {
    flow.line = copy.address / cost.gm_line;
    flow.together = &readers_[flow.line];
    ++*flow.together;
    const uint32_t row_lines = (copy.row_bytes + cost.gm_line - 1) / cost.gm_line;
    flow.line_cycles = cost.same_line * copy.rows * row_lines;
  }
  flows_.push_back(flow);
}

void Bandwidth::Delay(uint32_t core, double cycles) {
  for (Flow &flow : flows_) {
    if (flow.core == core) flow.left += flow.rate * cycles;
  }
}

double Bandwidth::NextEnd() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Flow &flow : flows_) next = std::min(next, flow.left / flow.rate);
  return next;
}

void Bandwidth::Advance(double cycles) {
  for (Flow &flow : flows_) flow.left -= flow.rate * cycles;
}

const std::vector<Flow> &Bandwidth::TakeFinished() {
  finished_.clear();
  size_t kept = 0;
  for (const Flow &flow : flows_) {
    if (flow.left > kDone * flow.rate) {
      flows_[kept++] = flow;
      continue;
    }
    if (flow.together != nullptr && --*flow.together == 0) readers_.erase(flow.line);
    finished_.push_back(flow);
  }
  flows_.resize(kept);
  return finished_;
}

void Bandwidth::Settle() {
  demands_.clear();
  for (Flow &flow : flows_) {
    flow.rate = flow.alone;
    if (flow.together != nullptr) {
      const double cycles = flow.line_cycles * *flow.together;
      if (cycles > flow.row_cycles) flow.rate = flow.bytes / cycles;
    }
    demands_.push_back(flow.rate);
  }
  const double l2_level = WaterLevel(demands_, l2_bandwidth_);
  demands_.clear();
  for (Flow &flow : flows_) {
    flow.rate = std::min(flow.rate, l2_level);
    demands_.push_back(flow.rate * flow.hbm_share);
  }
  const double hbm_level = WaterLevel(demands_, hbm_);
  for (Flow &flow : flows_) {
    if (flow.hbm_share > 0) flow.rate = std::min(flow.rate, hbm_level / flow.hbm_share);
  }
}

}  // namespace sim
