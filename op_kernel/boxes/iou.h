// SPDX-License-Identifier: Apache-2.0
// Areas of boxes and their intersection over union, in float32 and in the order of operations of
// op_cpu/boxes/iou.h, so that a threshold decides the same everywhere. The union may be 0: NaN then, as
// where a corner is NaN. Pairs of boxes come as
//   OneBox    one box, by its values, against a run of boxes
//   SpreadBox the same, by data blocks of its values
//   BoxRows   a column of boxes against 64 boxes: row r of the tile is box r against all 64, without a scalar
// The two work tiles should start in the other half of 512 B than the result, and in another 64 KB of the
// Unified Buffer: its banks then serve all operands of an instruction at once.
#pragma once

#include "../common/copies/row_copy.h"

namespace avo {

constexpr uint32_t kBoxLanes = 64;  // boxes that a repeat compares at once

// Boxes apart by coordinate: planes of float32, `pitch` elements apart.
enum BoxPlane : uint32_t { kX1, kY1, kX2, kY2, kArea, kBoxPlanes };

struct BoxPlanes {
  AscendC::LocalTensor<float> planes;
  uint32_t pitch;

  __aicore__ inline AscendC::LocalTensor<float> operator[](uint32_t plane) const {
    return planes[plane * pitch];
  }
  // The boxes from one place on.
  __aicore__ inline BoxPlanes From(uint32_t place) const { return {planes[place], pitch}; }
};

// high - low + offset.
__aicore__ inline void Extent(const AscendC::LocalTensor<float> &to, const AscendC::LocalTensor<float> &high,
                              const AscendC::LocalTensor<float> &low, float offset, uint32_t count) {
  AscendC::Sub(to, high, low, count);
  if (offset != 0.0f) AscendC::Adds(to, to, offset, count);
}

// The same in place of high, but not below 0.
__aicore__ inline void Overlap(const AscendC::LocalTensor<float> &high,
                               const AscendC::LocalTensor<float> &low, float offset, uint32_t count) {
  if (offset == 0.0f) {
    AscendC::SubRelu(high, high, low, count);
  } else {
    Extent(high, high, low, offset, count);
    AscendC::Maxs(high, high, 0.0f, count);
  }
}

// Fills the plane of areas from the others.
__aicore__ inline void BoxAreas(const BoxPlanes &boxes, const AscendC::LocalTensor<float> &work, float offset,
                                uint32_t count) {
  Extent(boxes[kArea], boxes[kX2], boxes[kX1], offset, count);
  Extent(work, boxes[kY2], boxes[kY1], offset, count);
  AscendC::Mul(boxes[kArea], boxes[kArea], work, count);
}

// Intersection over union of all pairs, a tile of `count` elements; the work tiles are overwritten.
template <typename Pairs>
__aicore__ inline void IouOf(const Pairs &pairs, const AscendC::LocalTensor<float> &iou,
                             const AscendC::LocalTensor<float> &work0,
                             const AscendC::LocalTensor<float> &work1, float offset, uint32_t count) {
  pairs.Max(iou, kX1);
  pairs.Min(work0, kX2);
  Overlap(work0, iou, offset, count);
  pairs.Max(iou, kY1);
  pairs.Min(work1, kY2);
  Overlap(work1, iou, offset, count);
  AscendC::Mul(iou, work0, work1, count);
  pairs.Add(work0, kArea);
  AscendC::Sub(work0, work0, iou, count);
  AscendC::Div(iou, iou, work0, count);
}

// One box against `count` of `boxes`.
struct OneBox {
  BoxPlanes boxes;
  uint32_t count;
  float value[kBoxPlanes];

  __aicore__ inline void Max(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Maxs(to, boxes[plane], value[plane], count);
  }
  __aicore__ inline void Min(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Mins(to, boxes[plane], value[plane], count);
  }
  __aicore__ inline void Add(const AscendC::LocalTensor<float> &to, uint32_t plane) const {
    AscendC::Adds(to, boxes[plane], value[plane], count);
  }
};

// The same with the box's values spread over a data block each; count is a multiple of 64, at most 255 of
// them.
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

// Rows are boxes of a column, spread by SpreadRows; lanes the first 64 of `lanes`. At most 255 rows.
struct BoxRows {
  BoxPlanes lanes, column;
  uint32_t rows;

  // 64 lanes again and again, and one data block for all of them.
  __aicore__ static inline AscendC::BinaryRepeatParams Strides() { return {1, 1, 0, 8, 0, 1}; }
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

// Spreads `rows` elements, a multiple of 8, over a data block each.
__aicore__ inline void SpreadRows(const AscendC::LocalTensor<float> &blocks,
                                  const AscendC::LocalTensor<float> &elements, uint32_t rows) {
  constexpr uint32_t kRepeat = 8;  // elements, and blocks, of a repeat
  AscendC::Brcb(blocks, elements, static_cast<uint8_t>(rows / kRepeat), {1, kRepeat});
}

}  // namespace avo
