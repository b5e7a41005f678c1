// SPDX-License-Identifier: Apache-2.0
// Boxes in the order in which they are picked: records gathered in a batch, which goes to GM as rows of
// dets and as indices; then what fills the rest, and the count.
#pragma once

#include "box_slots.h"

namespace avo {

template <typename T, typename I>
class PickedBoxes {
  static constexpr uint32_t kBatch = 64;  // records, of which whole repeats are gathered
  static constexpr uint32_t kRow = 5;     // corners and score

 public:
  __aicore__ inline void Init(GM_ADDR dets, GM_ADDR indices, GM_ADDR count, uint32_t boxes,
                              AscendC::TPipe *pipe) {
    boxes_ = boxes;
    det_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(dets), uint64_t{boxes} * kRow);
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices), boxes);
    count_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(count), 1);
    pipe->InitBuffer(det_queue_, 1, kBatch * kRow * sizeof(T));
    pipe->InitBuffer(index_queue_, 1, kBatch * sizeof(I));
    pipe->InitBuffer(records_, kBatch * kRecord * sizeof(float));
    pipe->InitBuffer(wide_, kBatch * kRow * sizeof(float));
    pipe->InitBuffer(patterns_, 2 * kBlockBytes);
    AscendC::Duplicate(records_.Get<float>(), 0.0f, kBatch * kRecord);
    AscendC::Duplicate(wide_.Get<float>(), 0.0f, kBatch * kRow);
    AscendC::Duplicate(patterns_.Get<uint32_t>(), 0x01010101u * (0xfu | 1u << kScore), kRecord);
    AscendC::Duplicate(patterns_.Get<uint32_t>()[kRecord], 0x01010101u << kIndex, kRecord);
  }

  // Where the next record is put, and that it is there.
  __aicore__ inline AscendC::LocalTensor<float> Next() {
    return records_.Get<float>()[picked_ % kBatch * kRecord];
  }
  __aicore__ inline void Add() {
    ++picked_;
    if (picked_ % kBatch == 0) CopyOut(picked_ - kBatch, kBatch);
  }

  __aicore__ inline void Finish() {
    if (picked_ % kBatch != 0) CopyOut(picked_ / kBatch * kBatch, picked_ % kBatch);
    for (uint32_t row = picked_; row < boxes_; row += kBatch) {
      FillOut(row, boxes_ - row < kBatch ? boxes_ - row : kBatch);
    }
    auto count = index_queue_.template AllocTensor<I>();
    const auto number = sizeof(I) == sizeof(int32_t) ? count.template ReinterpretCast<int32_t>()
                                                     : wide_.Get<float>().template ReinterpretCast<int32_t>();
    AscendC::Duplicate(number, static_cast<int32_t>(picked_), kRecord);
    if constexpr (sizeof(I) != sizeof(int32_t))
      AscendC::Cast(count, number, AscendC::RoundMode::CAST_NONE, kRecord);
    Send(index_queue_, count_gm_, 0, count, 1);
  }

 private:
  // Of `to`'s records, what the pattern selects.
  __aicore__ inline void Gather(const AscendC::LocalTensor<float> &to, uint32_t pattern, uint32_t records) {
    constexpr uint32_t kRecordsOfRepeat = kSlotGroup / kRecord;
    const uint32_t repeats = (records + kRecordsOfRepeat - 1) / kRecordsOfRepeat;
    uint64_t kept = 0;
    AscendC::GatherMask(to, records_.Get<float>(), patterns_.Get<uint32_t>()[pattern * kRecord], false, 0,
                        {1, static_cast<uint16_t>(repeats), 8, 0}, kept);
  }

  __aicore__ inline void CopyOut(uint32_t row, uint32_t rows) {
    auto wide = wide_.Get<float>();
    auto dets = det_queue_.template AllocTensor<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      Gather(dets, 0, rows);
    } else {
      Gather(wide, 0, rows);
      AscendC::Cast(dets, wide, AscendC::RoundMode::CAST_RINT, rows * kRow);
    }
    Send(det_queue_, det_gm_, uint64_t{row} * kRow, dets, rows * kRow);
    auto indices = index_queue_.template AllocTensor<I>();
    if constexpr (sizeof(I) == sizeof(int32_t)) {
      Gather(indices.template ReinterpretCast<float>(), 1, rows);
    } else {
      Gather(wide, 1, rows);
      AscendC::Cast(indices, wide.template ReinterpretCast<int32_t>(), AscendC::RoundMode::CAST_NONE, rows);
    }
    Send(index_queue_, index_gm_, row, indices, rows);
  }

  __aicore__ inline void FillOut(uint32_t row, uint32_t rows) {
    auto dets = det_queue_.template AllocTensor<T>();
    AscendC::Duplicate(dets, T(0.0f), kBatch * kRow);
    Send(det_queue_, det_gm_, uint64_t{row} * kRow, dets, rows * kRow);
    auto indices = index_queue_.template AllocTensor<I>();
    AscendC::Duplicate(indices.template ReinterpretCast<int32_t>(), -1,
                       kBatch * static_cast<uint32_t>(sizeof(I) / sizeof(int32_t)));
    Send(index_queue_, index_gm_, row, indices, rows);
  }

  template <typename E, typename Queue>
  __aicore__ inline void Send(Queue &queue, const AscendC::GlobalTensor<E> &gm, uint64_t at,
                              AscendC::LocalTensor<E> &from, uint32_t count) {
    queue.EnQue(from);
    from = queue.template DeQue<E>();
    CopyRowsOut(gm, at, count, from, (count + kBlockBytes - 1) / kBlockBytes * kBlockBytes, 1, count);
    queue.FreeTensor(from);
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> det_queue_, index_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> records_, wide_, patterns_;
  AscendC::GlobalTensor<T> det_gm_;
  AscendC::GlobalTensor<I> index_gm_, count_gm_;
  uint32_t boxes_, picked_ = 0;
};

}  // namespace avo
