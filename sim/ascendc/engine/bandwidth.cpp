// SPDX-License-Identifier: Apache-2.0
#include "bandwidth.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim {
namespace {

// A copy counts as done when it needs less than this part of a cycle: rounding may leave so much. It must be
// more than the smallest step of a double after an hour of cycles; otherwise a long kernel would wait for
// ever for bytes that take less than one step of its clock.
constexpr double kDone = 1e-3;
constexpr uint64_t kBlock = 32;

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

// Where a core stands among the others, from -1, which the L2 serves first, to 1: cores are spread evenly.
double Distance(uint32_t core) {
  constexpr double golden = 0.6180339887498949;
  const double turns = core * golden;
  return 2 * (turns - std::floor(turns)) - 1;
}

const Cycles &Longer(const Cycles &a, const Cycles &b) { return a.count > b.count ? a : b; }

// Cycles in which a cube core reads a copy. Where rows of a matrix become fractals on their way, rows that
// lie at multiples of a data block go in one piece, others block by block. Of rows that stay as they are
// nothing is published: they are taken to need what rows of a vector core need, and never more than with
// conversion. `misses`: the part that comes from HBM.
Cycles CubeReadCycles(const CostModel &cost, const Event &copy, double misses, double distance) {
  const uint64_t stride = copy.rows > 1 ? static_cast<uint64_t>(copy.row_stride) : 0;
  const Constant &hbm = copy.bypass ? cost.cube_past_l2_bytes : cost.cube_read_hbm_bytes;
  const double spread = cost.cube_l2_spread * distance;
  const Constant l2 = {cost.cube_read_l2_bytes / (1 + spread),
                       cost.cube_read_l2_bytes.doubt + std::abs(spread) * cost.cube_l2_spread.doubt};
  const Cycles of_bytes = copy.row_bytes * (Cycles::At(hbm, misses) + Cycles::At(l2, 1 - misses));
  Cycles row;
  if (copy.rows > 1 && copy.row_bytes < cost.l2_sector) {
    row = Cycles::Of(cost.cube_short_row);
  } else if (copy.address % kBlock != 0 || stride % kBlock != 0) {
    row = static_cast<double>((copy.row_bytes + kBlock - 1) / kBlock) * Cycles::Of(cost.cube_unaligned_block);
  } else {
    row = Cycles::Of(cost.cube_copy_row) + of_bytes;
  }
  if (!copy.converts) {
    const Cycles plain = Longer(of_bytes, Cycles::Of(cost.copy_row));
    if (plain.count < row.count) row = plain;
  }
  return copy.rows * row;
}

// Cycles of a copy when nobody else is there.
Cycles CyclesAlone(const CostModel &cost, bool cube, const Flow &flow, double misses) {
  const Event &copy = *flow.copy;
  if (cube && !copy.write) return CubeReadCycles(cost, copy, misses, Distance(flow.core));
  const Constant &written = cube ? cost.cube_write_bytes : cost.write_bytes;
  const Cycles of_byte =
      copy.write ? Cycles::At(written, 1)
                 : Cycles::At(cost.read_hbm_bytes, misses) + Cycles::At(cost.read_l2_bytes, 1 - misses);
  const Cycles rows = copy.rows * Cycles::Of(cost.copy_row), bytes = flow.bytes * of_byte;
  return Longer(rows, bytes);
}

}  // namespace

Bandwidth::Bandwidth(const DeviceModel &model, L2Cache *l2)
    : model_(model),
      l2_(l2),
      hbm_(model.hbm_bytes_per_second * model.cost.hbm_efficiency / (model.clock_ghz * 1e9)),
      l2_bandwidth_(model.l2_bytes_per_second * model.cost.l2_over_peak / (model.clock_ghz * 1e9)) {}

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
  // Short rows that go past the L2 cross HBM one by one.
  const bool alone = copy.bypass && !copy.write && copy.row_bytes < cost.gm_line;
  const double read = (traffic.read + extra * misses) * (alone ? cost.hbm_short_row.value : 1.0);
  const double written = traffic.written * cost.hbm_written;
  flow.hbm_share = (read + written) / flow.bytes;
  flow.hbm_doubt = cost.hbm_efficiency.doubt;
  if (read + written > 0) {
    flow.hbm_doubt += (alone ? read * cost.hbm_short_row.doubt : 0) / (read + written) +
                      written * cost.hbm_written.doubt / (read + written);
  }
  if (!copy.write) JoinReaders(&flow);
  const Cycles cycles = CyclesAlone(cost, cube, flow, misses);
  flow.row_cycles = cycles.count;
  flow.alone_doubt = cycles.off / cycles.count;
  flow.alone = flow.bytes / flow.row_cycles;
  flows_.push_back(flow);
}

// Cores that read from the same line on share it.
void Bandwidth::JoinReaders(Flow *flow) {
  const CostModel &cost = model_.cost;
  const Event &copy = *flow->copy;
  flow->line = copy.address / cost.gm_line;
  flow->together = &readers_[flow->line];
  ++*flow->together;
  const uint32_t row_lines = (copy.row_bytes + cost.gm_line - 1) / cost.gm_line;
  flow->line_cycles = (copy.bypass ? cost.same_line : cost.same_line_in_l2) * copy.rows * row_lines;
}

double Bandwidth::NextEnd() const {
  double next = std::numeric_limits<double>::infinity();
  for (const Flow &flow : flows_) next = std::min(next, flow.left / flow.rate);
  return next;
}

void Bandwidth::Advance(double cycles) {
  for (Flow &flow : flows_) {
    flow.left -= flow.rate * cycles;
    flow.doubts[Index(flow.bound)] += static_cast<float>(cycles * flow.doubt);
  }
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

void Bandwidth::Bind(Flow *flow, double rate, ConstantGroup group, double doubt) {
  flow->rate = rate;
  flow->bound = group;
  flow->doubt = doubt;
}

void Bandwidth::Settle() {
  const CostModel &cost = model_.cost;
  demands_.clear();
  for (Flow &flow : flows_) {
    Bind(&flow, flow.alone, ConstantGroup::kCopy, flow.alone_doubt);
    if (flow.together != nullptr) {
      const double cycles = flow.line_cycles * *flow.together;
      if (cycles > flow.row_cycles) {
        const Constant &line = flow.copy->bypass ? cost.same_line : cost.same_line_in_l2;
        Bind(&flow, flow.bytes / cycles, ConstantGroup::kL2, line.doubt);
      }
    }
    demands_.push_back(flow.rate);
  }
  const double l2_level = WaterLevel(demands_, l2_bandwidth_);
  demands_.clear();
  for (Flow &flow : flows_) {
    if (l2_level < flow.rate) Bind(&flow, l2_level, ConstantGroup::kL2, cost.l2_over_peak.doubt);
    demands_.push_back(flow.rate * flow.hbm_share);
  }
  const double hbm_level = WaterLevel(demands_, hbm_);
  for (Flow &flow : flows_) {
    if (flow.hbm_share > 0 && hbm_level / flow.hbm_share < flow.rate) {
      Bind(&flow, hbm_level / flow.hbm_share, ConstantGroup::kHbm, flow.hbm_doubt);
    }
  }
}

double Bandwidth::EvictionsOff() const {
  const CostModel &cost = model_.cost;
  const double kept_off = cost.l2_usable.off() * static_cast<double>(model_.l2_bytes);
  return std::min(hbm_written_, kept_off) * cost.hbm_written / hbm_;
}

}  // namespace sim
