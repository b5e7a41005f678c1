// SPDX-License-Identifier: Apache-2.0
// Soft non-maximum suppression: picks the box of the largest score again and again, and decays the scores of
// the others by their overlap with it. Boxes lie in entries of a table:
//
//   resident  The table is in UB of one core.
//   pooled    Likewise; many picks are taken before the scores of the table decay (pick_pool.h). Where these
//             picks are not certain, they are taken again as resident ones.
//   streamed  The table is in GM, in chunks that all cores share; cores meet after every pick.
//
// Entries [0, i) hold the boxes that have been picked, entries [i, last) those that are left:
//
//   pick      The box of the largest score of [i, last) is picked. The box of entry i moves to its entry.
//   decay     The scores of [i + 1, last) are decayed.
//   drop      A score is low where it is below the bound. Low entries take the boxes of the last entries:
//
//                before   a  low  b  low  c  low  d  e       last entries are on the right
//                after    a  e    b  d    c                  last is 3 less
//
// mmcv moves boxes one by one: the last box comes into each low entry, unless the last box is low itself. The
// result is the same.
#pragma once

#include "box_table.h"
#include "pick_pool.h"
#include "picked_boxes.h"
#include "shared_table.h"
#include "soft_nms_padded_tiling.h"

template <typename T, typename I, uint32_t KEY>
class SoftNmsPadded {
  static constexpr bool kStreamed = KEY == 1, kPooled = KEY == 2;
  static constexpr uint32_t kLoad = SoftNmsPaddedBuffers::kLoad, kSpread = SoftNmsPaddedBuffers::kSpread;

