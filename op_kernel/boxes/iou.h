// SPDX-License-Identifier: Apache-2.0
// Areas of boxes and their intersection over union (IoU), in float32 and in the order of operations of
// op_cpu/boxes/iou.h, so that a threshold decides the same everywhere. The union may be 0; the IoU is NaN
// then, as it is where a corner is NaN.
//
// Three types say which pairs of boxes an instruction compares:
//   SpreadBox      one box with the boxes of planes
//   SpreadBoxRows  each of several boxes with the same 64 boxes: row r of the tile is box r with all 64
//   BoxRows        likewise, but planes take turns, so that no instruction waits for a bank
//
// The two tiles for intermediate results should start 256 bytes further than the result, counted modulo 512
// bytes, and in another 64 KB of UB. All operands of an instruction then lie in different banks, and no
// operand waits for another.
#pragma once

#include "../common/copies/row_copy.h"
#include "box_planes.h"

namespace avo {

constexpr uint32_t kBoxLanes = 64;  // boxes that one repeat compares at once

// Planes of boxes in UB; from plane to plane it is `pitch` elements.
struct BoxPlanes {
  AscendC::LocalTensor<float> planes;
  uint32_t pitch;

  __aicore__ inline AscendC::LocalTensor<float> operator[](uint32_t plane) const {
    return planes[plane * pitch];
  }
  // The same planes without the first `place` boxes.
  __aicore__ inline BoxPlanes From(uint32_t place) const { return {planes[place], pitch}; }
};

// Computes high - low + offset: the width or height of each box.
__aicore__ inline void Extent(const AscendC::LocalTensor<float> &to, const AscendC::LocalTensor<float> &high,
                              const AscendC::LocalTensor<float> &low, float offset, uint32_t count) {
  AscendC::Sub(to, high, low, count);
  if (offset != 0.0f) AscendC::Adds(to, to, offset, count);
}

// Replaces `high` by max(0, high - low + offset): the width or height of an intersection.
__aicore__ inline void Overlap(const AscendC::LocalTensor<float> &high,
                               const AscendC::LocalTensor<float> &low, float offset, uint32_t count) {
  if (offset == 0.0f) {
    AscendC::SubRelu(high, high, low, count);
  } else {
    Extent(high, high, low, offset, count);
    AscendC::Maxs(high, high, 0.0f, count);
  }
}

// Computes the plane of areas from the planes of corners. absolute: an area is never negative.
__aicore__ inline void BoxAreas(const BoxPlanes &boxes, const AscendC::LocalTensor<float> &work, float offset,
                                uint32_t count, bool absolute = false) {
  Extent(boxes[kArea], boxes[kX2], boxes[kX1], offset, count);
  Extent(work, boxes[kY2], boxes[kY1], offset, count);
  AscendC::Mul(boxes[kArea], boxes[kArea], work, count);
  if (absolute) AscendC::Abs(boxes[kArea], boxes[kArea], static_cast<int32_t>(count));
}

// Computes the intersections and unions of all pairs, tiles of `count` elements. work is a tile of the same
// size, whose values are lost. A type of pairs computes Max, Min and Add of one plane for all pairs.
template <typename Pairs>
__aicore__ inline void IntersectPairs(const Pairs &pairs, const AscendC::LocalTensor<float> &intersections,
                                      const AscendC::LocalTensor<float> &unions,
                                      const AscendC::LocalTensor<float> &work, float offset, uint32_t count) {
  pairs.Max(intersections, kX1);
  pairs.Min(unions, kX2);
  Overlap(unions, intersections, offset, count);
  pairs.Max(work, kY1);
  pairs.Min(intersections, kY2);
  Overlap(intersections, work, offset, count);
  AscendC::Mul(intersections, unions, intersections, count);
  pairs.Add(unions, kArea);
  AscendC::Sub(unions, unions, intersections, count);
}

// Computes the IoU of all pairs.
template <typename Pairs>
__aicore__ inline void IouOf(const Pairs &pairs, const AscendC::LocalTensor<float> &iou,
                             const AscendC::LocalTensor<float> &work0,
                             const AscendC::LocalTensor<float> &work1, float offset, uint32_t count) {
  IntersectPairs(pairs, iou, work0, work1, offset, count);
  AscendC::Div(iou, iou, work0, count);
}

// One box with the first `count` of `boxes`. Data block p of `blocks` repeats the box's value of plane p
// eight times. count: a multiple of 64, at most 255 * 64.
struct SpreadBox {
  BoxPlanes boxes;
  uint32_t count;
  AscendC::LocalTensor<float> blocks;

