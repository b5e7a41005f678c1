// SPDX-License-Identifier: Apache-2.0
// The results of SoftNmsPadded in GM: boxes in the order in which they are picked, then rows without a box,
// and how many boxes are picked. UB collects the records of 64 boxes, from which GatherMask picks
//
//   record    x1 y1 x2 y2 area index score .
//   dets      x1 y1 x2 y2            score        a row of five elements
//   indices                    index
#pragma once

#include "box_table.h"
#include "picked_boxes_buffers.h"

namespace avo {

template <typename T, typename I>
class PickedBoxes {
  static constexpr uint32_t kBatch = kPickedBatch;
  static constexpr uint32_t kRow = kDetElements;
  enum Pattern : uint32_t { kRowPattern, kIndexPattern };

 public:
  // boxes: rows of the results.
  __aicore__ inline void Init(GM_ADDR dets, GM_ADDR indices, GM_ADDR count, uint32_t boxes,
                              const PickedBoxesBuffers &buffers, AscendC::TPipe *pipe) {
    boxes_ = boxes;
    det_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(dets), uint64_t{boxes} * kRow);
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices), boxes);
    count_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(count), 1);
    pipe->InitBuffer(det_queue_, buffers.dets.count, buffers.dets.bytes);
    pipe->InitBuffer(index_queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(records_, buffers.records.bytes);
    pipe->InitBuffer(wide_, buffers.wide.bytes);
    pipe->InitBuffer(patterns_, buffers.patterns.bytes);
    AscendC::Duplicate(records_.Get<float>(), 0.0f, kBatch * kRecord);
    AscendC::Duplicate(wide_.Get<float>(), 0.0f, kBatch * kRow);
    // A byte of bits belongs to a record: bits of the four corners and the score, or the bit of the index.
    constexpr uint32_t kEachRecord = 0x01010101u;
    AscendC::Duplicate(PatternOf(kRowPattern), kEachRecord * (0xfu | 1u << kScore), kRecord);
    AscendC::Duplicate(PatternOf(kIndexPattern), kEachRecord << kIndex, kRecord);
  }

  // Next() is where the record of the next box is written; Add() tells that it is there.
  __aicore__ inline AscendC::LocalTensor<float> Next() {
    return records_.Get<float>()[picked_ % kBatch * kRecord];
  }
  __aicore__ inline void Add() {
    ++picked_;
    if (picked_ % kBatch == 0) CopyOut(picked_ - kBatch, kBatch);
  }

  // Adds `count` boxes, each spread over eight data blocks. first_of_eight: the pattern with which GatherMask
  // picks the first element of each block.
  __aicore__ inline void AddSpread(const AscendC::LocalTensor<float> &spread,
                                   const AscendC::LocalTensor<uint32_t> &first_of_eight, uint32_t count) {
    for (uint32_t first = 0; first < count;) {
      const uint32_t boxes = MinRemaining(count - first, kBatch - picked_ % kBatch);
      uint64_t gathered = 0;
      AscendC::GatherMask(Next(), spread[first * kEntryGroup], first_of_eight, true, kEntryGroup,
                          {1, static_cast<uint16_t>(boxes), 8, 0}, gathered);
      first += boxes;
      picked_ += boxes;
      if (picked_ % kBatch == 0) CopyOut(picked_ - kBatch, kBatch);
    }
  }

  // Forgets all boxes that have been added.
  __aicore__ inline void Restart() { picked_ = 0; }

  // Stores the boxes that are still in UB, fills the other rows with zeros and -1, and stores the count.
  __aicore__ inline void Finish() {
    if (picked_ % kBatch != 0) CopyOut(picked_ / kBatch * kBatch, picked_ % kBatch);
    for (uint32_t row = picked_; row < boxes_; row += kBatch) {
      FillRows(row, boxes_ - row < kBatch ? boxes_ - row : kBatch);
    }
    auto count = index_queue_.template AllocTensor<I>();
    const auto number = sizeof(I) == sizeof(int32_t) ? count.template ReinterpretCast<int32_t>()
                                                     : wide_.Get<float>().template ReinterpretCast<int32_t>();
    AscendC::Duplicate(number, static_cast<int32_t>(picked_), kRecord);
    if constexpr (sizeof(I) != sizeof(int32_t))
      AscendC::Cast(count, number, AscendC::RoundMode::CAST_NONE, kRecord);
    Store(index_queue_, count_gm_, 0, count, 1);
  }

 private:
  __aicore__ inline AscendC::LocalTensor<uint32_t> PatternOf(Pattern pattern) {
    return patterns_.Get<uint32_t>()[pattern * kRecord];
  }

  // Packs the elements that a pattern selects of the first `records` records.
  __aicore__ inline void Gather(const AscendC::LocalTensor<float> &to, Pattern pattern, uint32_t records) {
    constexpr uint32_t kRecordsOfRepeat = kEntryGroup / kRecord;
    const uint32_t repeats = (records + kRecordsOfRepeat - 1) / kRecordsOfRepeat;
    uint64_t gathered = 0;
    AscendC::GatherMask(to, records_.Get<float>(), PatternOf(pattern), false, 0,
                        {1, static_cast<uint16_t>(repeats), 8, 0}, gathered);
  }

  // Stores the first `rows` records as rows of the results, from row `row` on.
  __aicore__ inline void CopyOut(uint32_t row, uint32_t rows) {
    auto wide = wide_.Get<float>();
    auto dets = det_queue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      Gather(dets, kRowPattern, rows);
    } else {
      Gather(wide, kRowPattern, rows);
      AscendC::Cast(dets, wide, AscendC::RoundMode::CAST_RINT, rows * kRow);
    }
    Store(det_queue_, det_gm_, uint64_t{row} * kRow, dets, rows * kRow);
    auto indices = index_queue_.template AllocTensor<I>();
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      Gather(indices.template ReinterpretCast<float>(), kIndexPattern, rows);
    } else {
      Gather(wide, kIndexPattern, rows);
      AscendC::Cast(indices, wide.template ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_NONE, rows);
    }
    Store(index_queue_, index_gm_, row, indices, rows);
  }

  // Fills `rows` rows of the results from row `row` on, which hold no box.
  __aicore__ inline void FillRows(uint32_t row, uint32_t rows) {
    auto dets = det_queue_.template AllocTensor<T>();
    AscendC::Duplicate(dets, T(0.0f), kBatch * kRow);
    Store(det_queue_, det_gm_, uint64_t{row} * kRow, dets, rows * kRow);
    auto indices = index_queue_.template AllocTensor<I>();
    AscendC::Duplicate(indices.template ReinterpretCast<int32_t>(), -1,
                       kBatch * static_cast<uint32_t>(sizeof(I) / sizeof(int32_t)));
    Store(index_queue_, index_gm_, row, indices, rows);
  }

  // Copies `count` elements of a buffer of the queue to GM, from element `first` on, and frees the buffer.
  template <typename E, typename Queue>
  __aicore__ inline void Store(Queue &queue, const AscendC::GlobalTensor<E> &gm, uint64_t first,
                               AscendC::LocalTensor<E> &from, uint32_t count) {
    queue.EnQue(from);
    from = queue.template DeQue<E>();
    CopyRowsOut(gm, first, count, from, (count + kBlockBytes - 1) / kBlockBytes * kBlockBytes, 1, count);
    queue.FreeTensor(from);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> det_queue_, index_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> records_, wide_, patterns_;
  AscendC::GlobalTensor<T> det_gm_;
  AscendC::GlobalTensor<I> index_gm_, count_gm_;
  uint32_t boxes_, picked_ = 0;  // rows of the results, and how many of them hold a box
};

}  // namespace avo