 public:
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR scores, GM_ADDR dets, GM_ADDR indices, GM_ADDR count,
                              GM_ADDR workspace, const SoftNmsPaddedTiling &tiling, AscendC::TPipe *pipe) {
    tiling_ = tiling;
    box_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(boxes), uint64_t{tiling.boxes} * 4);
    score_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(scores), tiling.boxes);
    const SoftNmsPaddedBuffers buffers(tiling.chunk, sizeof(T), sizeof(I), kStreamed, kPooled);
    const avo::DecayRule rule{tiling.method, tiling.offset, tiling.iouThreshold, tiling.sigma};
    table_.Init(tiling.chunk, buffers.table, rule, pipe);
    picked_.Init(dets, indices, count, tiling.boxes, buffers.picked, pipe);
    if constexpr (kPooled) pool_.Init(buffers.pool, tiling.offset, tiling.minScore, pipe);
    if constexpr (kStreamed) shared_.Init(workspace, tiling.chunk, tiling.chunks, buffers.shared, pipe);
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    if (buffers.wide.count > 0) pipe->InitBuffer(wide_, buffers.wide.bytes);
    pipe->InitBuffer(records_, buffers.records.bytes);
    AscendC::Duplicate(records_.Get<float>(), 0.0f, 2 * kSpread + avo::kRecord);
  }

  __aicore__ inline void Process() {
    if constexpr (kStreamed) {
      PickStreamed();
    } else {
      PickResident();
    }
  }

 private:
  // The box that was picked last and a box that moves, each spread over data blocks; and a record.
  __aicore__ inline AscendC::LocalTensor<float> Picked() { return records_.Get<float>(); }
  __aicore__ inline AscendC::LocalTensor<float> Moved() { return records_.Get<float>()[kSpread]; }
  __aicore__ inline AscendC::LocalTensor<float> Record() { return records_.Get<float>()[2 * kSpread]; }

  __aicore__ inline void PickResident() {
    Load(0, tiling_.boxes);
    if constexpr (kPooled) {
      if (pool_.Run(table_, picked_, tiling_.boxes)) return picked_.Finish();
      picked_.Restart();
      Load(0, tiling_.boxes);
    }
    uint32_t last = tiling_.boxes;
    for (uint32_t i = 0; i < last; ++i) {
      const uint32_t best = table_.FindLargest(i, last, true).entry;
      table_.ReadRecord(picked_.Next(), best);
      table_.Spread(Picked(), picked_.Next());
      picked_.Add();
      if (best != i) Move(best, i);
      if (i + 1 == last) break;
      table_.Decay(Picked(), i + 1, last);
      const uint32_t low = table_.ListLow(tiling_.minScore, i + 1, last);
      last -= low;
      for (uint32_t n = 0; n < low; ++n) {
        const uint32_t entry = static_cast<uint32_t>(table_.LowEntries().GetValue(n));
        if (entry >= last) break;
        Move(entry, table_.OtherFromLast(n));
      }
    }
    picked_.Finish();
  }

  // Copies entry `from` to entry `to`.
  __aicore__ inline void Move(uint32_t to, uint32_t from) {
    table_.ReadRecord(Record(), from);
    table_.Spread(Moved(), Record());
    table_.WriteSpread(to, Moved());
  }

  // The entries of a range that lie in one chunk: entries [first, last) of the chunk, which starts at entry
  // `begin` of the table.
  struct ChunkRange {
    uint32_t chunk, begin, first, last;
  };

  // Goes on to this core's next chunk that has entries of [first, last) of the table. Returns false behind
  // the last one. BeforeChunks() is the range to start with.
  __aicore__ inline bool NextChunk(ChunkRange &range, uint32_t first, uint32_t last) {
    for (range.chunk += AscendC::GetBlockNum(); range.chunk < tiling_.chunks;
         range.chunk += AscendC::GetBlockNum()) {
      range.begin = range.chunk * tiling_.chunk;
      const uint32_t end = range.begin + tiling_.chunk;
      if (range.begin >= last) return false;
      if (end <= first) continue;
      range.first = first > range.begin ? first - range.begin : 0;
      range.last = (end < last ? end : last) - range.begin;
      return true;
    }
    return false;
  }
  __aicore__ inline ChunkRange BeforeChunks() {
    return {static_cast<uint32_t>(AscendC::GetBlockIdx() - AscendC::GetBlockNum()), 0, 0, 0};
  }

  __aicore__ inline void PickStreamed() {
    LoadAll();
    uint32_t last = tiling_.boxes;
    for (uint32_t i = 0; i < last; ++i) {
      const uint32_t leading = i / tiling_.chunk;
      const auto best = shared_.FindLargest(table_, leading, Chunks(last));
      shared_.ReadLargest(picked_.Next(), best.chunk);
      table_.Spread(Picked(), picked_.Next());
      shared_.ReadFirst(Record(), leading);
      table_.Spread(Moved(), Record());
      if (AscendC::GetBlockIdx() == 0) picked_.Add();
      if (i + 1 == last) break;
      DecayAll(i, last, best);
      const uint32_t low = shared_.CountLow(table_, (i + 1) / tiling_.chunk, Chunks(last));
      if (low > 0) {
        FillLowEntries(i + 1, last, last - low);
        last -= low;
      }
    }
    if (AscendC::GetBlockIdx() == 0) picked_.Finish();
  }

  // Copies the boxes of all chunks of this core to the shared table, and posts their largest scores.
  __aicore__ inline void LoadAll() {
    for (ChunkRange range = BeforeChunks(); NextChunk(range, 0, tiling_.boxes);) {
      Load(range.begin, range.last);
      shared_.Store(table_, range.chunk, 0, avo::kFields);
      table_.AssumeNan();
      shared_.Post(table_, range.chunk, 0, range.last, range.chunk == 0, 0);
    }
    shared_.WaitForPosts();
  }

  // Moves the box of entry i to the entry of the box that was picked, decays the scores behind entry i, and
  // posts the largest scores and how many are low.
  __aicore__ inline void DecayAll(uint32_t i, uint32_t last, const avo::SharedTable::Largest &best) {
    for (ChunkRange range = BeforeChunks(); NextChunk(range, i + 1, last);) {
      shared_.Load(table_, range.chunk);
      if (best.chunk == range.chunk && best.entry > i) {
        table_.WriteSpread(best.entry - range.begin, Moved());
        shared_.WriteSpread(best.entry, Moved());
      }
      table_.Decay(Picked(), range.first, range.last);
      const uint32_t low = table_.ListLow(tiling_.minScore, range.first, range.last);
      shared_.Store(table_, range.chunk, avo::kScore, 1);
      Post(range, i + 1, low);
    }
    shared_.WaitForPosts();
  }

  // Number of chunks that the first `entries` entries are in.
  __aicore__ inline uint32_t Chunks(uint32_t entries) {
    return (entries + tiling_.chunk - 1) / tiling_.chunk;
  }

  __aicore__ inline void Post(const ChunkRange &range, uint32_t first, uint32_t low) {
    shared_.Post(table_, range.chunk, range.first, range.last, range.begin + range.first == first, low);
  }

  // Lets the low entries of [first, kept) take the other boxes of [kept, last), as PickResident does. First,
  // cores store these boxes as moving records in GM, from the last entry down; the posts tell each core at
  // which record its own boxes start. Then cores load the records that their low entries take.
  __aicore__ inline void FillLowEntries(uint32_t first, uint32_t last, uint32_t kept) {
    const auto moving = table_.Plane(avo::kWork + 2);
    const uint32_t batch = 2 * tiling_.chunk / avo::kRecord;  // records that two work planes hold
    for (ChunkRange range = BeforeChunks(); NextChunk(range, kept, last);) {
      StoreMoving(range, last, moving, batch);
    }
    AscendC::SyncAll();
    for (ChunkRange range = BeforeChunks(); NextChunk(range, first, kept);) {
      shared_.Load(table_, range.chunk);
      const uint32_t begin = shared_.CountLow(table_, first / tiling_.chunk, range.chunk);
      const uint32_t low = table_.ListLow(tiling_.minScore, range.first, range.last);
      for (uint32_t n = 0; n < low; ++n) {
        if (n % batch == 0) shared_.LoadMoving(begin + n, moving, avo::MinRemaining(low - n, batch));
        table_.Spread(Moved(), moving[n % batch * avo::kRecord]);
        table_.WriteSpread(static_cast<uint32_t>(table_.LowEntries().GetValue(n)), Moved());
      }
      if (low > 0) shared_.Store(table_, range.chunk, 0, avo::kFields);
      table_.AssumeNan();
      Post(range, first, 0);
    }
    shared_.WaitForPosts();
  }

  // Stores the entries of a range that are not low as moving records, `batch` at a time.
  __aicore__ inline void StoreMoving(const ChunkRange &range, uint32_t last,
                                     const AscendC::LocalTensor<float> &moving, uint32_t batch) {
    shared_.Load(table_, range.chunk);
    table_.DropBefore(range.first);
    const uint32_t low = table_.ListLow(tiling_.minScore, range.first, range.last);
    const uint32_t behind = last - range.begin - range.last;  // entries of later chunks, low ones included
    const uint32_t begin = behind - shared_.CountLow(table_, range.chunk + 1, Chunks(last));
    const uint32_t others = range.last - range.first - low;
    for (uint32_t n = 0; n < others; ++n) {
      table_.ReadRecord(moving[n % batch * avo::kRecord], table_.OtherFromLast(n));
      if (n % batch == batch - 1 || n == others - 1)
        shared_.StoreMoving(begin + n / batch * batch, moving, n % batch + 1);
    }
  }

  // Loads boxes [begin, begin + count) into entries from 0 on.
  __aicore__ inline void Load(uint32_t begin, uint32_t count) {
    for (uint32_t entry = 0; entry < count; entry += kLoad) {
      const uint32_t loaded = avo::MinRemaining(count - entry, kLoad);
      CopyIn(begin + entry, loaded);
      SplitFields(entry, loaded);
    }
    table_.ComputeAreas();
    AscendC::Adds(table_.Plane(avo::kIndex).template ReinterpretCast<int32_t>(),
                  table_.Plane(avo::kNumbers).template ReinterpretCast<int32_t>(),
                  static_cast<int32_t>(begin), table_.entries());
  }

  __aicore__ inline void CopyIn(uint32_t first, uint32_t count) {
    auto in = in_queue_.template AllocTensor<T>();
    avo::CopyRowsIn(in, kLoad * 4, box_gm_, uint64_t{first} * 4, 0, 1, count * 4);
    avo::CopyRowsIn(in[kLoad * 4], kLoad, score_gm_, first, 0, 1, count);
    in_queue_.EnQue(in);
  }

  // Writes the corners and scores of `count` loaded boxes to their planes, from an entry on.
  __aicore__ inline void SplitFields(uint32_t entry, uint32_t count) {
    constexpr uint8_t kFirstOfFour = 3, kAll = 7;  // built-in patterns of GatherMask
    auto in = in_queue_.template DeQue<T>();
    const AscendC::GatherMaskParams params{1, 1, 8, 8};
    uint64_t gathered = 0;
    AscendC::LocalTensor<float> boxes;
    if constexpr (sizeof(T) == sizeof(float)) {
      boxes = in;
      AscendC::GatherMask(table_.Plane(avo::kScore)[entry], in[kLoad * 4], kAll, true, count, params,
                          gathered);
    } else {
      boxes = wide_.template Get<float>();
      AscendC::Cast(boxes, in, AscendC::RoundMode::CAST_NONE, count * 4);
      AscendC::Cast(table_.Plane(avo::kScore)[entry], in[kLoad * 4], AscendC::RoundMode::CAST_NONE, count);
    }
    for (uint32_t corner = 0; corner < 4; ++corner) {
      AscendC::GatherMask(table_.Plane(avo::kX1 + corner)[entry], boxes,
                          static_cast<uint8_t>(kFirstOfFour + corner), true, count * 4, params, gathered);
    }
    in_queue_.FreeTensor(in);
  }

  avo::BoxTable table_;
  avo::PickedBoxes<T, I> picked_;
  avo::SharedTable shared_;
  avo::PickPool<T, I> pool_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, records_;
  AscendC::GlobalTensor<T> box_gm_, score_gm_;
  SoftNmsPaddedTiling tiling_;
};
