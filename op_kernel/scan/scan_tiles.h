// SPDX-License-Identifier: Apache-2.0
// Tiles of a scan as keys: what is computed on. A tile takes these ways through UB:
//
//   layout    type            queue → computed on → queue
//   columns   4 bytes         the buffer of the queue itself
//   columns   2 bytes         Cast → work → Cast
//   columns   int64           KeyPlanes → its planes, scan → results → PlaneInterleaver
//   rows      4 bytes         transposition → work → transposition
//   rows      2 bytes         transposition → staging → Cast → work → Cast → staging → transposition
//   rows      int64           KeyPlanes → transposition → work, scan → transposition → PlaneInterleaver
#pragma once

#include "scan_pieces.h"
#include "scan_tiles_buffers.h"

namespace avo {

template <typename T, bool ROWS>
class ScanTiles : protected ScanPieces<T, ROWS> {
 protected:
  using Pieces = ScanPieces<T, ROWS>;
  // Half types are compared as float32, in which no two of their values fall together, int64 as two planes.
  using Key = typename KeyPlanes<T>::Key;
  static constexpr uint32_t kPlanes = KeyPlanes<T>::kPlanes;
  static constexpr bool kDirect = Pieces::kLayout.Direct();
  static constexpr uint32_t kRepeat = ScanLayout::kRepeat;

  template <typename Tiling>
  __aicore__ inline void InitTiles(GM_ADDR in, GM_ADDR out, const Tiling &tiling, bool reverse,
                                   const ScanTilesBuffers &buffers, AscendC::TPipe *pipe) {
    const ScanTileSize size(Pieces::kLayout, tiling);
    this->InitPieces(tiling, size, reverse, pipe);
    most_elements_ = size.elements;
    most_width_ = size.width;
    const int64_t elements = tiling.outer * tiling.length * tiling.inner;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(in), elements);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), elements);
    pipe->InitBuffer(in_queue_, buffers.in.count, buffers.in.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    pipe->InitBuffer(carry_, buffers.carry.bytes);
    if constexpr (kPlanes > 1) {
      const int32_t carries = static_cast<int32_t>(ScanTilesBuffers::CarryKeys(Pieces::kLayout, size));
      AscendC::Duplicate(carry_.template Get<Key>(), Key(0), carries);
      keys_.Init(buffers.keys, this->most_copied_, pipe);
      interleaver_.Init(buffers.table, this->most_copied_, pipe);
      // KeyPlanes reads the gaps between rows too.
      ZeroQueue<T>(in_queue_, 2, this->most_copied_);
    } else if constexpr (kStaged) {
      pipe->InitBuffer(staging_, buffers.staging.bytes);
    }
  }

  // Loads the piece in hand as keys. `work` holds them where they lie neither in the queue's buffer nor in
  // planes.
  __aicore__ inline AscendC::LocalTensor<Key> Load(const AscendC::LocalTensor<Key> &work) {
    auto copied = this->CopyIn(in_queue_, in_gm_);
    if constexpr (kDirect) {
      return copied;
    } else {
      if constexpr (kPlanes > 1) {
        keys_.Load(copied, this->most_copied_);
        if constexpr (ROWS) {
          for (uint32_t p = 0; p < kPlanes; ++p) ToPositions(work[p * most_elements_], keys_.Plane(p));
        }
      } else if constexpr (!ROWS) {
        AscendC::Cast(work, copied, AscendC::RoundMode::CAST_NONE, this->Elements());
      } else if constexpr (kStaged) {
        auto staging = staging_.template Get<T>();
        ToPositions(staging, copied);
        AscendC::Cast(work, staging, AscendC::RoundMode::CAST_NONE, this->Elements());
      } else {
        ToPositions(work, copied);
      }
      in_queue_.FreeTensor(copied);
      if constexpr (kPlanes > 1 && !ROWS) return keys_.Plane(0);
      return work;
    }
  }

  // Returns where results are computed: the buffer that is copied out, or `work`.
  __aicore__ inline AscendC::LocalTensor<Key> Results(const AscendC::LocalTensor<Key> &work) {
    if constexpr (kDirect) {
      return out_queue_.template AllocTensor<T>();
    } else {
      return work;
    }
  }

  // Stores the results of the piece in hand.
  __aicore__ inline void CopyOut(const AscendC::LocalTensor<Key> &results) {
    if constexpr (kDirect) {
      this->Store(out_queue_, out_gm_, results, this->row_pitch_);
    } else {
      auto copied = out_queue_.template AllocTensor<T>();
      if constexpr (kPlanes > 1) {
        auto planes = results;
        if constexpr (ROWS) {
          planes = keys_.Plane(0);
          for (uint32_t p = 0; p < kPlanes; ++p) {
            ToRows(keys_.Plane(p), results[p * most_elements_], this->row_pitch_);
          }
        }
        interleaver_.Interleave(copied, planes, ROWS ? this->Width() * this->row_pitch_ : this->Elements());
      } else if constexpr (!ROWS) {
        AscendC::Cast(copied, results, AscendC::RoundMode::CAST_RINT, this->Elements());
      } else if constexpr (kStaged) {
        auto staging = staging_.template Get<T>();
        AscendC::Cast(staging, results, AscendC::RoundMode::CAST_RINT, this->Elements());
        ToRows(copied, staging, this->row_pitch_);
      } else {
        ToRows(copied, results, this->row_pitch_);
      }
      this->Store(out_queue_, out_gm_, copied, this->row_pitch_);
    }
  }

  // Transposes rows, as they were copied, to positions. Keys are defined up to a whole transposition.
  template <typename E>
  __aicore__ inline void ToPositions(const AscendC::LocalTensor<E> &positions,
                                     const AscendC::LocalTensor<E> &rows) {
    const uint32_t count = this->piece_.positions, width = this->Width();
    RowsToSlots(positions, width, rows, this->row_pitch_, static_cast<uint32_t>(this->tile_.slices), count);
    if constexpr (sizeof(E) == sizeof(Key)) {
      ZeroRange(positions, RoundUp(count, kBlockBytes / sizeof(E)) * width, this->Elements());
    }
  }

  // The way back. pitch: elements from row to row.
  template <typename E>
  __aicore__ inline void ToRows(const AscendC::LocalTensor<E> &rows, const AscendC::LocalTensor<E> &positions,
                                uint32_t pitch) {
    const uint32_t width = this->Width();
    SlotsToRows(rows, pitch, positions, width, width, this->piece_.positions);
  }

  // Zeroes elements [begin, end), for instructions that take whole repeats or transpositions.
  template <typename E>
  __aicore__ inline void ZeroRange(const AscendC::LocalTensor<E> &tile, uint32_t begin, uint32_t end) {
    if (begin < end) AscendC::Duplicate(tile[begin], E(0), end - begin);
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  // For each lane, what the piece before this one ended with; two planes are most_width_ keys apart.
  AscendC::TBuf<AscendC::TPosition::VECCALC> carry_;
  uint32_t most_elements_, most_width_;  // of a tile; two planes of keys are most_elements_ apart

 private:
  static constexpr bool kStaged = ROWS && sizeof(T) == 2;

  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> staging_;
  KeyPlanes<T> keys_;
  PlaneInterleaver interleaver_;
};

}  // namespace avo
