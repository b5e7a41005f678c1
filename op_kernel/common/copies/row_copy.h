// SPDX-License-Identifier: Apache-2.0
// Copies of rows between GM and UB, and a plain copy of a whole tensor (TensorCopy). Rows may have any
// length. In UB each row starts on a data block:
//
//   GM   a a a a a b b b b b c c c c c             rows of 5 elements, 5 apart
//   UB   a a a a a . . . b b b b b . . . c c …     8 apart: the pitch of these rows
#pragma once

#include "kernel_operator.h"

#include "row_copy_buffers.h"

namespace avo {

constexpr uint32_t kBlockBytes = 32;  // data block of the vector core

__aicore__ inline uint32_t RoundUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

// Converts an integer to float, exactly below 2^24. The scalar unit converts only int32.
__aicore__ inline float ToFloat(int64_t value) { return static_cast<float>(static_cast<int32_t>(value)); }

// Returns how many items to take now: `most`, or the `left` items that remain where these are fewer.
__aicore__ inline uint32_t MinRemaining(int64_t left, uint32_t most) {
  return left < most ? static_cast<uint32_t>(left) : most;
}

// Returns how many elements of a tile lie in [0, size), where the tile starts at `begin` and has `tile`
// elements.
__aicore__ inline uint32_t TileExtent(int64_t begin, uint32_t tile, int64_t size) {
  return MinRemaining(size - begin, tile);
}

// The items [begin, end) that one core works on.
struct Share {
  int64_t begin;
  int64_t end;
};

// Returns the share of core `core` where `cores` cores split `total` items as evenly as possible.
__aicore__ inline Share ShareOf(int64_t total, int64_t cores, int64_t core) {
  const int64_t base = total / cores, extra = total % cores;
  const int64_t begin = core * base + (core < extra ? core : extra);
  return {begin, begin + base + (core < extra ? 1 : 0)};
}

// Returns the share of this vector core. A block of a mixed kernel has two vector cores.
__aicore__ inline Share CoreShare(int64_t total) {
  return ShareOf(total, AscendC::GetBlockNum() * AscendC::GetSubBlockNum(), AscendC::GetBlockIdx());
}

// Makes the second pipe of `event` wait until the first one has finished all instructions so far.
template <AscendC::HardEvent event>
__aicore__ inline void WaitFor(AscendC::TPipe *pipe) {
  const auto id = static_cast<event_t>(pipe->FetchEventID(event));
  AscendC::SetFlag<event>(id);
  AscendC::WaitFlag<event>(id);
}

// Waits until all cores are here. What any core wrote before is visible to every core afterwards.
__aicore__ inline void WaitForCores() {
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::SyncAll();
}

// Gives all buffers back, so that the next InitBuffer starts at address 0 again. Waits for all pipes first:
// TPipe::Reset itself waits only until the buffers of queues are free, and the new buffers overlap the old
// ones.
__aicore__ inline void ReleaseBuffers(AscendC::TPipe *pipe) {
  AscendC::PipeBarrier<PIPE_ALL>();
  pipe->Reset();
}

// Writes zeros to all `depth` buffers of a queue, where instructions read more elements than are copied
// there.
template <typename T, typename Queue>
__aicore__ inline void ZeroQueue(Queue &queue, uint32_t depth, uint32_t elements) {
  for (uint32_t i = 0; i < depth; ++i) {
    auto buffer = queue.template AllocTensor<T>();
    AscendC::Duplicate(buffer.template ReinterpretCast<int16_t>(), int16_t{0},
                       static_cast<int32_t>(elements * sizeof(T) / sizeof(int16_t)));
    queue.FreeTensor(buffer);
  }
}

// How many of `rows` rows one copy takes that start `gm_row` elements apart in GM: all, or a single one where
// the gap between two rows is longer than its field, which counts bytes in 32 bits, can say.
template <typename T>
__aicore__ inline uint32_t RowsAtOnce(int64_t gm_row, uint32_t rows, uint32_t count) {
  return (gm_row - count) * static_cast<int64_t>(sizeof(T)) < int64_t{1} << 32 ? rows : 1;
}

// Loads `rows` rows of `count` elements. Rows start gm_row elements apart in GM and ub_row elements apart in
// UB (whole data blocks). The end of the last data block of each row is set to `fill`.
template <typename T>
__aicore__ inline void CopyRowsIn(const AscendC::LocalTensor<T> &ub, uint32_t ub_row,
                                  const AscendC::GlobalTensor<T> &gm, int64_t gm_offset, int64_t gm_row,
                                  uint32_t rows, uint32_t count, T fill = T(0)) {
  constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  const uint32_t filled = (count + kLane - 1) / kLane * kLane, step = RowsAtOnce<T>(gm_row, rows, count);
  const uint32_t gap = step > 1 ? static_cast<uint32_t>((gm_row - count) * sizeof(T)) : 0;
  const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(step), count * static_cast<uint32_t>(sizeof(T)),
                                        gap, (ub_row - filled) / kLane, 0};
  const AscendC::DataCopyPadExtParams<T> pad{true, 0, static_cast<uint8_t>(filled - count), fill};
  for (uint32_t row = 0; row < rows; row += step) {
    AscendC::DataCopyPad(ub[row * ub_row], gm[gm_offset + row * gm_row], copy, pad);
  }
}

