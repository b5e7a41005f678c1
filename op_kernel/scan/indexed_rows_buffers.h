// SPDX-License-Identifier: Apache-2.0
// Planes of positions (position_planes.h), and the buffers of PlaneScan (plane_scan.h) and IndexedRows
// (indexed_rows.h).
#pragma once

#include "running_scan_tiling.h"
#include "scan_layout.h"

namespace avo {

// How the positions of a tile of rows lie in the Unified Buffer (UB): position_planes.h has a drawing.
struct PlaneShape {
  static constexpr uint32_t kPlanes = 8;
  static constexpr uint32_t kHeadSlots = 2;  // before the tile: position_planes.h says what for
  // Elements of which a plane is a multiple. Planes of all types then begin in the same bank group.
  static constexpr uint64_t kPitchUnit = 256;

  uint32_t width;  // elements of a slot: the rows of the tile, rounded up to 16
  uint32_t runs;   // slots of a plane
  uint32_t pitch;  // elements from plane to plane

  __aicore__ PlaneShape() : width(0), runs(0), pitch(0) {}
  __aicore__ PlaneShape(uint64_t rows, uint64_t positions)
      : width(static_cast<uint32_t>(WholeUnits(rows, ScanLayout::kTransposed))),
        runs(static_cast<uint32_t>(WholeUnits(positions, ScanLayout::kTransposed) / kPlanes)),
        pitch(static_cast<uint32_t>(WholeUnits(uint64_t{runs} * width, kPitchUnit))) {}

  // Elements of a tile.
  __aicore__ constexpr uint32_t Elements() const { return kPlanes * pitch; }
  // Elements of a plane that belong to positions.
  __aicore__ constexpr uint32_t PlaneElements() const { return runs * width; }
  __aicore__ constexpr uint32_t HeadElements() const { return kHeadSlots * width; }
};

struct PlaneScanBuffers {
  static constexpr uint64_t kBankCycle = 512;  // bytes after which the bank groups of UB repeat

  Buffer ends;  // two planes of what runs end with; before each of them a plane of the worst key
  Buffer
      head;  // the worst key, and what the piece before this one ended with; whole cycles of the bank groups

  // item: bytes of what is scanned.
  __aicore__ PlaneScanBuffers(const PlaneShape &shape, uint64_t item)
      : ends{1, 4 * uint64_t{shape.pitch} * item},
        head{1, WholeUnits(shape.HeadElements() * item, kBankCycle)} {}
};

struct IndexedRowsBuffers {
  static constexpr uint64_t kBankCycle = PlaneScanBuffers::kBankCycle, kHalfCycle = kBankCycle / 2;

  Buffer in;       // queue: values as they lie in GM
  Buffer keys;     // the tile, later the numbers of elements that lead (int16)
  Buffer results;  // the scanned values, later the scanned indices (int16)
  PlaneScanBuffers values;
  PlaneScanBuffers indices;  // int16
  Buffer numbers;            // int16: half a cycle, then the number of each position, repeated for all lanes
  Buffer bits;               // two masks, a bit for each element
  Buffer zeros;              // int16: what indices are widened with
  Buffer out;                // queue: values, or indices, of 16 rows as they lie in GM

  // item, key_item, index_item: bytes of an element in GM, of its key and of an index.
  __aicore__ IndexedRowsBuffers(const RunningScanTiling &tiling, uint64_t item, uint64_t key_item,
                                uint64_t index_item)
      : IndexedRowsBuffers(tiling, PlaneShape(tiling.tileOuter, tiling.tileLength), item, key_item,
                           index_item) {}

  // Bytes before the tile in `results`. The tile begins half a cycle of the bank groups behind that in
  // `keys`, so that an instruction reads one key of each without waiting.
  static __aicore__ uint64_t HeadBytes(const PlaneShape &shape, uint64_t key_item) {
    return WholeUnits(shape.HeadElements() * key_item, kBankCycle) + kHalfCycle;
  }

 private:
  __aicore__ IndexedRowsBuffers(const RunningScanTiling &tiling, const PlaneShape &shape, uint64_t item,
                                uint64_t key_item, uint64_t index_item)
      : in{1, WholeUnits(uint64_t{shape.width} * tiling.rowPitch * item, kBankCycle)},
        keys{1, shape.Elements() * key_item},
        results{1, HeadBytes(shape, key_item) + keys.bytes + kHalfCycle},
        values(shape, key_item),
        indices(shape, sizeof(int16_t)),
        numbers{1, kHalfCycle + shape.Elements() * sizeof(int16_t)},
        bits{1, 2 * shape.Elements() / 8},
        zeros{1, WholeUnits(tiling.indexLength, PlaneShape::kPlanes) / PlaneShape::kPlanes * shape.width *
                     sizeof(int16_t)},
        out{tiling.outQueue, ScanLayout::kTransposed * tiling.indexPitch * index_item} {}
};

}  // namespace avo
