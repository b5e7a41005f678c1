// SPDX-License-Identifier: Apache-2.0
// SoftNms: boxes in slots, decayed and picked one after the other.
//   resident  all slots in the Unified Buffer of one core
//   streamed  slots in GM, chunks of them dealt to all cores; cores meet after every decay
#pragma once

#include "box_slots.h"
#include "picked_boxes.h"
#include "shared_slots.h"
#include "soft_nms_padded_tiling.h"

template <typename T, typename I, uint32_t KEY>
class SoftNmsPadded {
  static constexpr uint32_t kPiece = 256;  // boxes that are taken apart at a time

 public:
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR dets, GM_ADDR indices, GM_ADDR count,
                              GM_ADDR workspace, const SoftNmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    box_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(boxes), uint64_t{tiling.boxes} * 4);
    score_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(scores), tiling.boxes);
    slots_.Init(tiling.chunk, {tiling.method, tiling.offset, tiling.iouThreshold, tiling.sigma}, pipe);
    picked_.Init(dets, indices, count, tiling.boxes, pipe);
    if constexpr (KEY == 1) shared_.Init(workspace, tiling.chunk, tiling.chunks, pipe);
    pipe->InitBuffer(in_queue_, 1, kPiece * 5 * sizeof(T));
    if constexpr (sizeof(T) != sizeof(float)) pipe->InitBuffer(wide_, kPiece * 4 * sizeof(float));
    pipe->InitBuffer(records_, (2 * kSpread + avo::kRecord) * sizeof(float));
    AscendC::Duplicate(records_.Get<float>(), 0.0f, 2 * kSpread + avo::kRecord);
  }

  __aicore__ inline void Process() {
    if constexpr (KEY == 0) {
      PickResident();
    } else {
      PickStreamed();
    }
  }

 private:
  static constexpr uint32_t kSpread = avo::kRecord * avo::kRecord;

  // The box picked, and one that moves, as blocks; a record.
  __aicore__ inline AscendC::LocalTensor<float> Picked() { return records_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> Moved() { return records_.Get<float>()[kSpread]; }
  __aicore__ inline AscendC::LocalTensor<float> Record() { return records_.Get<float>()[2 * kSpread]; }

  __aicore__ inline void PickResident() {
    Load(0, tiling_.boxes);
    uint32_t last = tiling_.boxes;
    for (uint32_t i = 0; i < last; ++i) {
      const uint32_t best = slots_.Largest(i, last, true).slot;
      slots_.Read(picked_.Next(), best);
      slots_.Spread(Picked(), picked_.Next());
      picked_.Add();
      if (best != i) Move(best, i);
      if (i + 1 == last) break;
      slots_.Decay(Picked(), i + 1, last);
      // Slots below the bound take the others from the end, up to where what is kept ends. So does mmcv, slot
      // by slot: the last one comes into each slot that falls below, unless it falls below itself.
      const uint32_t below = slots_.Below(tiling_.minScore, i + 1, last);
      last -= below;
      for (uint32_t n = 0; n < below; ++n) {
        const uint32_t slot = static_cast<uint32_t>(slots_.BelowList().GetValue(n));
        if (slot >= last) break;
        Move(slot, slots_.OtherFromLast(n));
      }
    }
    picked_.Finish();
  }

  __aicore__ inline void Move(uint32_t to, uint32_t from) {
    slots_.Read(Record(), from);
    slots_.Spread(Moved(), Record());
    slots_.Write(to, Moved());
  }

  // What a chunk of this core has of a range of slots: slots [first, last) of the chunk.
  struct Part {
    uint32_t chunk, begin, first, last;
  };
  __aicore__ inline bool NextPart(Part &part, uint32_t first, uint32_t last) {
    for (part.chunk += AscendC::GetBlockNum(); part.chunk < tiling_.chunks;
         part.chunk += AscendC::GetBlockNum()) {
      part.begin = part.chunk * tiling_.chunk;
      const uint32_t end = part.begin + tiling_.chunk;
      if (part.begin >= last) return false;
      if (end <= first) continue;
      part.first = first > part.begin ? first - part.begin : 0;
      part.last = (end < last ? end : last) - part.begin;
      return true;
    }
    return false;
  }
  __aicore__ inline Part NoPart() {
    return {static_cast<uint32_t>(AscendC::GetBlockIdx() - AscendC::GetBlockNum()), 0, 0, 0};
  }

  __aicore__ inline void PickStreamed() {
    uint32_t last = tiling_.boxes;
    for (Part part = NoPart(); NextPart(part, 0, last);) {
      Load(part.begin, part.last);
      shared_.Store(slots_, part.chunk, 0, avo::kFields);
      slots_.Renew();
      shared_.Post(slots_, part.chunk, 0, part.last, part.chunk == 0, 0);
    }
    shared_.Meet();
    for (uint32_t i = 0; i < last; ++i) {
      const uint32_t leading = i / tiling_.chunk;
      const auto best = shared_.FindLargest(slots_, leading, Chunks(last));
      shared_.Read(picked_.Next(), best.chunk, false);
      slots_.Spread(Picked(), picked_.Next());
      shared_.Read(Record(), leading, true);
      slots_.Spread(Moved(), Record());
      if (AscendC::GetBlockIdx() == 0) picked_.Add();
      if (i + 1 == last) break;
      for (Part part = NoPart(); NextPart(part, i + 1, last);) {
        shared_.Load(slots_, part.chunk);
        if (best.chunk == part.chunk && best.slot > i) {
          slots_.Write(best.slot - part.begin, Moved());
          shared_.Write(best.slot, Moved());
        }
        slots_.Decay(Picked(), part.first, part.last);
        const uint32_t below = slots_.Below(tiling_.minScore, part.first, part.last);
        shared_.Store(slots_, part.chunk, avo::kScore, 1);
        Post(part, i + 1, below);
      }
      shared_.Meet();
      const uint32_t below = shared_.CountBelow(slots_, (i + 1) / tiling_.chunk, Chunks(last));
      if (below > 0) {
        FillSlots(i + 1, last, last - below);
        last -= below;
      }
    }
    if (AscendC::GetBlockIdx() == 0) picked_.Finish();
  }

  __aicore__ inline uint32_t Chunks(uint32_t slots) { return (slots + tiling_.chunk - 1) / tiling_.chunk; }

  __aicore__ inline void Post(const Part &part, uint32_t first, uint32_t below) {
    shared_.Post(slots_, part.chunk, part.first, part.last, part.begin + part.first == first, below);
  }

  // As in PickResident: slots of [first, kept) below the bound take the others of [kept, last). These line up
  // in GM from the last one down, so that each core knows where in the line its own start.
  __aicore__ inline void FillSlots(uint32_t first, uint32_t last, uint32_t kept) {
    const auto line = slots_.Plane(avo::kWork + 2);
    const uint32_t batch = 2 * tiling_.chunk / avo::kRecord;
    for (Part part = NoPart(); NextPart(part, kept, last);) {
      shared_.Load(slots_, part.chunk);
      slots_.GiveUpBefore(part.first);
      const uint32_t below = slots_.Below(tiling_.minScore, part.first, part.last);
      const uint32_t behind = last - part.begin - part.last;
      const uint32_t place = behind - shared_.CountBelow(slots_, part.chunk + 1, Chunks(last));
      const uint32_t others = part.last - part.first - below;
      for (uint32_t n = 0; n < others; ++n) {
        slots_.Read(line[n % batch * avo::kRecord], slots_.OtherFromLast(n));
        if (n % batch == batch - 1 || n == others - 1)
          shared_.StoreLine(place + n / batch * batch, line, n % batch + 1);
      }
    }
    AscendC::SyncAll();
    for (Part part = NoPart(); NextPart(part, first, kept);) {
      shared_.Load(slots_, part.chunk);
      const uint32_t place = shared_.CountBelow(slots_, first / tiling_.chunk, part.chunk);
      const uint32_t below = slots_.Below(tiling_.minScore, part.first, part.last);
      for (uint32_t n = 0; n < below; ++n) {
        if (n % batch == 0) shared_.LoadLine(place + n, line, below - n < batch ? below - n : batch);
        slots_.Spread(Moved(), line[n % batch * avo::kRecord]);
        slots_.Write(static_cast<uint32_t>(slots_.BelowList().GetValue(n)), Moved());
      }
      if (below > 0) shared_.Store(slots_, part.chunk, 0, avo::kFields);
      slots_.Renew();
      Post(part, first, 0);
    }
    shared_.Meet();
  }

  // Boxes [begin, begin + count) into slots from 0 on.
  __aicore__ inline void Load(uint32_t begin, uint32_t count) {
    for (uint32_t at = 0; at < count; at += kPiece) {
      CopyIn(begin + at, count - at < kPiece ? count - at : kPiece);
      TakeApart(at, count - at < kPiece ? count - at : kPiece);
    }
    slots_.ComputeAreas();
    AscendC::Adds(slots_.Plane(avo::kIndex).template ReinterpretCast<int32_t>(),
                  slots_.Plane(avo::kNumbers).template ReinterpretCast<int32_t>(),
                  static_cast<int32_t>(begin), slots_.slots());
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
      AscendC::GatherMask(slots_.Plane(avo::kScore)[slot], in[kPiece * 4], uint8_t{7}, true, count, whole,
                          kept);
    } else {
      boxes = wide_.template Get<float>();
      AscendC::Cast(boxes, in, AscendC::RoundMode::CAST_NONE, count * 4);
      AscendC::Cast(slots_.Plane(avo::kScore)[slot], in[kPiece * 4], AscendC::RoundMode::CAST_NONE, count);
    }
    for (uint32_t corner = 0; corner < 4; ++corner) {
      AscendC::GatherMask(slots_.Plane(avo::kX1 + corner)[slot], boxes, static_cast<uint8_t>(3 + corner),
                          true, count * 4, whole, kept);
    }
    in_queue_.FreeTensor(in);
  }

  avo::BoxSlots slots_;
  avo::PickedBoxes<T, I> picked_;
  avo::SharedSlots shared_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, records_;
  AscendC::GlobalTensor<T> box_gm_, score_gm_;
  SoftNmsPaddedTiling tiling_;
};
