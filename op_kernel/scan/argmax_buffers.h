// SPDX-License-Identifier: Apache-2.0
// The buffers of ArgMax: of its helpers (lane_argmax.h, lane_reduction.h, argmax_tiles.h) and of its three
// layouts (argmax.h, short_lines.h).
#pragma once

#include "argmax_tiling.h"
#include "key_planes_buffers.h"

namespace avo {

// What ArgMax compares in place of an element, and what it gives.
struct ArgmaxFormat {
  uint64_t item;        // bytes of an element
  bool whole;           // keys are int32 (of int32 and int64), else float32
  uint64_t index_item;  // bytes of an index

  static constexpr uint64_t kRepeat = 64;   // lanes of a repeat
  static constexpr uint64_t kKeyBlock = 8;  // keys in a data block

  __aicore__ constexpr uint64_t Planes() const { return KeyPlaneCount(item); }
  // Float32 numbers that order the keys of an element one after the other (lane_reduction.h).
  __aicore__ constexpr uint64_t Limbs() const { return 2 * Planes(); }
};

struct LaneArgmaxBuffers {
  Buffer best;     // keys: the largest of each lane, and a repeat to move them by
  Buffer indices;  // int32: where they were found
  Buffer bits;     // three masks, a bit for each lane
  Buffer larger;   // int32 keys: the maximum of a key and the best

  __aicore__ LaneArgmaxBuffers(const ArgmaxFormat &format, uint64_t lanes)
      : best{1, (format.Planes() * lanes + ArgmaxFormat::kRepeat) * 4},
        indices{1, lanes * 4},
        bits{1, 3 * MaskBytes(lanes)},
        larger{format.whole ? 1u : 0u, lanes * 4} {}

  // Bytes of a mask, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t lanes) { return WholeUnits(lanes / 8, 32); }
};

struct LaneReductionBuffers {
  Buffer limb, order;   // float32: a limb of each lane; its index, negative where the last one wins
  Buffer maxima;        // float32: the largest limb of each row, in all lanes of a data block
  Buffer in;            // a bit for each lane: whether it may still be the largest
  Buffer spare;         // int32: half of each key; or a bit for each lane: whether it is a number
  Buffer results;       // float32: limbs and index of each row
  Buffer lane_numbers;  // int32: 0 … 63

  __aicore__ LaneReductionBuffers(const ArgmaxFormat &format, uint64_t rows)
      : limb{1, rows * ArgmaxFormat::kRepeat * 4},
        order{limb},
        maxima{1, ResultPitch(rows) * 32},
        in{1, ResultPitch(rows) * ArgmaxFormat::kRepeat / 8},
        spare{format.whole ? limb : in},
        results{1, (format.Limbs() + 1) * ResultPitch(rows) * 4},
        lane_numbers{1, ArgmaxFormat::kRepeat * 4} {}

  // Results from limb to limb: one for each row, in whole data blocks.
  static __aicore__ uint64_t ResultPitch(uint64_t rows) { return WholeUnits(rows, 8); }
};

struct ArgmaxTilesBuffers {
  KeyPlanesBuffers keys;
  Buffer in;  // queue: tiles as they lie in GM
  LaneArgmaxBuffers lanes;

  // elements: of a tile.
  __aicore__ ArgmaxTilesBuffers(const ArgmaxFormat &format, uint64_t elements, uint64_t lanes)
      : keys(format.item, elements), in{2, elements * format.item}, lanes(format, lanes) {}
};

struct ArgmaxColumnsBuffers {
  ArgmaxTilesBuffers tiles;
  Buffer out;  // queue: indices

  __aicore__ ArgmaxColumnsBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format)
      : tiles(format, Elements(tiling), tiling.pitch), out{2, tiling.pitch * format.index_item} {}

  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling) {
    return uint64_t{tiling.tileLength} * tiling.pitch;
  }
};

struct ArgmaxLinesBuffers {
  ArgmaxTilesBuffers tiles;
  LaneReductionBuffers reduction;
  Buffer out;           // queue: indices
  Buffer part_results;  // queue: limbs and index of each part in hand
  Buffer parts;         // queue: the same of the parts of a line that are joined at once

  __aicore__ ArgmaxLinesBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format)
      : tiles(format, Elements(tiling), tiling.tileOuter * ArgmaxFormat::kRepeat),
        reduction(format, tiling.tileOuter),
        out{2, LaneReductionBuffers::ResultPitch(tiling.tileOuter) * format.index_item},
        part_results{tiling.parts > 1 ? 1u : 0u, reduction.results.bytes},
        parts{part_results.count, (format.Limbs() + 1) * tiling.partsAtOnce * 4} {}

  // A last repeat may reach beyond the tile.
  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling) {
    return uint64_t{tiling.tileOuter} * tiling.pitch + ArgmaxFormat::kRepeat;
  }
};

struct ShortLinesBuffers {
  ArgmaxTilesBuffers tiles;
  Buffer slots;       // keys: lines as lanes, and a data block of positions before and behind them
  Buffer out;         // queue: indices
  Buffer indices;     // int32: in the order of lines
  Buffer transposed;  // int32: indices, one lane of every group side by side

  __aicore__ ShortLinesBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format)
      : tiles(format, Elements(tiling, format), tiling.pitch),
        slots{1, format.Planes() * PlaneKeys(tiling) * 4},
        out{2, tiling.pitch * format.index_item},
        indices{1, uint64_t{tiling.pitch} * 4},
        transposed{1, GroupLanes(tiling) * 16 * 4} {}

  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling, const ArgmaxFormat &format) {
    return WholeUnits(tiling.tileOuter * static_cast<uint64_t>(tiling.length), CopyUnit(format.item));
  }
  // Keys of a plane of slots.
  static __aicore__ uint64_t PlaneKeys(const ArgmaxTiling &tiling) {
    return (static_cast<uint64_t>(tiling.length) + 2 * ArgmaxFormat::kKeyBlock) * tiling.pitch;
  }
  // Lanes of a group, in whole transpositions.
  static __aicore__ uint64_t GroupLanes(const ArgmaxTiling &tiling) {
    return tiling.pitch / tiling.apart / 16 * 16;
  }
};

}  // namespace avo
