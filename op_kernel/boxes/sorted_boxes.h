// SPDX-License-Identifier: Apache-2.0
// Boxes in the order of their scores, as planes in GM (box_planes.h): corners, areas, indices and, where
// boxes have classes, the two halves of each class.
//
// Boxes are fetched one by one, by the indices of sorted pairs. Each box gets a data block of UB (32 bytes),
// from which GatherMask picks one element for each plane:
//
//   rows      x1 y1 x2 y2 .  .  .  . | x1 y1 x2 y2 .  .  .  . | …     float32; float16 has 16 elements a
//   block pattern   0  1  0  0  0  0  0  0   0  1  0  0  0  0  0  0         selects y1 plane     y1 y1 …
#pragma once

#include "iou.h"
#include "score_sort.h"
#include "sorted_boxes_buffers.h"

namespace avo {

template <typename T, bool CLASSES>
class SortedBoxes {
 public:
  static constexpr uint32_t kPlanes = CLASSES ? kClassPlanes : kSortedPlanes;

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR classes, GM_ADDR planes, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    pipe_ = pipe;
    tile_ = tiling.tile;
    pitch_ = tiling.pitch;
    offset_ = tiling.offset;
    absolute_ = tiling.ratio != 0.0f;
    boxes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(boxes), tiling.boxes * kCorners);
    planes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(planes), pitch_ * kPlanes);
    const SortedBoxesBuffers buffers(tile_, sizeof(T), CLASSES);
    pipe->InitBuffer(pairs_, buffers.pairs.bytes);
    pipe->InitBuffer(rows_, buffers.rows.bytes);
    pipe->InitBuffer(corners_, buffers.corners.bytes);
    pipe->InitBuffer(work_, buffers.work.bytes);
    pipe->InitBuffer(planes_, buffers.planes.bytes);
    pipe->InitBuffer(patterns_, buffers.patterns.bytes);
    if (buffers.class_rows.count > 0) pipe->InitBuffer(class_rows_, buffers.class_rows.bytes);
    // Instructions read whole repeats, also where a tile has fewer boxes.
    AscendC::Duplicate(rows_.template Get<float>(), 0.0f, tile_ * kBlockBytes / sizeof(float));
    AscendC::Duplicate(pairs_.template Get<float>(), 0.0f, tile_ * kPairFloats);
    // Pattern c selects element c of each data block: first the patterns of corners, whose elements are of
    // type T, then those of the halves of classes, whose elements have 4 bytes.
    for (uint32_t c = 0; c < kCorners; ++c) {
      AscendC::Duplicate(Pattern(c), (sizeof(T) == sizeof(float) ? 0x01010101U : 0x00010001U) << c, kWords);
    }
    if constexpr (CLASSES) {
      classes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t *>(classes), tiling.boxes * kHalves);
      AscendC::Duplicate(class_rows_.template Get<uint32_t>(), 0U, tile_ * kWords);
      for (uint32_t c = 0; c < kHalves; ++c) {
        AscendC::Duplicate(Pattern(kCorners + c), 0x01010101U << c, kWords);
      }
    }
  }

  // Stores the planes of boxes [from, count), in the order of `pairs`. Cores share the tiles.
  __aicore__ inline void Process(const AscendC::GlobalTensor<float> &pairs, int64_t from, int64_t count) {
    const Share share = CoreShare(count > from ? (count - from + tile_ - 1) / tile_ : 0);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const int64_t begin = from + i * tile_;
      CopyIn(pairs, begin, MinRemaining(count - begin, tile_));
      Compute();
      WaitFor<AscendC::HardEvent::V_MTE3>(pipe_);
      CopyRowsOut(planes_gm_, begin, pitch_, planes_.template Get<float>(), tile_, kPlanes, count_);
    }
  }

 private:
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), uint32_t, uint16_t>;
  static constexpr uint32_t kCorners = 4, kHalves = 2;
  static constexpr uint32_t kWords = kBlockBytes / sizeof(uint32_t);  // 4-byte elements of a data block

  __aicore__ inline AscendC::LocalTensor<uint32_t> Pattern(uint32_t index) {
    return patterns_.template Get<uint32_t>()[index * kWords];
  }
  __aicore__ inline AscendC::LocalTensor<float> Plane(uint32_t plane) {
    return planes_.template Get<float>()[plane * tile_];
  }

  // Loads `count` pairs from pair `begin` on, and the box of each into a data block of its own.
  __aicore__ inline void CopyIn(const AscendC::GlobalTensor<float> &gm, int64_t begin, uint32_t count) {
    count_ = count;
    auto pairs = pairs_.template Get<float>();
    auto rows = rows_.template Get<T>();
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
    CopyRowsIn(pairs, tile_ * kPairFloats, gm, begin * kPairFloats, 0, 1, count * kPairFloats);
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
    WaitFor<AscendC::HardEvent::MTE3_V>(pipe_);
    constexpr uint8_t kOdd = 2;
    uint64_t gathered = 0;
    AscendC::GatherMask(Plane(kIndex), pairs, kOdd, true, count * kPairFloats, {1, 1, 8, 0}, gathered);
    WaitFor<AscendC::HardEvent::V_S>(pipe_);
    auto indices = Plane(kIndex).template ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < count; ++i) {
      const int64_t index = indices.GetValue(i);
      CopyRowsIn(rows[i * kBlockBytes / sizeof(T)], kBlockBytes / sizeof(T), boxes_gm_, index * kCorners, 0,
                 1, kCorners);
      if constexpr (CLASSES) {
        CopyRowsIn(class_rows_.template Get<uint32_t>()[i * kWords], kWords, classes_gm_, index * kHalves, 0,
                   1, kHalves);
      }
    }
    WaitFor<AscendC::HardEvent::MTE2_V>(pipe_);
  }

  // Copies the element that a pattern selects of each data block of `rows`.
  template <typename E>
  __aicore__ inline void GatherColumn(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &rows,
                                      uint32_t pattern) {
    constexpr uint32_t kRepeatRows = 8;
    uint64_t gathered = 0;
    AscendC::GatherMask(to, rows, Pattern(pattern).template ReinterpretCast<E>(), false, 0,
                        {1, static_cast<uint16_t>((count_ + kRepeatRows - 1) / kRepeatRows), kRepeatRows, 0},
                        gathered);
  }

  // Fills the planes of the tile from its rows; CopyIn() filled the plane of indices.
  __aicore__ inline void Compute() {
    for (uint32_t c = 0; c < kCorners; ++c) {
      auto rows = rows_.template Get<Bits>();
      if constexpr (std::is_same_v<T, float>) {
        GatherColumn(Plane(c).template ReinterpretCast<Bits>(), rows, c);
      } else {
        GatherColumn(corners_.template Get<Bits>(), rows, c);
        AscendC::Cast(Plane(c), corners_.template Get<T>(), AscendC::RoundMode::CAST_NONE, count_);
      }
    }
    BoxAreas({planes_.template Get<float>(), tile_}, work_.template Get<float>(), offset_, count_, absolute_);
    if constexpr (CLASSES) {
      for (uint32_t c = 0; c < kHalves; ++c) {
        GatherColumn(Plane(kClassLow + c).template ReinterpretCast<uint32_t>(),
                     class_rows_.template Get<uint32_t>(), kCorners + c);
      }
    }
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> pairs_, rows_, class_rows_, corners_, work_, planes_, patterns_;
  AscendC::TPipe *pipe_;
  AscendC::GlobalTensor<T> boxes_gm_;
  AscendC::GlobalTensor<uint32_t> classes_gm_;
  AscendC::GlobalTensor<float> planes_gm_;
  int64_t pitch_;
  uint32_t tile_, count_;
  float offset_;
  bool absolute_;  // of areas
};

}  // namespace avo
