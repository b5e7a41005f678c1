// SPDX-License-Identifier: Apache-2.0
// A table of boxes in GM that all cores share, in chunks. Core c works on chunks c, c + cores, c + 2 cores,
// …; it loads a chunk into a BoxTable and stores what it changes.
//
// What other cores must know of a chunk is in its post on a board:
//
//   record of the largest score | record of the first entry | largest score, its entry, entries below the
//   bound 8 elements                  | 8 elements                | 8 elements, the status
//
// There are two boards. Cores write posts to one while slower cores still read the posts of the other;
// WaitForPosts() is a meeting of all cores after which the boards are exchanged.
#pragma once

#include "box_table.h"
#include "shared_table_buffers.h"

namespace avo {

class SharedTable {
  static constexpr uint32_t kStatus = 2 * kRecord;
  enum Status : uint32_t { kLargestScore, kLargestEntry, kLowCount };

 public:
  struct Largest {
    uint32_t chunk, entry;  // entry: in the whole table
  };

  // chunk: entries of a chunk; chunks: their number.
  __aicore__ inline void Init(GM_ADDR workspace, uint32_t chunk, uint32_t chunks,
                              const SharedTableBuffers &buffers, AscendC::TPipe *pipe) {
    chunk_ = chunk;
    layout_ = {uint64_t{chunk} * chunks, chunks};
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace), layout_.End());
    pipe->InitBuffer(board_, buffers.board.bytes);
    pipe->InitBuffer(values_, buffers.values.bytes);
    pipe->InitBuffer(post_, buffers.post.bytes);
    AscendC::Duplicate(board_.Get<float>(), 0.0f, kFetchedPosts * kRecord);
    AscendC::Duplicate(post_.Get<float>(), 0.0f, kPost);
  }

  // Loads a chunk.
  __aicore__ inline void Load(BoxTable &table, uint32_t chunk) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(table.Plane(0), chunk_, gm_, uint64_t{chunk} * chunk_, layout_.entries, kFields, chunk_);
    AscendC::PipeBarrier<PIPE_ALL>();
    table.AssumeNan();
  }

  // Stores `planes` planes of a chunk, from plane `plane` on.
  __aicore__ inline void Store(BoxTable &table, uint32_t chunk, uint32_t plane, uint32_t planes) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, plane * layout_.entries + uint64_t{chunk} * chunk_, layout_.entries, table.Plane(plane),
                chunk_, planes, chunk_);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Writes a record that has been spread to an entry of any chunk.
  __aicore__ inline void WriteSpread(uint32_t entry, const AscendC::LocalTensor<float> &blocks) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, entry, layout_.entries, blocks, kRecord, kFields, 1);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Stores or loads records of boxes that change their entry, from record `first` on.
  __aicore__ inline void StoreMoving(uint32_t first, const AscendC::LocalTensor<float> &moving,
                                     uint32_t records) {
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(gm_[layout_.Moving() + uint64_t{first} * kRecord], moving, records * kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }
  __aicore__ inline void LoadMoving(uint32_t first, const AscendC::LocalTensor<float> &moving,
                                    uint32_t records) {
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(moving, gm_[layout_.Moving() + uint64_t{first} * kRecord], records * kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Posts what others must know of entries [first, last) of a chunk that is loaded. turn_of_first: whether
  // `first` is the next entry to be picked; low: how many of the entries are below the bound.
  __aicore__ inline void Post(BoxTable &table, uint32_t chunk, uint32_t first, uint32_t last,
                              bool turn_of_first, uint32_t low) {
    const BoxTable::Best largest = table.FindLargest(first, last, turn_of_first);
    auto post = post_.Get<float>();
    table.ReadRecord(post, largest.entry);
    table.ReadRecord(post[kRecord], first);
    post.SetValue(kStatus + kLargestScore, largest.score);
    post.ReinterpretCast<uint32_t>().SetValue(kStatus + kLargestEntry, chunk * chunk_ + largest.entry);
    post.SetValue(kStatus + kLowCount, static_cast<float>(static_cast<int32_t>(low)));
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsOut(gm_, PostOf(chunk, written_), kPost, post, kPost, 1, kPost);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Waits for all cores. What they have posted can be read then, and the other board is free for new posts.
  __aicore__ inline void WaitForPosts() {
    AscendC::SyncAll();
    written_ = 1 - written_;
  }

  // Finds the first of the largest scores in the posts of chunks [from, to).
  __aicore__ inline Largest FindLargest(BoxTable &table, uint32_t from, uint32_t to) {
    Largest found{from, 0};
    float score = 0.0f;
    for (uint32_t chunk = from; chunk < to; chunk += kFetchedPosts) {
      const uint32_t count = MinRemaining(to - chunk, kFetchedPosts);
      auto values = FetchStatus(table, chunk, count, kLargestScore);
      AscendC::ReduceMax(values, values, values[kFetchedPosts], static_cast<int32_t>(count), true);
      const float best = values.GetValue(0);
      if (chunk == from || best > score) {
        const uint32_t post = values.ReinterpretCast<uint32_t>().GetValue(1);
        score = best;
        // Where all scores are -inf, this is the first chunk and its first entry.
        found = {chunk + post, board_.Get<uint32_t>().GetValue(post * kRecord + kLargestEntry)};
      }
    }
    return found;
  }

  // Returns how many entries of chunks [from, to) are below the bound.
  __aicore__ inline uint32_t CountLow(BoxTable &table, uint32_t from, uint32_t to) {
    uint32_t low = 0;
    for (uint32_t chunk = from; chunk < to; chunk += kFetchedPosts) {
      const uint32_t count = MinRemaining(to - chunk, kFetchedPosts);
      auto values = FetchStatus(table, chunk, count, kLowCount);
      AscendC::ReduceSum(values, values, values[kFetchedPosts], static_cast<int32_t>(count));
      low += static_cast<uint32_t>(static_cast<int32_t>(values.GetValue(0)));
    }
    return low;
  }

  // Loads from the post of a chunk the record of its largest score, or that of its first entry.
  __aicore__ inline void ReadLargest(const AscendC::LocalTensor<float> &record, uint32_t chunk) {
    ReadPost(record, PostOf(chunk, 1 - written_));
  }
  __aicore__ inline void ReadFirst(const AscendC::LocalTensor<float> &record, uint32_t chunk) {
    ReadPost(record, PostOf(chunk, 1 - written_) + kRecord);
  }

 private:
  __aicore__ inline uint64_t PostOf(uint32_t chunk, uint32_t board) const {
    return layout_.Board(board) + uint64_t{chunk} * kPost;
  }

  __aicore__ inline void ReadPost(const AscendC::LocalTensor<float> &record, uint64_t first) {
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(record, kRecord, gm_, first, 0, 1, kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  // Loads the status of chunks [from, from + count) and packs one element of each.
  __aicore__ inline AscendC::LocalTensor<float> FetchStatus(BoxTable &table, uint32_t from, uint32_t count,
                                                            Status element) {
    auto board = board_.Get<float>(), values = values_.Get<float>();
    AscendC::PipeBarrier<PIPE_ALL>();
    CopyRowsIn(board, kRecord, gm_, PostOf(from, 1 - written_) + kStatus, kPost, count, kRecord);
    AscendC::PipeBarrier<PIPE_ALL>();
    uint64_t gathered = 0;
    const uint32_t repeats = (count * kRecord + kEntryGroup - 1) / kEntryGroup;
    AscendC::GatherMask(values, board, table.Pattern(element), false, 0,
                        {1, static_cast<uint16_t>(repeats), 8, 0}, gathered);
    return values;
  }

  AscendC::GlobalTensor<float> gm_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> board_, values_, post_;
  SharedTableLayout layout_;
  uint32_t chunk_, written_ = 0;  // written_: the board that posts are written to
};

}  // namespace avo
