// SPDX-License-Identifier: Apache-2.0
// What the tilings of linear resampling and of its gradient share. There are three paths, one tiling key
// each:
//   copy    equal lengths
//   phases  lengths in a small ratio; a tile has 16 rows, which are lanes, and some periods
//   gather  any other lengths; a tile has some rows, and some results of each
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_host/resample/linear_scale.h"
#include "op_kernel/resample/row_tiles_buffers.h"

namespace avo {

constexpr int64_t kLanes = 16;  // rows of a transposition (TransDataTo5HD), and positions that it writes

// How a tile lies in UB.
struct RowLayout {
  int64_t in_row = 0;     // elements from row to row of an input tile
  int64_t out_row = 0;    // elements from row to row of an output tile
  int64_t in_pitch = 0;   // phases: slots from plane to plane of inputs
  int64_t out_pitch = 0;  // phases: slots from plane to plane of outputs
};

struct LinearProblem {
  LinearProblem(int64_t rows, int64_t in_length, int64_t out_length, int64_t item, const LinearScale &scale,
                const Platform &platform)
      : rows(rows),
        in_length(in_length),
        out_length(out_length),
        item(item),
        block(32 / item),
        scale(scale),
        platform(platform) {}

  int64_t rows;
  int64_t in_length, out_length;  // of the forward direction
  int64_t item;                   // bytes of an element
  int64_t block;                  // elements of a data block
  const LinearScale &scale;
  const Platform &platform;

  // Whether rows may be lanes. One row alone would leave 15 of 16 lanes idle; many phases would each be a
  // short run; and the distance of longer rows does not fit a copy.
  bool FitsLanes() const {
    constexpr int64_t kMaxStep = 31;
    return scale.rational && rows >= 2 && scale.numerator >= 1 && scale.numerator <= kMaxStep &&
           scale.denominator <= kMaxStep && !LongRows();
  }

  // Elements from row to row of a tile whose rows become lanes: an odd number of data blocks, so that the 16
  // rows of a transposition lie in 16 different bank groups.
  int64_t LaneRow(int64_t elements) const { return (CeilDiv(elements, block) | 1) * block; }

  // Slots from plane to plane. Bank groups repeat after eight slots, so all planes start in the same one.
  static int64_t PlanePitch(int64_t slots) { return AlignUp<int64_t>(slots, 8); }

  // A tile of 16 rows and some of `periods` periods.
  template <typename UbBytes>
  Tile FindLaneTile(int64_t periods, UbBytes ub_bytes) const {
    constexpr int64_t kMaxRepeats = 255;     // of a transposition, eight positions each
    constexpr int64_t kBeside = 3 * kLanes;  // positions of neighbouring tiles, and rounding
    constexpr int64_t kMaxPositions = 8 * kMaxRepeats - kBeside;
    constexpr int64_t kSectorBytes = 128;  // tiles that start on a sector do not move a line twice
    const int64_t step = std::max(scale.numerator, scale.denominator);
    const int64_t granule = std::max(kSectorBytes / std::gcd(kSectorBytes, scale.numerator * item),
                                     kSectorBytes / std::gcd(kSectorBytes, scale.denominator * item));
    return FindTile(
        {rows, periods, kLanes, kLanes, kMaxPositions / step, granule}, platform, ub_bytes,
        [&](int64_t, int64_t units) {
          return static_cast<double>(kLanes * units * (scale.numerator + scale.denominator) * item);
        });
  }

  // Bytes of the Unified Buffer for a tile of lanes; in_planes and out_planes are the steps of a period.
  uint64_t LaneBytes(const RowLayout &layout, int64_t in_planes, int64_t out_planes) const {
    return BytesOf(PhaseBuffers(layout.in_row, layout.out_row, in_planes * layout.in_pitch,
                                out_planes * layout.out_pitch, item));
  }

  // A tile of some rows and some of the `length` results of each.
  template <typename UbBytes>
  Tile FindRowTile(int64_t length, UbBytes ub_bytes) const {
    constexpr int64_t kMaxUnits = 8176;  // indices below 2^13, in whole repeats
    constexpr int64_t kMaxRows = 4095;   // blockCount of DataCopyPad
    const double per_unit = static_cast<double>(in_length + out_length) / static_cast<double>(length);
    return FindTile({rows, length, 1, LongRows() ? 1 : std::min(rows, kMaxRows), kMaxUnits, 1}, platform,
                    ub_bytes,
                    [&](int64_t tile_rows, int64_t units) { return tile_rows * units * per_unit * item; });
  }

