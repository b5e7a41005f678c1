// SPDX-License-Identifier: Apache-2.0
// Rows as lanes whose positions are dealt out to eight planes, so that every step of a scan is one
// instruction over contiguous elements. A slot holds one position of all rows of a tile, a run is eight
// positions that follow each other. Plane k holds position k of all runs:
//
//   in UB    | head | plane 7      | 5 | 3 | 1 | plane 6      | 4 | 2 | plane 0     |
//            | w c  | 7 15 23 31 … |   |   |   | 6 14 22 30 … |   |   | 0 8 16 24 … |
//                     run 0, 1, 2 …
//
// Planes of odd numbers lie together, and planes of even numbers in the same order, so that one instruction
// combines some planes with their neighbours.
//
// The head has two slots. PlaneScan (plane_scan.h) keeps the worst key there, and the carry: what the
// positions before the tile end with. Together with plane 7 these are what the run before each run ends with.
#pragma once

#include "../common/vectors/lanes.h"
#include "indexed_rows_buffers.h"

namespace avo {

// Offset of a plane.
__aicore__ inline uint32_t PlaneOffset(const PlaneShape &shape, uint32_t plane) {
  constexpr uint32_t kLast = PlaneShape::kPlanes - 1, kOdd = PlaneShape::kPlanes / 2;
  return ((kLast - plane) / 2 + (plane % 2 > 0 ? 0 : kOdd)) * shape.pitch;
}

// Plane `plane` of a tile.
template <typename E>
__aicore__ inline AscendC::LocalTensor<E> PlaneOf(const AscendC::LocalTensor<E> &tile,
                                                  const PlaneShape &shape, uint32_t plane) {
  return tile[PlaneOffset(shape, plane)];
}

// Offset of the slot of a position.
__aicore__ inline uint32_t SlotOffset(const PlaneShape &shape, uint32_t position) {
  return PlaneOffset(shape, position % PlaneShape::kPlanes) + position / PlaneShape::kPlanes * shape.width;
}

// Transposes rows, `row_stride` elements apart, to the slots of a tile, for positions < count rounded up to a
// data block. Lanes after row_count repeat the last row, up to the next multiple of 16.
template <typename E>
__aicore__ inline void RowsToPlanes(const AscendC::LocalTensor<E> &tile, const PlaneShape &shape,
                                    const AscendC::LocalTensor<E> &rows, uint32_t row_stride,
                                    uint32_t row_count, uint32_t count) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(E), kBlocks = kLanes / kStep;
  uint64_t sources[kLanes], targets[kLanes];
  TransposeBarrier();
  for (uint32_t lane = 0; lane < row_count; lane += kLanes) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = AddressOf(rows, (lane + m < row_count ? lane + m : row_count - 1) * row_stride);
      targets[m] = AddressOf(tile, SlotOffset(shape, m / kBlocks) + lane + m % kBlocks * kStep);
    }
    Transpose16<E>(targets, sources, (count + kStep - 1) / kStep, shape.width / PlaneShape::kPlanes, 1);
  }
  TransposeBarrier();
}

// The way back, for positions < count rounded up to kRowPositions.
template <typename E>
__aicore__ inline void PlanesToRows(const AscendC::LocalTensor<E> &rows, uint32_t row_stride,
                                    const AscendC::LocalTensor<E> &tile, const PlaneShape &shape,
                                    uint32_t row_count, uint32_t count) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(E), kBlocks = kLanes / kStep;
  uint64_t sources[kLanes], targets[kLanes];
  TransposeBarrier();
  for (uint32_t lane = 0; lane < row_count; lane += kStep) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = AddressOf(tile, SlotOffset(shape, m) + lane);
      targets[m] = AddressOf(rows, (lane + m / kBlocks) * row_stride + m % kBlocks * kStep);
    }
    Transpose16<E>(targets, sources, (count + kRowPositions - 1) / kRowPositions, kBlocks,
                   kRowPositions / PlaneShape::kPlanes * shape.width / kStep);
  }
  TransposeBarrier();
}

// Writes numbers of 16 bits, which are not negative, to 16 rows as elements of type I. Zeros are transposed
// together with them, so that a transposition makes them longer too:
//
//   sources    slot 0 | zeros | zeros | zeros | slot 1 | zeros | zeros | zeros | …
//   row        n0 0 0 0 n1 0 0 0 …                 two numbers of int64
//
// The rows are lanes [lane, lane + 16) and get `count` positions, rounded up to a run, from `first` on, which
// begins a run. zeros: as long as the slots of so many runs.
template <typename I>
__aicore__ inline void PlanesToWideRows(const AscendC::LocalTensor<I> &rows, uint32_t row_stride,
                                        const AscendC::LocalTensor<int16_t> &tile, const PlaneShape &shape,
                                        const AscendC::LocalTensor<int16_t> &zeros, uint32_t lane,
                                        uint32_t first, uint32_t count) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(I);       // numbers of a data block
  constexpr uint32_t kParts = sizeof(I) / sizeof(int16_t);  // of a number
  constexpr uint32_t kRun = PlaneShape::kPlanes;
  uint64_t sources[kLanes], targets[kLanes];
  TransposeBarrier();
  for (uint32_t begin = 0; begin < kRun; begin += kStep) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = m % kParts > 0 ? AddressOf(zeros, 0)
                                  : AddressOf(tile, SlotOffset(shape, first + begin + m / kParts) + lane);
      targets[m] = AddressOf(rows, m * row_stride + begin);
    }
    Transpose16<int16_t>(targets, sources, (count + kRun - 1) / kRun, kRun / kStep, shape.width / kLanes);
  }
  TransposeBarrier();
}

}  // namespace avo
