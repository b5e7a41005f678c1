// SPDX-License-Identifier: Apache-2.0
// The buffers of BestScan (best_scan.h), PartCarries (part_carries.h) and RunningScan (running_scan.h).
#pragma once

#include "running_scan_tiling.h"
#include "scan_tiles_buffers.h"

namespace avo {

struct BestScanBuffers {
  Buffer scratch;  // int64: results of both planes, before they replace an operand
  Buffer bits;     // int64: two masks, a bit for each element

  __aicore__ BestScanBuffers(uint64_t planes, uint64_t elements)
      : scratch{planes > 1 ? 1u : 0u, planes * elements * 4},
        bits{planes > 1 ? 1u : 0u, 2 * WholeUnits(elements / 8, 32)} {}
};

struct PartCarriesBuffers {
  Buffer ends, scanned;        // keys: what parts end with, and the scan of that
  Buffer indices;              // int32: where they found it
  Buffer leads, scratch_bits;  // a bit for each end

  // keys: of all ends in UB, 0 where lines are whole.
  __aicore__ PartCarriesBuffers(uint64_t planes, bool indexed, uint64_t keys)
      : ends{keys > 0 ? 1u : 0u, planes * keys * 4},
        scanned{ends},
        indices{indexed ? ends.count : 0, keys * 4},
        leads{indices.count, keys / 8},
        scratch_bits{leads} {}

  // Ends of one tile in UB: one for each tile of the line before it, one for each of its own parts.
  static __aicore__ uint64_t Keys(const ScanLayout &layout, const RunningScanTiling &tiling) {
    const uint64_t ends = static_cast<uint64_t>(tiling.groups) + tiling.tileOuter;
    return tiling.groups == 0 ? 0
                              : WholeUnits(ends * layout.EndPitch(tiling.tileColumns), ScanLayout::kRepeat);
  }
};

struct RunningScanBuffers {
  ScanTilesBuffers tiles;
  BestScanBuffers value_scan;
  Buffer indices;              // queue: indices as they lie in GM; rows are stored long before the next ones
  Buffer index_carry;          // int32: for each lane, the index that the piece before this one ended with
  Buffer numbers;              // int32: the number of each position, repeated for all lanes
  Buffer leader_numbers;       // columns, int32: the same of elements that lead, elsewhere the least int32
  Buffer leads, scratch_bits;  // a bit for each element
  Buffer values;               // keys: results, where they are not computed in `tiles.out`; indices as rows
  Buffer work;  // keys: the tile, where it is not computed on in `tiles.in`; rows: leader numbers
  PartCarriesBuffers carries;

  // index_item: bytes of an index, 0 where the scan gives none.
  __aicore__ RunningScanBuffers(const RunningScanTiling &tiling, const ScanLayout &layout,
                                uint64_t index_item)
      : RunningScanBuffers(tiling, layout, index_item, ScanTileSize(layout, tiling)) {}

  // Elements of the indices as they are copied.
  static __aicore__ uint64_t IndicesCopied(const RunningScanTiling &tiling, const ScanLayout &layout,
                                           const ScanTileSize &size) {
    return layout.rows ? size.width * tiling.indexPitch : size.elements;
  }

 private:
  __aicore__ RunningScanBuffers(const RunningScanTiling &tiling, const ScanLayout &layout,
                                uint64_t index_item, const ScanTileSize &size)
      : tiles(layout, size),
        value_scan(layout.Planes(), size.elements),
        indices{index_item == 0 ? 0u
                : layout.rows   ? 1u
                                : 2u,
                IndicesCopied(tiling, layout, size) * index_item},
        index_carry{index_item > 0 ? 1u : 0u, size.width * 4},
        numbers{index_carry.count, size.elements * 4},
        leader_numbers{layout.rows ? 0u : numbers.count, numbers.bytes},
        leads{index_carry.count, size.elements / 8},
        scratch_bits{leads},
        values{layout.Direct() ? 0u : index_carry.count,
               ValueKeys(layout.Planes() * size.elements, IndicesCopied(tiling, layout, size)) * 4},
        work{!layout.Direct() && (layout.rows || layout.Planes() == 1) ? 1u : 0u,
             layout.Planes() * size.elements * 4},
        carries(layout.Planes(), index_item > 0, PartCarriesBuffers::Keys(layout, tiling)) {}

  static __aicore__ uint64_t ValueKeys(uint64_t keys, uint64_t indices) {
    return keys > indices ? keys : indices;
  }
};

}  // namespace avo
