// SPDX-License-Identifier: Apache-2.0
// Slots of all cores in GM, in chunks that are dealt to the cores: a plane for each field, a line of boxes
// that wait for another slot, and a board to which a core posts what others must know of its chunks. Of the
// board there are two, used in turn, so that one is written while slower cores still read the other.
#pragma once

#include "box_slots.h"

namespace avo {

class SharedSlots {
  static constexpr uint32_t kFetch = 128;         // posts of the board that are read at a time
  static constexpr uint32_t kPost = 3 * kRecord;  // elements: two records, then the status
  static constexpr uint32_t kPlanesOfSlot = kFields + kRecord / 2;  // half of all slots may wait in line
  static constexpr uint32_t kStatus = 2 * kRecord;  // score of the largest, its slot, slots below the bound
  enum : uint32_t { kLargestScore, kLargestSlot, kBelowCount };

 public:
  struct Largest {
    uint32_t chunk, slot;
  };

  __aicore__ inline void Init(GM_ADDR workspace, uint32_t chunk, uint32_t chunks, AscendC::TPipe *pipe) {
    chunk_ = chunk;
    chunks_ = chunks;
    all_ = uint64_t{chunk} * chunks;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace),
                        all_ * kPlanesOfSlot + uint64_t{2} * kPost * chunks);
    pipe->InitBuffer(board_, kFetch * kRecord * sizeof(float));
    pipe->InitBuffer(values_, 2 * kFetch * sizeof(float));
    pipe->InitBuffer(post_, kPost * sizeof(float));
    AscendC::Duplicate(board_.Get<float>(), 0.0f, kFetch * kRecord);
    AscendC::Duplicate(post_.Get<float>(), 0.0f, kPost);
  }

  __aicore__ inline void Load(BoxSlots &slots, uint32_t chunk) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(slots.Plane(0), chunk_, gm_, uint64_t{chunk} * chunk_, all_, kFields, chunk_);
    AscendC::PipeBarrier<PIPE_ALL>();
    slots.Renew();
  }

  // The first `planes` planes from `plane` on.
  __aicore__ inline void Store(BoxSlots &slots, uint32_t chunk, uint32_t plane, uint32_t planes) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, plane * all_ + uint64_t{chunk} * chunk_, all_, slots.Plane(plane), chunk_, planes,
                chunk_);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // A record, spread, into a slot of any chunk.
  __aicore__ inline void Write(uint32_t slot, const AscendC::LocalTensor<float> &blocks) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, slot, all_, blocks, kRecord, kFields, 1);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Records of boxes that wait for a slot.
  __aicore__ inline void StoreLine(uint32_t at, const AscendC::LocalTensor<float> &line, uint32_t records) {
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(gm_[kFields * all_ + uint64_t{at} * kRecord], line, records * kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }
  __aicore__ inline void LoadLine(uint32_t at, const AscendC::LocalTensor<float> &line, uint32_t records) {
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(line, gm_[kFields * all_ + uint64_t{at} * kRecord], records * kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Of slots [first, last) of a chunk that is loaded: their largest, the first one, and how many are below
  // the bound.
  __aicore__ inline void Post(BoxSlots &slots, uint32_t chunk, uint32_t first, uint32_t last, bool leads,
                              uint32_t below) {
    const BoxSlots::Best largest = slots.Largest(first, last, leads);
    auto post = post_.Get<float>();
    slots.Read(post, largest.slot);
    slots.Read(post[kRecord], first);
    post.SetValue(kStatus + kLargestScore, largest.score);
    post.ReinterpretCast<uint32_t>().SetValue(kStatus + kLargestSlot, chunk * chunk_ + largest.slot);
    post.SetValue(kStatus + kBelowCount, static_cast<float>(static_cast<int32_t>(below)));
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, PostOf(chunk, turn_), kPost, post, kPost, 1, kPost);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // All cores meet, and what they posted can be read.
  __aicore__ inline void Meet() {
    AscendC::SyncAll();
    turn_ = 1 - turn_;
  }

  // Among the posts of chunks [from, to): the first of the largest.
  __aicore__ inline Largest FindLargest(BoxSlots &slots, uint32_t from, uint32_t to) {
    Largest found{from, 0};
    float score = 0.0f;
    for (uint32_t at = from; at < to; at += kFetch) {
      const uint32_t count = to - at < kFetch ? to - at : kFetch;
      auto values = Fetch(slots, at, count, kLargestScore);
      AscendC::ReduceMax(values, values, values[kFetch], static_cast<int32_t>(count), true);
      const float best = values.GetValue(0);
      if (at == from || best > score) {
        const uint32_t place = values.ReinterpretCast<uint32_t>().GetValue(1);
        score = best;
        // Where all are minus infinity, the first one is the leading slot.
        found = {at + place, board_.Get<uint32_t>().GetValue(place * kRecord + kLargestSlot)};
      }
    }
    return found;
  }

  // How many slots of chunks [from, to) are below the bound.
  __aicore__ inline uint32_t CountBelow(BoxSlots &slots, uint32_t from, uint32_t to) {
    uint32_t below = 0;
    for (uint32_t at = from; at < to; at += kFetch) {
      const uint32_t count = to - at < kFetch ? to - at : kFetch;
      auto values = Fetch(slots, at, count, kBelowCount);
      AscendC::ReduceSum(values, values, values[kFetch], static_cast<int32_t>(count));
      below += static_cast<uint32_t>(static_cast<int32_t>(values.GetValue(0)));
    }
    return below;
  }

  // The record of a chunk's largest, or of its first slot.
  __aicore__ inline void Read(const AscendC::LocalTensor<float> &record, uint32_t chunk, bool first) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(record, kRecord, gm_, PostOf(chunk, 1 - turn_) + (first ? kRecord : 0), 0, 1, kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

 private:
  __aicore__ inline uint64_t PostOf(uint32_t chunk, uint32_t turn) const {
    return all_ * kPlanesOfSlot + (uint64_t{turn} * chunks_ + chunk) * kPost;
  }

  // One element of the status of chunks [from, from + count).
  __aicore__ inline AscendC::LocalTensor<float> Fetch(BoxSlots &slots, uint32_t from, uint32_t count,
                                                      uint32_t element) {
    auto board = board_.Get<float>(), values = values_.Get<float>();
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(board, kRecord, gm_, PostOf(from, 1 - turn_) + kStatus, kPost, count, kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
    uint64_t kept = 0;
    const uint32_t repeats = (count * kRecord + kSlotGroup - 1) / kSlotGroup;
    AscendC::GatherMask(values, board, slots.Lane(element), false, 0,
                        {1, static_cast<uint16_t>(repeats), 8, 0}, kept);
    return values;
  }

  AscendC::GlobalTensor<float> gm_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> board_, values_, post_;
  uint64_t all_;
  uint32_t chunk_, chunks_, turn_ = 0;
};

}  // namespace avo
