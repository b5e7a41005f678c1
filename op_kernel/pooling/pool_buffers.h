// SPDX-License-Identifier: Apache-2.0
// What the two kernels of pooling put into the Unified Buffer. T is the type of the input, and Element the
// type that windows are combined in; `item` and `element` are their bytes.
#pragma once

#include "../common/memory/buffers.h"

namespace avo {

// Of pool_windows.h. A tile of the input is loaded, its rows are combined, the combined rows become lanes,
// and columns of lanes are combined to results:
//
//   in, wide      rows of the input            T, Element
//   combined      rows of windows              Element
//   slots         columns as slots of lanes    Element
//   results       windows as slots of lanes    Element
//   staging       the same as T                T
//   out           rows of results              T
struct PoolWindowBuffers {
  struct Sizes {
    uint64_t rows;           // rows of windows of a tile, over all its planes
    uint64_t columns;        // windows of a row
    uint64_t in_elements;    // elements of an input tile
    uint64_t wide_elements;  // the same in wide, 0 where T is Element
    uint64_t row_pitch;      // elements from combined row to combined row
    uint64_t slots;          // slots of combined rows
    uint64_t slot_lanes;     // lanes of a slot
    uint64_t out_pitch;      // elements from row to row of the output tile
  };

  Buffer in;       // queue of input tiles
  Buffer slots;    // slots of combined rows
  Buffer staging;  // results as T; none where T is Element
  Buffer wide;     // the input tile as Element; none where T is Element
  Buffer out;      // queue of output tiles
  Buffer combined;
  Buffer results;  // and room to move them between bank groups

  __aicore__ inline PoolWindowBuffers(const Sizes &of, uint64_t item, uint64_t element)
      : in{2, of.in_elements * item},
        slots{1, of.slots * of.slot_lanes * element},
        staging{item == element ? 0u : 1u, WholeGroups(of.columns) * StagingLanes(of.slot_lanes) * item},
        wide{item == element ? 0u : 1u, of.wide_elements * element},
        out{2, WholeGroups(of.rows) * of.out_pitch * item},
        combined{1, of.rows * of.row_pitch * element},
        results{1, WholeGroups(of.columns) * of.slot_lanes * element + kSkewBytes} {}

  // Lanes of a slot of staging: an odd number of groups of 16, so that 16 slots lie in 16 bank groups.
  static __aicore__ inline uint64_t StagingLanes(uint64_t slot_lanes) { return slot_lanes | kGroup; }

 private:
  static constexpr uint64_t kSkewBytes = 512;  // more than the largest skew
  static constexpr uint64_t kGroup = 16;       // rows or slots that one transposition takes or writes

  static __aicore__ inline uint64_t WholeGroups(uint64_t count) {
    return (count + kGroup - 1) / kGroup * kGroup;
  }
};

// Of pool_planes.h. Whole planes are loaded, become lanes, their rows are combined, then their columns:
//
//   in, wide      planes one after the other        T, Element
//   lanes         planes as slots of lanes          Element
//   rows          rows of windows, with padding     Element
//   (lanes)       windows, as slots of lanes        Element, over the planes
//   padded        planes of results, with gaps      T
//   out           planes of results                 T
struct PoolPlaneBuffers {
  struct Sizes {
    uint64_t in_elements;    // elements of the planes of a tile
    uint64_t wide_elements;  // elements of wide, 0 where T is Element
    uint64_t slots;          // slots of a plane, and of its results
    uint64_t slot_lanes;     // lanes of a slot
    uint64_t row_slots;      // slots of all rows of windows of a plane, with padding
    uint64_t out_elements;   // elements of the results of a tile
    uint64_t out_pitch;      // elements from plane to plane of padded
  };

  Buffer lanes;
  Buffer wide;  // the planes as Element, later the results as T; none where T is Element
  Buffer in;    // queue of planes
  Buffer out;   // queue of planes of results
  Buffer rows;
  Buffer padded;
  Buffer kept;  // a bit for each element of a plane of padded: whether it is a result

  __aicore__ inline PoolPlaneBuffers(const Sizes &of, uint64_t item, uint64_t element)
      : lanes{1, of.slots * of.slot_lanes * element},
        wide{item == element ? 0u : 1u, of.wide_elements * element},
        in{2, of.in_elements * item},
        out{2, WholeBlocks(of.out_elements * item)},
        rows{1, of.row_slots * of.slot_lanes * element},
        padded{1, of.slot_lanes * of.out_pitch * item},
        kept{1, WholeBlocks(of.out_pitch / 8)} {}

 private:
  static __aicore__ inline uint64_t WholeBlocks(uint64_t bytes) { return (bytes + 31) / 32 * 32; }
};

}  // namespace avo
