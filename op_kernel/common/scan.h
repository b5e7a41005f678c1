// SPDX-License-Identifier: Apache-2.0
// Directional scans along one axis of a tensor (outer, length, inner). A tile lies in UB as positions of the
// scanned axis, each of them `width` contiguous elements, so that a step of the scan is one vector
// instruction between two positions. Along the last axis rows are transposed, 16 of them a time, into that
// layout. Tiles cover the other axes; what one stretch of the axis hands to the next stays in UB.
#pragma once

#include <type_traits>

#include "lanes.h"

namespace avo {

struct Larger {
  template <typename C>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<C> &dst, const AscendC::LocalTensor<C> &a,
                                      const AscendC::LocalTensor<C> &b, uint32_t count) {
    AscendC::Max(dst, a, b, count);
  }
};

struct Smaller {
  template <typename C>
  static __aicore__ inline void Apply(const AscendC::LocalTensor<C> &dst, const AscendC::LocalTensor<C> &a,
                                      const AscendC::LocalTensor<C> &b, uint32_t count) {
    AscendC::Min(dst, a, b, count);
  }
};

template <typename T, bool ROWS>
class ScanTiles {
 protected:
  // What is compared: half types as float32, where no two of them fall together.
  using C = std::conditional_t<sizeof(T) == sizeof(float), T, float>;
  // Whether the tile that was copied is the one that is computed on.
  static constexpr bool kDirect = !ROWS && sizeof(T) == sizeof(float);
  static constexpr uint32_t kRepeat = 64;  // elements of C in a repeat

