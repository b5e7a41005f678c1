// SPDX-License-Identifier: Apache-2.0
// A chunk of windows whose maxima are searched for, and the image under it (op_kernel/pooling/
// window_maxima.h). Sizes are slots of one element of 16 planes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/pooling/pool_problem.h"

namespace avo {

struct WindowChunk {
  static constexpr int64_t kLanes = 16;  // planes of a tile
  // That columns are dealt out to: a transposition can do 31, but a small Unified Buffer does not hold as
  // many.
  static constexpr int64_t kMaxPlanes = 12;

  const PoolProblem &pool;
  int64_t rows, columns;          // of windows of the chunk
  int64_t tap_rows, tap_columns;  // of a window that are loaded at once

  // Rows and columns of the image under the chunk.
  int64_t RegionRows() const { return pool.rows.Span(rows, tap_rows); }
  int64_t RegionColumns() const { return pool.columns.Span(columns, tap_columns); }
  // The same in whole groups of rows, each of which has every RowGroups()-th row.
  int64_t RowGroups() const { return rows > 1 ? pool.rows.stride : 1; }
  int64_t GroupedRows() const { return AlignUp(RegionRows(), RowGroups()); }
  // Planes that columns are dealt out to.
  int64_t ColumnPlanes() const { return Dealt() ? pool.columns.stride : 1; }
  // Slots from row to row of a plane of the region: a transposition writes up to eight slots too many. Rows
  // of windows have the same pitch where columns are dealt out.
  int64_t RegionPitch() const { return Dealt() ? Pitch() : LeastRegionPitch(); }
  int64_t Pitch() const { return AlignUp(std::max(columns, Dealt() ? LeastRegionPitch() : 0), kLanes); }
  int64_t RegionSlots() const { return GroupedRows() * ColumnPlanes() * RegionPitch(); }

  template <typename Tiling>
  void State(Tiling *t) const {
    t->tapRows = static_cast<uint32_t>(tap_rows);
    t->tapColumns = static_cast<uint32_t>(tap_columns);
    t->regionRows = static_cast<uint32_t>(GroupedRows());
    t->regionPitch = static_cast<uint32_t>(RegionPitch());
    t->rowGroups = static_cast<uint32_t>(RowGroups());
  }

 private:
  bool Dealt() const { return pool.columns.stride <= kMaxPlanes; }
  int64_t LeastRegionPitch() const { return CeilDiv(RegionColumns() + 8, ColumnPlanes()); }
};

}  // namespace avo
