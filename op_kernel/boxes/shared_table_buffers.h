// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_table_buffers.h"

namespace avo {

constexpr uint32_t kPost = 3 * kRecord;  // elements of a post: two records, then the status
constexpr uint32_t kFetchedPosts = 128;  // posts that are read at a time

// What SharedTable puts into UB.
struct SharedTableBuffers {
  Buffer board;   // float32: the status of posts, a record each
  Buffer values;  // float32: one element of each status, then as many elements for a reduction
  Buffer post;    // the post that this core writes

  // used: whether there is a shared table at all.
  __aicore__ explicit SharedTableBuffers(bool used)
      : board{used ? 1U : 0U, kFetchedPosts * kRecord * 4},
        values{used ? 1U : 0U, 2 * kFetchedPosts * 4},
        post{used ? 1U : 0U, kPost * 4} {}
};

// Where the pieces of a shared table start in the workspace, in elements of float32.
//
//   planes    kFields planes, each with all entries of all chunks
//   moving    records of boxes that change their entry; at most half of all boxes do
//   boards    two boards, each with a post of every chunk
struct SharedTableLayout {
  uint64_t entries, chunks;  // in all

  __aicore__ uint64_t Moving() const { return kFields * entries; }
  __aicore__ uint64_t Board(uint64_t board) const {
    return Moving() + entries / 2 * kRecord + board * chunks * kPost;
  }
  __aicore__ uint64_t End() const { return Board(2); }
};

}  // namespace avo