  template <typename Tiling>
  __aicore__ inline void InitScan(GM_ADDR in, GM_ADDR out, const Tiling &tiling, bool reverse,
                                  AscendC::TPipe *pipe) {
    shape_ = {tiling.outer,       tiling.length,    tiling.inner,       tiling.outerTiles,
              tiling.columnTiles, tiling.tileOuter, tiling.tileColumns, tiling.tileLength};
    reverse_ = reverse;
    row_pitch_ = tiling.rowPitch;
    most_width_ = Width(tiling.tileOuter, tiling.tileColumns);
    const uint32_t positions = ROWS ? RoundUp(tiling.tileLength, kRowPositions) : tiling.tileLength;
    tile_elements_ = RoundUp(positions * most_width_, kRepeat);
    const int64_t elements = tiling.outer * tiling.length * tiling.inner;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), elements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), elements);
    const uint32_t copied = ROWS ? most_width_ * row_pitch_ : tile_elements_;
    pipe->InitBuffer(in_queue_, 2, copied * sizeof(T));
    pipe->InitBuffer(out_queue_, 2, copied * sizeof(T));
    pipe->InitBuffer(carry_, most_width_ * sizeof(C));
    if constexpr (ROWS && !std::is_same_v<T, C>) pipe->InitBuffer(staging_, tile_elements_ * sizeof(T));
  }

  // Hands this core's tiles to `kernel`, stretch by stretch in the direction of the scan.
  template <typename Kernel>
  __aicore__ inline void ProcessTiles(Kernel &kernel) {
    const Share share = CoreShare(shape_.outer_tiles * shape_.column_tiles);
    const int64_t stretches = (shape_.length + shape_.tile_length - 1) / shape_.tile_length;
    for (int64_t item = share.begin; item < share.end; ++item) {
      outer_ = item / shape_.column_tiles * shape_.tile_outer;
      slices_ = Rest(shape_.outer - outer_, shape_.tile_outer);
      column_ = item % shape_.column_tiles * shape_.tile_columns;
      columns_ = Rest(shape_.inner - column_, shape_.tile_columns);
      width_ = Width(slices_, columns_);
      for (int64_t i = 0; i < stretches; ++i) {
        begin_ = (reverse_ ? stretches - 1 - i : i) * shape_.tile_length;
        positions_ = Rest(shape_.length - begin_, shape_.tile_length);
        first_ = i == 0;
        last_ = i == stretches - 1;
        kernel.Compute();
      }
    }
  }

  // Elements of the tile in hand; those of rows end on a whole transposition.
  __aicore__ inline uint32_t Elements() const {
    return (ROWS ? RoundUp(positions_, kRowPositions) : positions_) * width_;
  }

  // The tile in hand of `gm`, as it lies there.
  template <typename Queue, typename E>
  __aicore__ inline AscendC::LocalTensor<E> CopyIn(Queue &queue, const AscendC::GlobalTensor<E> &gm) {
    auto copied = queue.template AllocTensor<E>();
    if constexpr (ROWS) {
      CopyRowsIn(copied, row_pitch_, gm, outer_ * shape_.length + begin_, shape_.length, slices_, positions_);
    } else {
      for (uint32_t s = 0; s < slices_; ++s) {
        CopyRowsIn(copied[s * (width_ / slices_)], width_, gm, GmOffset(s), shape_.inner, positions_,
                   columns_);
      }
    }
    queue.EnQue(copied);
    return queue.template DeQue<E>();
  }

  // Rows as positions, up to a whole transposition where elements have the size of C.
  template <typename E>
  __aicore__ inline void ToSlots(const AscendC::LocalTensor<E> &slots, const AscendC::LocalTensor<E> &rows) {
    for (uint32_t lane = 0; lane < width_; lane += kLanes) {
      RowsToSlots(slots[lane], width_, rows[lane * row_pitch_], row_pitch_, Rest(slices_ - lane, kLanes),
                  positions_);
    }
    if constexpr (sizeof(E) == sizeof(C)) {
      Clear(slots, RoundUp(positions_, kBlockBytes / sizeof(E)) * width_, Elements());
    }
  }

  // The tile in hand as positions; `work` takes it where it is not computed on as it was copied.
  __aicore__ inline AscendC::LocalTensor<C> Load(const AscendC::LocalTensor<C> &work) {
    auto copied = CopyIn(in_queue_, in_gm_);
    if constexpr (kDirect) {
      return copied;
    } else {
      if constexpr (!ROWS) {
        AscendC::Cast(work, copied, AscendC::RoundMode::CAST_NONE, Elements());
      } else if constexpr (std::is_same_v<T, C>) {
        ToSlots(work, copied);
      } else {
        auto slots = staging_.template Get<T>();
        ToSlots(slots, copied);
        AscendC::Cast(work, slots, AscendC::RoundMode::CAST_NONE, Elements());
      }
      in_queue_.FreeTensor(copied);
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

  // Each position of `to` is the best of that of `from` and all before it.
  template <typename Best, typename E>
  __aicore__ inline void Scan(const AscendC::LocalTensor<E> &to, const AscendC::LocalTensor<E> &from,
                              const AscendC::LocalTensor<E> &carry) {
    uint32_t at = reverse_ ? (positions_ - 1) * width_ : 0;
    Best::Apply(to[at], from[at], first_ ? from[at] : carry, width_);
    for (uint32_t i = 1; i < positions_; ++i) {
      const uint32_t before = at;
      at = reverse_ ? at - width_ : at + width_;
      Best::Apply(to[at], from[at], to[before], width_);
    }
    if (!last_) Best::Apply(carry, to[at], to[at], width_);
  }

  __aicore__ inline void CopyOut(const AscendC::LocalTensor<C> &results) {
    if constexpr (kDirect) {
      Store(out_queue_, out_gm_, results, row_pitch_);
    } else {
      auto copied = out_queue_.template AllocTensor<T>();
      if constexpr (!ROWS) {
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
      CopyRowsOut(gm, outer_ * shape_.length + begin_, shape_.length, ready, pitch, slices_, positions_);
    } else {
      for (uint32_t s = 0; s < slices_; ++s) {
        CopyRowsOut(gm, GmOffset(s), shape_.inner, ready[s * (width_ / slices_)], width_, positions_,
                    columns_);
      }
    }
    queue.FreeTensor(ready);
  }

  // Elements [begin, end), for whole-repeat or whole-transposition instructions that read beyond results.
  template <typename E>
  __aicore__ inline void Clear(const AscendC::LocalTensor<E> &tile, uint32_t begin, uint32_t end) {
    if (begin < end) AscendC::Duplicate(tile[begin], E(0), end - begin);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> carry_, staging_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  uint32_t tile_elements_, most_width_, row_pitch_;
  // The tile in hand: slices, elements of each, positions; elements of a position in UB.
  int64_t outer_, column_, begin_;
  uint32_t slices_, columns_, positions_, width_;
  bool first_, last_, reverse_;

 private:
  struct ScanShape {
    int64_t outer, length, inner, outer_tiles, column_tiles;
    uint32_t tile_outer, tile_columns, tile_length;
  };

  static __aicore__ inline uint32_t Width(uint32_t slices, uint32_t columns) {
    constexpr uint32_t kBlock = kBlockBytes / sizeof(T);
    return ROWS ? RoundUp(slices, kLanes) : slices * RoundUp(columns, kBlock);
  }
  __aicore__ inline int64_t GmOffset(uint32_t slice) const {
    return ((outer_ + slice) * shape_.length + begin_) * shape_.inner + column_;
  }

  ScanShape shape_;
};

}  // namespace avo
