// SPDX-License-Identifier: Apache-2.0
// The buffers of ArgMax: of its helpers (lane_argmax.h, lane_reduction.h, argmax_tiles.h,
// line_tree.h, slot_argmax.h) and of its five layouts (argmax_columns.h, half_columns.h, argmax.h,
// tree_lines.h, short_lines.h).
#pragma once

#include "../common/vectors/nan_watch_buffers.h"
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
  Buffer best;     // keys: the largest of each lane; of int32 keys the next largest, too; and a repeat to
                   // move them by
  Buffer indices;  // int32: where they were found
  Buffer bits;     // three masks, a bit for each lane; what comes behind begins in the same bank group

  __aicore__ LaneArgmaxBuffers(const ArgmaxFormat &format, uint64_t lanes)
      : best{1, ((format.Planes() + (format.whole ? 1 : 0)) * lanes + ArgmaxFormat::kRepeat) * 4},
        indices{1, lanes * 4},
        bits{1, WholeUnits(3 * MaskBytes(lanes), 512)} {}

  // Bytes of a mask, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t lanes) { return WholeUnits(lanes / 8, 32); }
};

struct LaneReductionBuffers {
  Buffer limb, order;   // float32: a limb of each lane; its index, negative where the last one wins
  Buffer maxima;        // float32: the largest limb of each row, in all lanes of a data block
  Buffer in;            // a bit for each lane: whether it may still be the largest
  Buffer spare;         // int32: half of each key
  Buffer results;       // float32: limbs and index of each row
  Buffer lane_numbers;  // int32: 0 … 63

  __aicore__ LaneReductionBuffers(const ArgmaxFormat &format, uint64_t rows)
      : limb{1, rows * ArgmaxFormat::kRepeat * 4},
        order{limb},
        maxima{1, ResultPitch(rows) * 32},
        in{1, ResultPitch(rows) * ArgmaxFormat::kRepeat / 8},
        spare{limb},
        results{1, (format.Limbs() + 1) * ResultPitch(rows) * 4},
        lane_numbers{1, ArgmaxFormat::kRepeat * 4} {}

  // Results from limb to limb: one for each row, in whole data blocks.
  static __aicore__ uint64_t ResultPitch(uint64_t rows) { return WholeUnits(rows, 8); }
};

struct LineTreeBuffers {
  Buffer levels;    // keys: every third level, and the top
  Buffer scratch;   // keys of a piece of a level, unless they are elements, and its half; then half of that
  Buffer children;  // keys: eight blocks of each line
  Buffer found;     // numbers of lanes, eight blocks of each line
  Buffer bits;      // two masks, a bit for each of these lanes
  Buffer small;     // 4-byte numbers: eight of each line, for several purposes
  Buffer results;   // float32: limbs and index of each line
  Buffer patterns;  // the numbers of the lanes of a line
  Buffer upper;     // a mask of the upper halves of 32 bits, unless keys are elements

  static constexpr uint32_t kStep = 3;      // halvings from one level that is kept to the next one
  static constexpr uint32_t kChildren = 8;  // blocks of a line that are searched at once
  static constexpr uint32_t kRowGroup = 8;  // lines, one block each, that a repeat takes
  static constexpr uint32_t kMostSteps = 6, kPatterns = 4, kSmalls = 6;  // kSmalls: beside addresses
  static constexpr uint64_t kBlockBytes = 32, kSlack = 16;  // blocks that an instruction reads at most
  static constexpr uint32_t kPairs = 64;                    // of a repeat

  // direct: elements are compared as they are.
  __aicore__ LineTreeBuffers(const ArgmaxTiling &tiling, bool direct)
      : levels{1, AllLevelBlocks(tiling) * kBlockBytes},
        scratch{1, (ScratchBlocks(tiling, direct) * 3 / 2 + 2 * kSlack) * kBlockBytes},
        children{1, Rows(tiling.tileOuter) * kChildren * kBlockBytes},
        found{children},
        bits{1, 2 * BitsBytes(tiling.tileOuter)},
        small{1, (kSmalls + Steps(tiling)) * SmallNumbers(tiling.tileOuter) * 4},
        results{1, 3 * ResultPitch(tiling.tileOuter) * 4},
        patterns{1, kPatterns * 256},
        upper{direct ? 0u : 1u, kPairs * 4} {}

