// SPDX-License-Identifier: Apache-2.0
// Rectangles of sixteen planes between global memory and the Unified Buffer. There the planes are lanes: one
// element of all of them is a slot of 64 bytes, a float32 or an int32 each.
#pragma once

#include "../common/vectors/casts.h"
#include "../common/vectors/lanes.h"
#include "plane_slots_buffers.h"

namespace avo {

// Positions [begin, begin + count) of an axis.
struct AxisRange {
  int64_t begin;
  int32_t count;
};

// Planes of rows x columns elements in global memory.
template <typename E>
struct PlanesOf {
  AscendC::GlobalTensor<E> gm;
  int64_t rows, columns;
};

// Rows of slots. Each row has its columns in planes (LanePlanes). The same plane of all rows lies together,
// where every `groups`-th row follows the other, so that a stride along the rows is a run of slots, too:
//
//   2 groups, 4 rows     plane 0: row 0, row 2, row 1, row 3 | plane 1: row 0, row 2, …
struct SlotRows {
  AscendC::LocalTensor<float> slots;
  uint32_t planes;  // of a row
  uint32_t pitch;   // slots from row to row of a plane
  uint32_t groups;  // of rows
  uint32_t rows;    // of all groups

  __aicore__ inline uint32_t RowSlot(uint32_t row) const {
    return (row % groups * (rows / groups) + row / groups) * pitch;
  }
  __aicore__ inline LanePlanes Row(uint32_t row) const {
    return {slots[RowSlot(row) * kLanes], planes, rows * pitch};
  }
  // The slot of an element.
  __aicore__ inline uint32_t Slot(uint32_t row, uint32_t column) const {
    return column % planes * rows * pitch + RowSlot(row) + column / planes;
  }
};

// Elements are of a floating type, int32 or int64; 16 and 64 bits become 32 bits in a slot.
class PlaneSlots {
 public:
  // loaded: elements of a plane that are loaded at once; stored: elements of a plane that are stored at once;
  // E: the longest element that is loaded.
  template <typename E>
  __aicore__ inline void Init(const PlaneSlotsBuffers &buffers, uint32_t loaded, uint32_t stored,
                              AscendC::TPipe *pipe) {
    loaded_ = loaded;
    stored_ = stored;
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    ZeroQueue<E>(in_queue_, 2, kLanes * loaded);
    if (buffers.wide.count > 0) pipe->InitBuffer(wide_, buffers.wide.bytes);
    if (buffers.rows.count > 0) {
      pipe->InitBuffer(rows_, buffers.rows.bytes);
      AscendC::Duplicate(rows_.Get<float>(), 0.0f, kLanes * stored);
    }
  }

  // Sets the planes that are loaded and stored: `count` of them, 16 at most.
  __aicore__ inline void SetPlanes(int64_t first, uint32_t count) {
    plane_ = first;
    planes_ = count;
  }

  // Loads a rectangle of these planes. Row top + r of `to` then has element (rows.begin + r, columns.begin +
  // c) of each of them at column left + c.
  template <typename E>
  __aicore__ inline void Load(const SlotRows &to, uint32_t top, uint32_t left, const PlanesOf<E> &from,
                              const AxisRange &rows, const AxisRange &columns) {
    const uint32_t most = loaded_ / RowPitch<E>(columns);
    for (int32_t r = 0; r < rows.count; r += most) {
      const AxisRange some{rows.begin + r, static_cast<int32_t>(MinRemaining(rows.count - r, most))};
      LoadRows(to, top + r, left, from, some, columns);
    }
  }

  // Stores the rows of `from`, `most` of them at a time, to a rectangle of these planes. pitch: elements from
  // row to row of what is stored at once, whole groups of 16.
  template <typename E>
  __aicore__ inline void Store(const PlanesOf<E> &to, const AxisRange &rows, const AxisRange &columns,
                               const SlotRows &from, uint32_t most, uint32_t pitch) {
    for (int32_t r = 0; r < rows.count; r += most) {
      const AxisRange some{rows.begin + r, static_cast<int32_t>(MinRemaining(rows.count - r, most))};
      StoreRows(to, some, columns, from, r, pitch);
    }
  }