  // Elements that `count` steps of `step` cover, bounded so that the result is an integer.
  static int64_t Span(int64_t count, long double step) {
    return static_cast<int64_t>(std::min(count * step, 1e12L));
  }

 private:
  // Whether rows are too long for several in one copy: the gap between rows is a uint32_t of bytes.
  bool LongRows() const { return std::max(in_length, out_length) * item >= int64_t{1} << 32; }
};

template <typename Tiling>
void FillSteps(const LinearSteps &steps, Tiling *tiling) {
  tiling->stepWhole = steps.whole;
  tiling->stepHigh = steps.high;
  tiling->stepLow = steps.low;
  tiling->offset = steps.offset;
  tiling->step0 = steps.parts[0];
  tiling->step1 = steps.parts[1];
  tiling->step2 = steps.parts[2];
}

template <typename Tiling>
void FillTile(const Tile &tile, const RowLayout &layout, Tiling *tiling) {
  tiling->rowGroups = tile.groups;
  tiling->lengthTiles = tile.tiles;
  tiling->tileRows = static_cast<uint32_t>(tile.rows);
  tiling->tileUnits = static_cast<uint32_t>(tile.units);
  tiling->inRow = static_cast<uint32_t>(layout.in_row);
  tiling->outRow = static_cast<uint32_t>(layout.out_row);
  tiling->inPitch = static_cast<uint32_t>(layout.in_pitch);
  tiling->outPitch = static_cast<uint32_t>(layout.out_pitch);
}

// Keys of the three paths, as the contract numbers them.
struct LinearKeys {
  uint64_t phases;
  uint64_t gather;
  uint64_t copy;
};

// Plans one direction. `paths` says how a tile lies in UB and what it takes there:
//   length, periods                results of a row, and periods of them
//   Phases(units), PhaseBytes      of a tile of 16 rows and `units` periods
//   Gather(units), GatherBytes     of a tile of rows and `units` results of each
template <typename Tiling, typename Paths>
Plan<Tiling> PlanLinear(const LinearProblem &problem, const LinearKeys &keys, const Paths &paths) {
  Plan<Tiling> plan;
  Tiling &tiling = plan.tiling;
  tiling.rows = problem.rows;
  tiling.inLength = problem.in_length;
  tiling.outLength = problem.out_length;
  if (problem.rows == 0) return plan;

  const LinearScale &scale = problem.scale;
  Tile tile;
  RowLayout layout;
  if (scale.identity) {
    plan.tiling_key = keys.copy;
    tile = FindCopyTile(problem.rows * problem.in_length, problem.item, problem.platform);
    plan.ub_bytes = BytesOf(TensorCopyBuffers(tile.units, problem.item));
  } else if (problem.FitsLanes()) {
    plan.tiling_key = keys.phases;
    tile = problem.FindLaneTile(
        paths.periods, [&](int64_t, int64_t units) { return paths.PhaseBytes(paths.Phases(units)); });
    layout = paths.Phases(tile.units);
    plan.ub_bytes = paths.PhaseBytes(layout);
    tiling.inStep = static_cast<uint32_t>(scale.numerator);
    tiling.outStep = static_cast<uint32_t>(scale.denominator);
    tiling.halfPixel = scale.half_pixel ? 1 : 0;
  }
  // Also where not even one period of 16 rows fits.
  if (tile.rows == 0) {
    plan.tiling_key = keys.gather;
    const auto bytes = [&](int64_t rows, int64_t units) {
      return paths.GatherBytes(rows, paths.Gather(units));
    };
    tile = problem.FindRowTile(paths.length, bytes);
    if (tile.rows == 0) ThrowUbTooSmall(problem.platform, bytes(1, 1));
    layout = paths.Gather(tile.units);
    plan.ub_bytes = bytes(tile.rows, tile.units);
    FillSteps(scale.Forward(), &tiling);
  }
  FillTile(tile, layout, &tiling);
  plan.block_dim =
      static_cast<uint32_t>(std::min<int64_t>(tile.groups * tile.tiles, problem.platform.vector_cores));
  return plan;
}

}  // namespace avo