  static __aicore__ uint64_t Steps(const ArgmaxTiling &tiling) { return (tiling.levels + kStep - 1) / kStep; }
  static __aicore__ constexpr uint64_t Rows(uint64_t rows) { return WholeUnits(rows, kRowGroup); }
  static __aicore__ constexpr uint64_t BitsBytes(uint64_t rows) { return WholeUnits(Rows(rows) * 16, 32); }
  static __aicore__ constexpr uint64_t SmallNumbers(uint64_t rows) { return WholeUnits(Rows(rows) * 8, 128); }
  static __aicore__ constexpr uint64_t ResultPitch(uint64_t rows) { return WholeUnits(rows, 64); }
  // Room for the first of both, and for the transposed data blocks of all lines, rounded up to 16.
  static __aicore__ uint64_t ScratchBlocks(const ArgmaxTiling &tiling, bool direct) {
    const uint64_t piece = tiling.piece / (direct ? 2 : 1), lines = 2 * Rows(tiling.tileOuter);
    return piece > lines ? piece : lines;
  }
  // Blocks of a level that has `blocks` blocks of each line.
  static __aicore__ constexpr uint64_t LevelBlocks(uint64_t rows, uint64_t blocks) {
    return WholeUnits(rows * blocks, kSlack) + kSlack;
  }
  static __aicore__ uint64_t AllLevelBlocks(const ArgmaxTiling &tiling) {
    uint64_t blocks = 0;
    for (uint32_t level = 0; level < tiling.levels;) {
      level += tiling.levels - level < kStep ? tiling.levels - level : kStep;
      blocks += LevelBlocks(Rows(tiling.tileOuter), uint64_t{tiling.top} << (tiling.levels - level));
    }
    return blocks;
  }
};

struct ArgmaxTilesBuffers {
  KeyPlanesBuffers keys;
  Buffer in;  // queue: tiles as they lie in GM

  // elements: of a tile.
  __aicore__ ArgmaxTilesBuffers(const ArgmaxFormat &format, uint64_t elements)
      : keys(format.item, elements), in{2, elements * format.item} {}
};

struct LaneTilesBuffers {
  ArgmaxTilesBuffers tiles;
  LaneArgmaxBuffers lanes;

  __aicore__ LaneTilesBuffers(const ArgmaxFormat &format, uint64_t elements, uint64_t lanes)
      : tiles(format, elements), lanes(format, lanes) {}
};

struct SlotArgmaxBuffers {
  Buffer folded;     // keys: maxima of rows; then float32: numbers of rows whose key is the largest
  Buffer numbers;    // float32: the number of each row, in all lanes of a data block
  Buffer bits;       // two masks, a bit for each key
  Buffer lane_bits;  // a bit for each lane: whether its largest key is a number
  Buffer results;    // float32, then int32: the position for each lane

  __aicore__ SlotArgmaxBuffers(uint64_t rows, uint64_t lanes)
      : folded{1, rows * lanes * 4},
        numbers{1, rows * 32},
        bits{1, 2 * MaskBytes(rows, lanes)},
        lane_bits{1, WholeUnits(lanes / 8, 32)},
        results{1, lanes * 4} {}

  // An instruction takes one row, or 64 lanes of all rows, whichever makes fewer instructions. Its bits are
  // whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t rows, uint64_t lanes) {
    const uint64_t repeats = lanes / ArgmaxFormat::kRepeat;
    return rows < repeats ? rows * BitsBytes(repeats) : repeats * BitsBytes(rows);
  }
  static __aicore__ uint64_t BitsBytes(uint64_t repeats) { return WholeUnits(repeats * 8, 32); }
};

