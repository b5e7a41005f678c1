// SPDX-License-Identifier: Apache-2.0
// SoftNms: boxes in slots, decayed and picked one after the other.
//   resident  all slots in the Unified Buffer of one core
#pragma once

#include "common/box_slots.h"
#include "common/picked_boxes.h"
#include "soft_nms_padded_tiling.h"

template <typename T, typename I, uint32_t KEY>
class SoftNmsPadded {
  static constexpr uint32_t kPiece = 512;  // boxes that are taken apart at a time

 public:
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR dets, GM_ADDR indices, GM_ADDR count,
                              GM_ADDR workspace, const SoftNmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    box_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(boxes), uint64_t{tiling.boxes} * 4);
    score_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(scores), tiling.boxes);
    slots_.Init(tiling.chunk, {tiling.method, tiling.offset, tiling.iouThreshold, tiling.sigma}, pipe);
    picked_.Init(dets, indices, count, tiling.boxes, pipe);
    pipe->InitBuffer(in_queue_, 1, kPiece * 5 * sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, kPiece * 4 * sizeof(float));
    pipe->InitBuffer(records_, (2 * kSpread + avo::kRecord) * sizeof(float));
    AscendC::Duplicate(records_.Get<float>(), 0.0f, 2 * kSpread + avo::kRecord);
  }

  __aicore__ inline void Process() {
    Load(0, tiling_.boxes);
    uint32_t last = tiling_.boxes;
    auto picked = records_.Get<float>(), moved = picked[kSpread], record = picked[2 * kSpread];
    for (uint32_t i = 0; i < last; ++i) {
      const uint32_t best = slots_.Largest(i, last).slot;
      slots_.Read(picked_.Next(), best);
      slots_.Spread(picked, picked_.Next());
      picked_.Add();
      if (best != i) {
        slots_.Read(record, i);
        slots_.Spread(moved, record);
        slots_.Write(best, moved);
      }
      if (i + 1 == last) break;
      slots_.Decay(picked, i + 1, last);
      // Slots below the bound take others from the end, up to where the kept ones end.
      const uint32_t below = slots_.Below(tiling_.minScore, i + 1, last);
      last -= below;
      for (uint32_t n = 0; n < below && slots_.BelowAt(n) < last; ++n) {
        slots_.Read(record, slots_.OtherFromLast(n));
        slots_.Spread(moved, record);
        slots_.Write(slots_.BelowAt(n), moved);
      }
    }
    picked_.Finish();
  }

 private:
  static constexpr uint32_t kSpread = avo::kRecord * avo::kRecord;

  // Boxes [begin, begin + count) into slots from 0 on.
  __aicore__ inline void Load(uint32_t begin, uint32_t count) {
    for (uint32_t at = 0; at < count; at += kPiece) {
      CopyIn(begin + at, count - at < kPiece ? count - at : kPiece);
      TakeApart(at, count - at < kPiece ? count - at : kPiece);
    }
    slots_.ComputeAreas();
    AscendC::Adds(slots_.Plane(avo::kIndex).template ReinterpretCast<int32_t>(),
                  slots_.Plane(avo::kNumbers).template ReinterpretCast<int32_t>(), static_cast<int32_t>(begin),
                  slots_.slots());
  }

  __aicore__ inline void CopyIn(uint32_t first, uint32_t count) {
    auto in = in_queue_.template AllocTensor<T>();
    avo::CopyRowsIn(in, kPiece * 4, box_gm_, uint64_t{first} * 4, 0, 1, count * 4);
    avo::CopyRowsIn(in[kPiece * 4], kPiece, score_gm_, first, 0, 1, count);
    in_queue_.EnQue(in);
  }

  __aicore__ inline void TakeApart(uint32_t slot, uint32_t count) {
    auto in = in_queue_.template DeQue<T>();
    const AscendC::GatherMaskParams whole{1, 1, 8, 8};
    uint64_t kept = 0;
    AscendC::LocalTensor<float> boxes;
    if constexpr (sizeof(T) == sizeof(float)) {
      boxes = in;
      AscendC::GatherMask(slots_.Plane(avo::kScore)[slot], in[kPiece * 4], uint8_t{7}, true, count, whole, kept);
    } else {
      boxes = wide_.template Get<float>();
      AscendC::Cast(boxes, in, AscendC::RoundMode::CAST_NONE, count * 4);
      AscendC::Cast(slots_.Plane(avo::kScore)[slot], in[kPiece * 4], AscendC::RoundMode::CAST_NONE, count);
    }
    for (uint32_t corner = 0; corner < 4; ++corner) {
      AscendC::GatherMask(slots_.Plane(avo::kX1 + corner)[slot], boxes, static_cast<uint8_t>(3 + corner), true,
                          count * 4, whole, kept);
    }
    in_queue_.FreeTensor(in);
  }

  avo::BoxSlots slots_;
  avo::PickedBoxes<T, I> picked_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, records_;
  AscendC::GlobalTensor<T> box_gm_, score_gm_;
  SoftNmsPaddedTiling tiling_;
};