 private:
  template <typename E>
  static constexpr bool kWhole = std::is_same_v<E, int32_t> || std::is_same_v<E, int64_t>;
  // What an element is in a slot.
  template <typename E>
  using Lane = std::conditional_t<kWhole<E>, int32_t, float>;

  // Elements from row to row of a loaded rectangle: whole data blocks before and after they are converted.
  template <typename E>
  static __aicore__ inline uint32_t RowPitch(const AxisRange &columns) {
    constexpr uint32_t kLongest = sizeof(E) < sizeof(float) ? sizeof(E) : sizeof(float);
    return RoundUp(static_cast<uint32_t>(columns.count), kBlockBytes / kLongest);
  }

  template <typename E>
  __aicore__ inline void LoadRows(const SlotRows &to, uint32_t top, uint32_t left, const PlanesOf<E> &from,
                                  const AxisRange &rows, const AxisRange &columns) {
    const uint32_t count = static_cast<uint32_t>(columns.count), row_pitch = RowPitch<E>(columns);
    const uint32_t plane_pitch = rows.count * row_pitch;
    auto copied = in_queue_.template AllocTensor<E>();
    for (uint32_t p = 0; p < planes_; ++p) {
      const int64_t begin = ((plane_ + p) * from.rows + rows.begin) * from.columns + columns.begin;
      CopyRowsIn(copied[p * plane_pitch], row_pitch, from.gm, begin, from.columns, rows.count, count);
    }
    in_queue_.EnQue(copied);
    copied = in_queue_.template DeQue<E>();
    const auto values =
        CastTo<Lane<E>>(copied, wide_, planes_ * plane_pitch).template ReinterpretCast<float>();
    for (int32_t r = 0; r < rows.count; ++r) {
      RowsToLanes<float>(to.Row(top + r), left, values[r * row_pitch], plane_pitch, planes_, count, values);
    }
    in_queue_.FreeTensor(copied);
  }

  // Stores rows from row `first` of `from` on.
  template <typename E>
  __aicore__ inline void StoreRows(const PlanesOf<E> &to, const AxisRange &rows, const AxisRange &columns,
                                   const SlotRows &from, uint32_t first, uint32_t pitch) {
    constexpr bool kDirect = sizeof(E) == sizeof(float);
    auto out = out_queue_.template AllocTensor<E>();
    AscendC::LocalTensor<float> lines;
    if constexpr (kDirect) {
      lines = out.template ReinterpretCast<float>();
    } else {
      lines = rows_.template Get<float>();
    }
    for (int32_t r = 0; r < rows.count; ++r) {
      LanesToRows<float>(lines[r * pitch], stored_, from.Row(first + r), 0,
                         static_cast<uint32_t>(columns.count), lines);
    }
    if constexpr (!kDirect) {
      constexpr auto kRound = kWhole<E> ? AscendC::RoundMode::CAST_NONE : AscendC::RoundMode::CAST_RINT;
      AscendC::Cast(out, lines.template ReinterpretCast<Lane<E>>(), kRound, kLanes * stored_);
    }
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<E>();
    for (uint32_t p = 0; p < planes_; ++p) {
      const int64_t begin = ((plane_ + p) * to.rows + rows.begin) * to.columns + columns.begin;
      CopyRowsOut(to.gm, begin, to.columns, out[p * stored_], pitch, rows.count, columns.count);
    }
    out_queue_.FreeTensor(out);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wide_, rows_;
  uint32_t loaded_, stored_;  // elements of a plane in a buffer of either queue
  // The planes that are loaded and stored.
  int64_t plane_;
  uint32_t planes_;
};

}  // namespace avo