struct ArgmaxColumnsBuffers {
  LaneTilesBuffers tiles;
  NanWatchBuffers watch;
  Buffer out;    // queue: indices
  Buffer parts;  // queue: keys, then indices, of 64 lanes of some parts

  __aicore__ ArgmaxColumnsBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format)
      : tiles(format, Elements(tiling), tiling.pitch),
        watch(format.whole ? 0 : 1),
        out{2, tiling.pitch * format.index_item},
        parts{tiling.parts > 1 ? 1u : 0u,
              (format.Planes() + 1) * tiling.partsAtOnce * ArgmaxFormat::kRepeat * 4} {}

  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling) {
    return uint64_t{tiling.tileLength} * tiling.pitch;
  }
};

struct HalfColumnsBuffers {
  Buffer in;       // queue: tiles as they lie in GM
  Buffer best;     // half: the largest of each lane, and room before it
  Buffer indices;  // int16: where they were found
  Buffer wide;     // float32: indices on their way to the type of results
  Buffer bits;     // two masks, a bit for each lane
  Buffer out;      // queue: indices

  static constexpr uint32_t kRepeat = 128;  // lanes of a repeat
  static constexpr uint32_t kPitchUnit =
      256;  // lanes of which a position is a multiple: a cycle of bank groups
  static constexpr uint32_t kSkewBytes = 256;

  __aicore__ HalfColumnsBuffers(const ArgmaxTiling &tiling, uint64_t index_item)
      : in{2, uint64_t{tiling.tileLength} * tiling.pitch * 2},
        best{1, tiling.pitch * uint64_t{2} + 2 * kSkewBytes},
        indices{1, tiling.pitch * uint64_t{2}},
        wide{1, tiling.pitch * uint64_t{4}},
        bits{1, 2 * MaskBytes(tiling)},
        out{2, tiling.pitch * index_item} {}

  // Bytes of a mask.
  static __aicore__ uint64_t MaskBytes(const ArgmaxTiling &tiling) { return tiling.pitch / 8; }
};

struct ArgmaxLinesBuffers {
  LaneTilesBuffers tiles;
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

  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling) {
    return uint64_t{tiling.tileOuter} * tiling.pitch;
  }
};

struct TreeLinesBuffers {
  Buffer in;  // queue: tiles as they lie in GM
  LineTreeBuffers tree;
  Buffer out;           // queue: indices
  Buffer part_results;  // queue: limbs and index of each part in hand
  Buffer parts;         // queue: the same of the parts of a line that are joined at once

  __aicore__ TreeLinesBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format, bool direct)
      : in{tiling.queue, Elements(tiling) * format.item},
        tree(tiling, direct),
        out{2, LineTreeBuffers::ResultPitch(tiling.tileOuter) * format.index_item},
        part_results{tiling.parts > 1 ? 1u : 0u, tree.results.bytes},
        parts{part_results.count, (format.Limbs() + 1) * tiling.partsAtOnce * 4} {}

  static constexpr uint32_t kBehind = 256;  // elements that instructions read behind the last line

  static __aicore__ uint64_t Elements(const ArgmaxTiling &tiling) {
    return uint64_t{tiling.tileOuter} * tiling.pitch + kBehind;
  }
};

struct ShortLinesBuffers {
  ArgmaxTilesBuffers tiles;
  SlotArgmaxBuffers largest;
  Buffer slots;       // keys: lines as lanes, and a data block of positions before and behind them
  Buffer out;         // queue: indices
  Buffer indices;     // int32: in the order of lines
  Buffer transposed;  // int32: indices, one lane of every group side by side

  __aicore__ ShortLinesBuffers(const ArgmaxTiling &tiling, const ArgmaxFormat &format)
      : tiles(format, Elements(tiling, format)),
        largest(static_cast<uint64_t>(tiling.length), tiling.pitch),
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