  __aicore__ inline AscendC::LocalTensor<float> Block(uint32_t plane) const {
    return blocks[plane * (kBlockBytes / sizeof(float))];
  }
  __aicore__ inline uint8_t Repeats() const { return static_cast<uint8_t>(count / kBoxLanes); }
  __aicore__ static inline AscendC::BinaryRepeatParams Strides() { return {1, 1, 0, 8, 8, 0}; }
  __aicore__ inline void Max(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Max(to, boxes[plane], Block(plane), kBoxLanes, Repeats(), Strides());
  }
  __aicore__ inline void Min(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Min(to, boxes[plane], Block(plane), kBoxLanes, Repeats(), Strides());
  }
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Add(to, boxes[plane], Block(plane), kBoxLanes, Repeats(), Strides());
  }
};

// Each of `rows` boxes with the first 64 of `lanes`: row r of a tile is box r with all 64. The boxes are
// spread one after the other, each over 64 elements as that of SpreadBox. At most 255 rows.
struct SpreadBoxRows {
  BoxPlanes lanes;
  AscendC::LocalTensor<float> blocks;
  uint32_t rows;

  __aicore__ inline AscendC::LocalTensor<float> Block(uint32_t plane) const {
    return blocks[plane * (kBlockBytes / sizeof(float))];
  }
  __aicore__ static inline AscendC::BinaryRepeatParams Strides() { return {1, 1, 0, 8, 0, 8}; }
  __aicore__ inline void Max(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Max(to, lanes[plane], Block(plane), kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
  __aicore__ inline void Min(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Min(to, lanes[plane], Block(plane), kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Add(to, lanes[plane], Block(plane), kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
};

// Planes two by two, whose data blocks take turns. Each plane then lies in every second bank group:
//
//   blocks    plane 0 | plane 1 | plane 0 | plane 1 | …          plane 2 | plane 3 | …
//
// Where lanes lie in even groups and the column in odd ones, no instruction waits for a bank.
struct PairedPlanes {
  AscendC::LocalTensor<float> planes;
  uint32_t pitch;  // elements of a plane
  uint32_t turn;   // 1: the planes of each pair change places

  __aicore__ inline AscendC::LocalTensor<float> operator[](uint32_t plane) const {
    constexpr uint32_t kBlockFloats = kBlockBytes / sizeof(float);
    return planes[plane / 2 * 2 * pitch + (plane + turn) % 2 * kBlockFloats];
  }
  // The same planes without the first `place` boxes, a multiple of 8.
  __aicore__ inline PairedPlanes From(uint32_t place) const { return {planes[2 * place], pitch, turn}; }
};

// Copies a plane of `count` elements, a multiple of 64, to one of two whose data blocks take turns.
__aicore__ inline void PairPlane(const AscendC::LocalTensor<float> &to,
                                 const AscendC::LocalTensor<float> &from, uint32_t count) {
  constexpr uint64_t kRepeat = 128;  // 16-bit elements
  auto bits = from.template ReinterpretCast<uint16_t>();
  AscendC::Or(to.template ReinterpretCast<uint16_t>(), bits, bits, kRepeat, static_cast<uint8_t>(count / 64),
              {2, 1, 1, 16, 8, 8});
}

// Each of `rows` boxes of a column with the first 64 boxes of `lanes`. SpreadRows has spread each plane of
// the column over data blocks. At most 255 rows.
struct BoxRows {
  PairedPlanes lanes, column;
  uint32_t rows;

  // Each repeat takes the same 64 lanes and the next data block of the column, each in every second block.
  __aicore__ static inline AscendC::BinaryRepeatParams Strides() { return {1, 2, 0, 8, 0, 2}; }
  __aicore__ inline void Max(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Max(to, lanes[plane], column[plane], kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
  __aicore__ inline void Min(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Min(to, lanes[plane], column[plane], kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Add(to, lanes[plane], column[plane], kBoxLanes, static_cast<uint8_t>(rows), Strides());
  }
};

// Repeats each of `rows` elements eight times, so that it fills every second data block. rows: a multiple
// of 8.
__aicore__ inline void SpreadRows(const AscendC::LocalTensor<float> &blocks,
                                  const AscendC::LocalTensor<float> &elements, uint32_t rows) {
  constexpr uint32_t kRepeat = 8;  // elements, and blocks, of a repeat
  AscendC::Brcb(blocks, elements, static_cast<uint8_t>(rows / kRepeat), {2, 2 * kRepeat});
}

}  // namespace avo
