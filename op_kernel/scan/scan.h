// SPDX-License-Identifier: Apache-2.0
// Directional scans along one axis of a tensor (outer, length, inner). A tile lies in UB as positions of the
// scanned axis, each of them `width` contiguous elements, so that a step of the scan is one vector
// instruction between two positions. Along the last axis rows are transposed, 16 of them a time, into that
// layout. Tiles cover the other axes; what one stretch of the axis hands to the next stays in UB. Few lines
// are cut into parts, and the slices of a tile are then parts of one line that follow each other.
#pragma once

#include "../common/vectors/lanes.h"
#include "key_planes.h"

namespace avo {

template <typename T, bool ROWS>
class ScanTiles {
 protected:
  // What is compared: half types as float32, where no two of them fall together; int64 as two planes.
  using C = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  // Whether the tile that was copied is the one that is computed on.
  static constexpr bool kDirect = !ROWS && sizeof(T) == sizeof(float);
  static constexpr uint32_t kRepeat = 64;  // elements of C in a repeat

  template <typename Tiling>
  __aicore__ inline void InitScan(GM_ADDR in, GM_ADDR out, const Tiling &tiling, bool reverse,
                                  AscendC::TPipe *pipe) {
    shape_ = {tiling.outer,       tiling.length,    tiling.inner,       tiling.outerTiles,
              tiling.columnTiles, tiling.tileOuter, tiling.tileColumns, tiling.tileLength};
    pipe_ = pipe;
    reverse_ = reverse;
    part_length_ = tiling.length;
    row_pitch_ = tiling.rowPitch;
    most_width_ = Width(tiling.tileOuter, tiling.tileColumns);
    const uint32_t positions = ROWS ? RoundUp(tiling.tileLength, kRowPositions) : tiling.tileLength;
    tile_elements_ = RoundUp(positions * most_width_, kRepeat);
    copied_ = ROWS ? most_width_ * row_pitch_ : tile_elements_;
    const int64_t elements = tiling.outer * tiling.length * tiling.inner;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), elements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), elements);
    pipe->InitBuffer(in_queue_, 2, copied_ * sizeof(T));
    pipe->InitBuffer(out_queue_, 2, copied_ * sizeof(T));
    // Of two planes, instructions read whole repeats.
    const uint32_t carries = kPlanes * most_width_ + (kPlanes > 1 ? kRepeat : 0);
    pipe->InitBuffer(carry_, carries * sizeof(C));
    if constexpr (kPlanes > 1) {
      AscendC::Duplicate(carry_.template Get<C>(), C(0), static_cast<int32_t>(carries));
      keys_.Init(copied_, pipe);
      weaver_.Init(copied_, pipe);
      // Halves are taken apart with the gaps between rows.
      ZeroQueue<T>(in_queue_, 2, copied_);
    } else if constexpr (ROWS && !std::is_same_v<T, C>) {
      pipe->InitBuffer(staging_, tile_elements_ * sizeof(T));
    }
  }

  // Lines in `groups` tiles each, whose slices are parts of `length` positions.
  __aicore__ inline void CutLines(int64_t groups, int64_t length) {
    groups_ = groups;
    if (groups > 0) part_length_ = length;
  }

  // Hands this core's tiles to `kernel`, stretch by stretch in the direction of the scan.
  template <typename Kernel>
  __aicore__ inline void ProcessTiles(Kernel &kernel) {
    const Share share = CoreShare(shape_.outer_tiles * shape_.column_tiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      SetTile(item);
      ProcessStretches(kernel);
    }
  }

  // The tile that an item of work is about.
  __aicore__ inline void SetTile(int64_t item) {
    const int64_t outer = item / shape_.column_tiles;
    column_ = item % shape_.column_tiles * shape_.tile_columns;
    columns_ = TileExtent(column_, shape_.tile_columns, shape_.inner);
    if (groups_ > 0) {
      group_ = outer % groups_;
      slices_ = shape_.tile_outer;
      axis_ = group_ * slices_ * part_length_;
      first_slice_ = outer / groups_ * shape_.length + axis_;
    } else {
      slices_ = TileExtent(outer * shape_.tile_outer, shape_.tile_outer, shape_.outer);
      first_slice_ = outer * shape_.tile_outer * shape_.length;
    }
    width_ = Width(slices_, columns_);
  }

  template <typename Kernel>
  __aicore__ inline void ProcessStretches(Kernel &kernel) {
    const int64_t stretches = (part_length_ + shape_.tile_length - 1) / shape_.tile_length;
    for (int64_t i = 0; i < stretches; ++i) {
      begin_ = (reverse_ ? stretches - 1 - i : i) * shape_.tile_length;
      positions_ = TileExtent(begin_, shape_.tile_length, part_length_);
      first_ = i == 0;
      last_ = i == stretches - 1;
      whole_ = slices_;
      partial_ = 0;
      if (groups_ > 0) CutTile();
      kernel.Compute();
    }
  }

  // Elements of the tile in hand; those of rows end on a whole transposition.
  __aicore__ inline uint32_t Elements() const {
    return (ROWS ? RoundUp(positions_, kRowPositions) : positions_) * width_;
  }
  // Elements between the slices of a position in UB.
  __aicore__ inline uint32_t Piece() const { return width_ / slices_; }

  // The tile in hand of `gm`, as it lies there.
  template <typename Queue, typename E>
  __aicore__ inline AscendC::LocalTensor<E> CopyIn(Queue &queue, const AscendC::GlobalTensor<E> &gm) {
    auto copied = queue.template AllocTensor<E>();
    if (whole_ < slices_) Neutralise(copied);
    if constexpr (ROWS) {
      if (whole_ > 0)
        CopyRowsIn(copied, row_pitch_, gm, GmOffset(0), part_length_, whole_, positions_, Neutral<E>());
      if (partial_ > 0) {
        CopyRowsIn(copied[whole_ * row_pitch_], row_pitch_, gm, GmOffset(whole_), part_length_, 1, partial_,
                   Neutral<E>());
      }
    } else {
      for (uint32_t s = 0; s < slices_ && SlicePositions(s) > 0; ++s) {
        CopyRowsIn(copied[s * Piece()], width_, gm, GmOffset(s), shape_.inner, SlicePositions(s), columns_);
      }
    }
    queue.EnQue(copied);
    return queue.template DeQue<E>();
  }

  // Rows as positions, up to a whole transposition where elements have the size of C.
  template <typename E>
  __aicore__ inline void ToSlots(const AscendC::LocalTensor<E> &slots, const AscendC::LocalTensor<E> &rows) {
    for (uint32_t lane = 0; lane < width_; lane += kLanes) {
      RowsToSlots(slots[lane], width_, rows[lane * row_pitch_], row_pitch_,
                  MinRemaining(slices_ - lane, kLanes), positions_);
    }
    if constexpr (sizeof(E) == sizeof(C)) {
      Clear(slots, RoundUp(positions_, kBlockBytes / sizeof(E)) * width_, Elements());
    }
  }

  // The tile in hand as positions; `work` takes it where it is not computed on as it was copied, or taken
  // apart.
  __aicore__ inline AscendC::LocalTensor<C> Load(const AscendC::LocalTensor<C> &work) {
    auto copied = CopyIn(in_queue_, in_gm_);
    if constexpr (kDirect) {
      return copied;
    } else {
      if constexpr (kPlanes > 1) {
        keys_.Load(copied, copied_);
        if constexpr (ROWS) {
          for (uint32_t p = 0; p < kPlanes; ++p) ToSlots(work[p * tile_elements_], keys_.Plane(p));
        }
      } else if constexpr (!ROWS) {
        AscendC::Cast(work, copied, AscendC::RoundMode::CAST_NONE, Elements());
      } else if constexpr (std::is_same_v<T, C>) {
        ToSlots(work, copied);
      } else {
        auto slots = staging_.template Get<T>();
        ToSlots(slots, copied);
        AscendC::Cast(work, slots, AscendC::RoundMode::CAST_NONE, Elements());
      }
      in_queue_.FreeTensor(copied);
      if constexpr (kPlanes > 1 && !ROWS) return keys_.Plane(0);
      return work;
    }
  }

  // Where results are computed: the buffer to be copied out, or `work`.
  __aicore__ inline AscendC::LocalTensor<C> Results(const AscendC::LocalTensor<C> &work) {
    if constexpr (kDirect) {
      return out_queue_.template AllocTensor<T>();
    } else {
      return work;
    }
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<C> &results) {
    if constexpr (kDirect) {
      Store(out_queue_, out_gm_, results, row_pitch_);
    } else {
      auto copied = out_queue_.template AllocTensor<T>();
      if constexpr (kPlanes > 1) {
        auto planes = results;
        if constexpr (ROWS) {
          planes = keys_.Plane(0);
          for (uint32_t p = 0; p < kPlanes; ++p) {
            ToRows(keys_.Plane(p), results[p * tile_elements_], row_pitch_);
          }
        }
        weaver_.Weave(copied, planes, ROWS ? width_ * row_pitch_ : Elements());
      } else if constexpr (!ROWS) {
        AscendC::Cast(copied, results, AscendC::RoundMode::CAST_RINT, Elements());
      } else if constexpr (std::is_same_v<T, C>) {
        ToRows(copied, results, row_pitch_);
      } else {
        auto slots = staging_.template Get<T>();
        AscendC::Cast(slots, results, AscendC::RoundMode::CAST_RINT, Elements());
        ToRows(copied, slots, row_pitch_);
      }
      Store(out_queue_, out_gm_, copied, row_pitch_);
    }
  }

  template <typename E>
  __aicore__ inline void ToRows(const AscendC::LocalTensor<E> &rows, const AscendC::LocalTensor<E> &slots,
                                uint32_t pitch) {
    for (uint32_t lane = 0; lane < width_; lane += kLanes) {
      SlotsToRows(rows[lane * pitch], pitch, slots[lane], width_, positions_);
    }
  }

  template <typename Queue, typename E>
  __aicore__ inline void Store(Queue &queue, const AscendC::GlobalTensor<E> &gm,
                               const AscendC::LocalTensor<E> &tile, uint32_t pitch) {
    queue.EnQue(tile);
    auto ready = queue.template DeQue<E>();
    if constexpr (ROWS) {
      if (whole_ > 0) CopyRowsOut(gm, GmOffset(0), part_length_, ready, pitch, whole_, positions_);
      if (partial_ > 0)
        CopyRowsOut(gm, GmOffset(whole_), part_length_, ready[whole_ * pitch], pitch, 1, partial_);
    } else {
      for (uint32_t s = 0; s < slices_ && SlicePositions(s) > 0; ++s) {
        CopyRowsOut(gm, GmOffset(s), shape_.inner, ready[s * Piece()], width_, SlicePositions(s), columns_);
      }
    }
    queue.FreeTensor(ready);
  }

  // Elements [begin, end), for whole-repeat or whole-transposition instructions that read beyond results.
  template <typename E>
  __aicore__ inline void Clear(const AscendC::LocalTensor<E> &tile, uint32_t begin, uint32_t end) {
    if (begin < end) AscendC::Duplicate(tile[begin], E(0), end - begin);
  }

  AscendC::TPipe *pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> carry_, staging_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  uint32_t tile_elements_, copied_, most_width_, row_pitch_;
  // The tile in hand: elements of each slice, positions; elements of a position in UB.
  int64_t column_, begin_;
  uint32_t slices_, columns_, positions_, width_;
  bool first_, last_, reverse_;
  // Of lines that are cut into parts: tiles of a line, or 0; the tile's place among them, and on the axis.
  int64_t groups_ = 0, group_ = 0, axis_ = 0, part_length_;

  struct ScanShape {
    int64_t outer, length, inner, outer_tiles, column_tiles;
    uint32_t tile_outer, tile_columns, tile_length;
  };
  ScanShape shape_;

 private:
  static __aicore__ inline uint32_t Width(uint32_t slices, uint32_t columns) {
    constexpr uint32_t kBlock = kBlockBytes / (sizeof(T) < sizeof(C) ? sizeof(T) : sizeof(C));
    return ROWS ? RoundUp(slices, kLanes) : slices * RoundUp(columns, kBlock);
  }
  __aicore__ inline int64_t GmOffset(uint32_t slice) const {
    return (first_slice_ + slice * part_length_ + begin_) * shape_.inner + column_;
  }

  // A line ends within its last part: slices that the stretch in hand fills, and positions of the next one.
  __aicore__ inline void CutTile() {
    const int64_t left = shape_.length - axis_ - begin_;
    const int64_t fit = left < positions_ ? 0 : (left - positions_) / part_length_ + 1;
    whole_ = MinRemaining(fit, slices_);
    const int64_t rest = left - whole_ * part_length_;
    if (whole_ < slices_ && rest > 0) partial_ = MinRemaining(rest, positions_);
  }
  __aicore__ inline uint32_t SlicePositions(uint32_t slice) const {
    return slice < whole_ ? positions_ : slice == whole_ ? partial_ : 0;
  }

  // What lies beyond the end of a line loses against the line, which a reverse scan reaches behind it. Only
  // the largest of floats are scanned in reverse.
  template <typename E>
  static __aicore__ inline E Neutral() {
    if constexpr (KeyPlanes<E>::kWhole) {
      return E(0);
    } else {
      return E(-__builtin_inff());
    }
  }
  template <typename E>
  __aicore__ inline void Neutralise(const AscendC::LocalTensor<E> &copied) {
    if constexpr (sizeof(E) == sizeof(int64_t)) {
      AscendC::Duplicate(copied.template ReinterpretCast<int32_t>(), 0, static_cast<int32_t>(2 * copied_));
    } else {
      AscendC::Duplicate(copied, Neutral<E>(), static_cast<int32_t>(copied_));
    }
    WaitFor<AscendC::HardEvent::V_MTE2>(pipe_);
  }

  KeyPlanes<T> keys_;
  PlaneWeaver weaver_;
  int64_t first_slice_;
  uint32_t whole_, partial_;
};

}  // namespace avo
