// SPDX-License-Identifier: Apache-2.0
// A scan and the ways to cut it, as its tiling sees them (op_kernel/scan/scan_layout.h has drawings).
#pragma once

#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_kernel/scan/scan_layout.h"

namespace avo {

// The tensor as (outer, length, inner) around the scanned axis, and what its elements take.
struct ScanProblem {
  // item: bytes of an element.
  ScanProblem(const Shape &shape, int64_t axis, int64_t item, const Platform &platform)
      : item(item), platform(platform) {
    for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
      (i < axis ? outer : i == axis ? length : inner) *= shape[i];
    }
    rows = inner == 1;
  }

  int64_t outer = 1, length = 1, inner = 1;
  int64_t item;            // bytes of an element
  int64_t index_item = 0;  // bytes of an index, where the scan gives indices
  int64_t more_read = 0;   // bytes that are read of other tensors for each element
  bool rows;               // layout `rows`, else `columns`
  bool running = false;    // a RunningScan, which knows runs and parts; else a gradient
  const Platform &platform;

  bool empty() const { return outer * length * inner == 0; }
  bool indexed() const { return index_item > 0; }
  ScanLayout Layout() const { return {static_cast<uint64_t>(item), rows}; }
  int64_t Planes() const { return static_cast<int64_t>(Layout().Planes()); }
  // Elements of a position, and of a tile, in the Unified Buffer.
  int64_t Width(int64_t slices, int64_t columns) const {
    return static_cast<int64_t>(Layout().Width(slices, columns));
  }
  int64_t Elements(int64_t slices, int64_t columns, int64_t positions) const {
    return static_cast<int64_t>(Layout().Elements(Width(slices, columns), positions));
  }
  // Keys that the end of a part takes in the workspace.
  int64_t EndPitch(int64_t columns) const { return static_cast<int64_t>(Layout().EndPitch(columns)); }

  // Elements from row to row in UB, for elements of `bytes` bytes; the planes of int64 have 4 bytes. A row
  // has room for the positions to which a transposition back to rows rounds up. It is an odd number of data
  // blocks, so that the 16 rows of a transposition lie in 16 bank groups.
  static int64_t RowPitch(int64_t positions, int64_t bytes) {
    const int64_t transposed = AlignUp<int64_t>(positions, ScanLayout::kTransposed);
    // Whole transpositions are whole data blocks too, of 16 elements, or an even number of blocks of 8.
    return bytes == 2 ? (transposed / 16 | 1) * 16 : (transposed / 8 | 1) * 8;
  }
};

// A way to cut a scan.
struct ScanCut {
  int64_t slices = 0;        // of a tile
  int64_t columns = 0;       // of each slice
  int64_t positions = 0;     // in UB at once; 0: no tile fits
  int64_t run = 0;           // positions of a run (op_kernel/scan/best_scan.h), all of them for a chain
  int64_t groups = 0;        // tiles of a line that is cut into parts; 0: lines are whole
  int64_t slice_length = 0;  // positions of a slice: of a part, or of a line

  int64_t OuterTiles(const ScanProblem &problem) const {
    return groups > 0 ? problem.outer * groups : CeilDiv(problem.outer, slices);
  }
  int64_t ColumnTiles(const ScanProblem &problem) const { return CeilDiv(problem.inner, columns); }
};

}  // namespace avo