// Stores `rows` rows of `count` elements. Rows start ub_row elements apart in UB and gm_row elements apart in
// GM.
template <typename T>
__aicore__ inline void CopyRowsOut(const AscendC::GlobalTensor<T> &gm, int64_t gm_offset, int64_t gm_row,
                                   const AscendC::LocalTensor<T> &ub, uint32_t ub_row, uint32_t rows,
                                   uint32_t count) {
  constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  const uint32_t filled = (count + kLane - 1) / kLane * kLane, step = RowsAtOnce<T>(gm_row, rows, count);
  const uint32_t gap = step > 1 ? static_cast<uint32_t>((gm_row - count) * sizeof(T)) : 0;
  const AscendC::DataCopyExtParams copy{static_cast<uint16_t>(step), count * static_cast<uint32_t>(sizeof(T)),
                                        (ub_row - filled) / kLane, gap, 0};
  for (uint32_t row = 0; row < rows; row += step) {
    AscendC::DataCopyPad(gm[gm_offset + row * gm_row], ub[row * ub_row], copy);
  }
}

// Copies this core's share of a dense tensor, `piece` elements at a time. Takes TensorCopyBuffers of the
// Unified Buffer.
template <typename T>
class TensorCopy {
 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, int64_t elements, uint32_t piece,
                              AscendC::TPipe *pipe) {
    elements_ = elements;
    piece_ = piece;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), elements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), elements);
    const TensorCopyBuffers buffers(piece, sizeof(T));
    pipe->InitBuffer(queue_, buffers.pieces.count, buffers.pieces.bytes);
  }

  __aicore__ inline void Process() {
    // Shares are whole pieces, so that every copy starts at a multiple of `piece` elements.
    const int64_t pieces = (elements_ + piece_ - 1) / piece_;
    const Share share = CoreShare(pieces);
    for (int64_t i = share.begin; i < share.end; ++i) {
      const int64_t begin = i * piece_;
      const uint32_t count = static_cast<uint32_t>(elements_ - begin < piece_ ? elements_ - begin : piece_);
      auto ub = queue_.template AllocTensor<T>();
      CopyRowsIn(ub, piece_, in_gm_, begin, count, 1, count);
      queue_.EnQue(ub);
      ub = queue_.template DeQue<T>();
      CopyRowsOut(out_gm_, begin, count, ub, piece_, 1, count);
      queue_.FreeTensor(ub);
    }
  }

 private:
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  int64_t elements_;
  uint32_t piece_;
};

}  // namespace avo
