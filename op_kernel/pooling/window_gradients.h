// SPDX-License-Identifier: Apache-2.0
// Gradients of windows over images. Sixteen planes are the lanes: an element of all of them is one slot of
// 64 bytes, so a window's elements are addresses, and those of a row of windows one instruction. A tile owns
// some elements of the images and adds up what the windows over them give, window by window in one order.
#pragma once

#include "../common/vectors/lanes.h"

namespace avo {

// `count` of an axis from `begin` on.
struct Stretch {
  int64_t begin;
  int32_t count;
};

// A kernel derives from this: Prepare() is told of new windows, SharesOf(tap) gives what element `tap` of
// each of them receives, slot by slot as the gradients lie.
template <typename T, typename Tiling>
class WindowGradients {
 protected:
  static constexpr uint32_t kSlack = 16;  // slots that are read or written beyond a tile
  static constexpr uint32_t kSlotBytes = kLanes * sizeof(float);

  __aicore__ inline void InitWindows(GM_ADDR grad, GM_ADDR out, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    grad_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad), t_.planes * t_.outRows * t_.outColumns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.inRows * t_.inColumns);
    grad_pitch_ = RoundUp(t_.chunkColumns, kRowPositions);
    sum_pitch_ = RoundUp(t_.tileColumns, kRowPositions);
    pipe->InitBuffer(in_queue_, 2, kLanes * t_.planeElements * sizeof(T));
    pipe->InitBuffer(out_queue_, 1, kLanes * t_.tileRows * sum_pitch_ * sizeof(T));
    pipe->InitBuffer(grads_, (t_.chunkRows * grad_pitch_ + kSlack) * kSlotBytes);
    pipe->InitBuffer(shares_, (t_.chunkRows * grad_pitch_ + kSlack) * kSlotBytes);
    pipe->InitBuffer(sums_, (t_.tileRows * sum_pitch_ + kSlack) * kSlotBytes);
    ZeroQueue<T>(in_queue_, 2, kLanes * t_.planeElements);
    AscendC::Duplicate(grads_.Get<float>(), 0.0f, (t_.chunkRows * grad_pitch_ + kSlack) * kLanes);
    if constexpr (!kSingle) {
      pipe->InitBuffer(wide_, kLanes * t_.planeElements * sizeof(float));
      pipe->InitBuffer(rows_, kLanes * t_.tileRows * sum_pitch_ * sizeof(float));
      AscendC::Duplicate(rows_.Get<float>(), 0.0f, kLanes * t_.tileRows * sum_pitch_);
    }
  }

  // Hands this core's tiles to `kernel`, chunk of windows by chunk.
  template <typename Kernel>
  __aicore__ inline void ProcessTiles(Kernel &kernel) {
    const Share share = CoreShare(t_.planeGroups * t_.rowTiles * t_.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t column = item % t_.columnTiles * t_.tileColumns;
      const int64_t row = item / t_.columnTiles % t_.rowTiles * t_.tileRows;
      plane_ = item / t_.columnTiles / t_.rowTiles * kLanes;
      planes_ = TileExtent(plane_, kLanes, t_.planes);
      own_rows_ = {row, static_cast<int32_t>(TileExtent(row, t_.tileRows, t_.inRows))};
      own_columns_ = {column, static_cast<int32_t>(TileExtent(column, t_.tileColumns, t_.inColumns))};
      AscendC::Duplicate(sums_.Get<float>(), 0.0f, own_rows_.count * sum_pitch_ * kLanes);
      const Stretch rows =
          Windows(own_rows_, t_.kernelRows, t_.strideRows, t_.padRows, t_.dilateRows, t_.outRows);
      const Stretch columns = Windows(own_columns_, t_.kernelColumns, t_.strideColumns, t_.padColumns,
                                      t_.dilateColumns, t_.outColumns);
      for (int64_t r = 0; r < rows.count; r += t_.chunkRows) {
        for (int64_t c = 0; c < columns.count; c += t_.chunkColumns) {
          chunk_rows_ = {rows.begin + r, static_cast<int32_t>(TileExtent(r, t_.chunkRows, rows.count))};
          chunk_columns_ = {columns.begin + c,
                            static_cast<int32_t>(TileExtent(c, t_.chunkColumns, columns.count))};
          LoadSlots(grads_.Get<float>(), grad_pitch_, grad_gm_, t_.outRows, t_.outColumns, chunk_rows_,
                    chunk_columns_);
          kernel.Prepare();
          for (int64_t i = 0; i < t_.kernelRows; ++i) AddRowOfTaps(kernel, i);
        }
      }
      CopyOut();
    }
  }

  // Slot r * pitch + c of `slots`: element (rows.begin + r, columns.begin + c) of the planes in hand.
  __aicore__ inline void LoadSlots(const AscendC::LocalTensor<float> &slots, uint32_t pitch,
                                   const AscendC::GlobalTensor<T> &gm, int64_t all_rows, int64_t all_columns,
                                   const Stretch &rows, const Stretch &columns) {
    constexpr uint32_t kBlock = kBlockBytes / sizeof(T);
    const uint32_t count = static_cast<uint32_t>(columns.count), row_pitch = RoundUp(count, kBlock);
    const uint32_t plane_pitch = rows.count * row_pitch;
    auto copied = in_queue_.template AllocTensor<T>();
    for (uint32_t p = 0; p < planes_; ++p) {
      const int64_t from = ((plane_ + p) * all_rows + rows.begin) * all_columns + columns.begin;
      CopyRowsIn(copied[p * plane_pitch], row_pitch, gm, from, all_columns, rows.count, count);
    }
    in_queue_.EnQue(copied);
    copied = in_queue_.template DeQue<T>();
    AscendC::LocalTensor<float> values;
    if constexpr (kSingle) {
      values = copied;
    } else {
      values = wide_.template Get<float>();
      AscendC::Cast(values, copied, AscendC::RoundMode::CAST_NONE, planes_ * plane_pitch);
    }
    for (int32_t r = 0; r < rows.count; ++r) {
      RowsToSlots(slots[r * pitch * kLanes], kLanes, values[r * row_pitch], plane_pitch, planes_, count);
    }
    in_queue_.FreeTensor(copied);
  }

  // Windows [first, first + count) of a row of them whose element at offset `tap` lies in [own.begin, …).
  static __aicore__ inline Stretch Hit(const Stretch &windows, const Stretch &own, int64_t stride,
                                       int64_t offset) {
    const int64_t low = own.begin - offset, high = own.begin + own.count - 1 - offset;
    int64_t first = low > 0 ? (low + stride - 1) / stride : 0, last = high < 0 ? -1 : high / stride;
    if (first < windows.begin) first = windows.begin;
    if (last >= windows.begin + windows.count) last = windows.begin + windows.count - 1;
    return {first, static_cast<int32_t>(last < first ? 0 : last - first + 1)};
  }

  Tiling t_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> grads_, shares_;
  uint32_t grad_pitch_;
  // The windows in hand.
  Stretch chunk_rows_, chunk_columns_;

 private:
  static constexpr bool kSingle = std::is_same_v<T, float>;

  // Windows over the elements of `own`.
  static __aicore__ inline Stretch Windows(const Stretch &own, int64_t kernel, int64_t stride, int64_t pad,
                                           int64_t dilate, int64_t windows) {
    const int64_t reach = own.begin + pad - (kernel - 1) * dilate;
    const int64_t first = reach > 0 ? (reach + stride - 1) / stride : 0;
    const int64_t end = (own.begin + own.count - 1 + pad) / stride + 1, last = end < windows ? end : windows;
    return {first, static_cast<int32_t>(last > first ? last - first : 0)};
  }

  // What the elements of row `i` of the windows receive.
  template <typename Kernel>
  __aicore__ inline void AddRowOfTaps(Kernel &kernel, int64_t i) {
    const int64_t row_offset = i * t_.dilateRows - t_.padRows;
    const Stretch rows = Hit(chunk_rows_, own_rows_, t_.strideRows, row_offset);
    if (rows.count == 0) return;
    for (int64_t j = 0; j < t_.kernelColumns; ++j) {
      const int64_t offset = j * t_.dilateColumns - t_.padColumns;
      const Stretch columns = Hit(chunk_columns_, own_columns_, t_.strideColumns, offset);
      if (columns.count == 0) continue;
      const auto shares = kernel.SharesOf(i * t_.kernelColumns + j);
      for (int64_t r = rows.begin; r < rows.begin + rows.count; ++r) {
        const uint32_t to =
            static_cast<uint32_t>(r * t_.strideRows + row_offset - own_rows_.begin) * sum_pitch_ +
            static_cast<uint32_t>(columns.begin * t_.strideColumns + offset - own_columns_.begin);
        const uint32_t from = static_cast<uint32_t>(r - chunk_rows_.begin) * grad_pitch_ +
                              static_cast<uint32_t>(columns.begin - chunk_columns_.begin);
        AddSlots(sums_.Get<float>()[to * kLanes], shares[from * kLanes], columns.count);
      }
    }
  }

  // Adds slots that follow each other to slots a stride apart.
  __aicore__ inline void AddSlots(const AscendC::LocalTensor<float> &to,
                                  const AscendC::LocalTensor<float> &from, uint32_t slots) {
    constexpr int64_t kMaxStride = 255 / kSlotBlocks;
    if (t_.strideColumns == 1) {
      AscendC::Add(to, to, from, static_cast<int32_t>(slots * kLanes));
    } else if (t_.strideColumns <= kMaxStride) {
      const uint8_t stride = static_cast<uint8_t>(t_.strideColumns * kSlotBlocks);
      AscendC::Add(to, to, from, uint64_t{kLanes}, static_cast<uint8_t>(slots),
                   {1, 1, 1, stride, stride, kSlotBlocks});
    } else {
      for (uint32_t s = 0; s < slots; ++s) {
        const auto sum = to[s * t_.strideColumns * kLanes];
        AscendC::Add(sum, sum, from[s * kLanes], static_cast<int32_t>(kLanes));
      }
    }
  }

  __aicore__ inline void CopyOut() {
    const uint32_t pitch = t_.tileRows * sum_pitch_;
    auto out = out_queue_.template AllocTensor<T>();
    AscendC::LocalTensor<float> rows;
    if constexpr (kSingle) {
      rows = out;
    } else {
      rows = rows_.template Get<float>();
    }
    for (int32_t r = 0; r < own_rows_.count; ++r) {
      SlotsToRows(rows[r * sum_pitch_], pitch, sums_.Get<float>()[r * sum_pitch_ * kLanes], kLanes,
                  static_cast<uint32_t>(own_columns_.count));
    }
    if constexpr (!kSingle) AscendC::Cast(out, rows, AscendC::RoundMode::CAST_RINT, kLanes * pitch);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<T>();
    for (uint32_t p = 0; p < planes_; ++p) {
      const int64_t to = ((plane_ + p) * t_.inRows + own_rows_.begin) * t_.inColumns + own_columns_.begin;
      CopyRowsOut(out_gm_, to, t_.inColumns, out[p * pitch], sum_pitch_, own_rows_.count, own_columns_.count);
    }
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_, wide_, rows_;
  AscendC::GlobalTensor<T> grad_gm_, out_gm_;
  uint32_t sum_pitch_;
  // The tile in hand.
  int64_t plane_;
  uint32_t planes_;
  Stretch own_rows_, own_columns_;
};

}  // namespace avo
