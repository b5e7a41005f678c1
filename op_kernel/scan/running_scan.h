// SPDX-License-Identifier: Apache-2.0
// A scan for the best value so far and, where indices are wanted, for the last index at which it was found.
// Values are scanned first. An element leads where it is equal to the value of its position, or NaN. The
// index is then a running maximum too, over the indices of those that lead:
//
//   input            3  1  4  4  2  5
//   values           3  3  4  4  4  5
//   leads            1  0  1  1  0  1
//   leader numbers   0  .  2  3  .  5      . is the least int32
//   indices          0  0  2  3  3  5
//
// So comparisons work on whole tiles, and a step of either scan is one instruction.
//
// Lines that are cut into parts are read twice. The first pass finds what each part ends with. Then the cores
// meet (part_carries.h). The second pass computes the results, beginning each part with what all parts before
// it end with.
#pragma once

#include "part_carries.h"
#include "scan_tiles.h"

namespace avo {

// I: type of the indices, void where there are none.
template <typename Best, typename T, typename I, bool ROWS>
class RunningScan : ScanTiles<T, ROWS> {
  using Tiles = ScanTiles<T, ROWS>;
  using Pieces = ScanPieces<T, ROWS>;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                              const RunningScanTiling &tiling, AscendC::TPipe *pipe) {
    const bool reverse = tiling.reverse != 0;
    const RunningScanBuffers buffers(tiling, Pieces::kLayout, kIndexed ? sizeof(Index) : 0);
    this->InitTiles(in, values, tiling, reverse, buffers.tiles, pipe);
    this->CutLines(tiling.groups, tiling.partLength);
    run_ = tiling.runLength;
    value_scan_.Init(buffers.value_scan, this->most_elements_, pipe);
    if constexpr (kIndexed) InitIndices(indices, tiling, buffers, pipe);
    if constexpr (kWorks) InitZero(work_, buffers.work, pipe);
    if (tiling.groups > 0) carries_.Init(workspace, tiling, buffers.carries, reverse, pipe);
  }

  __aicore__ inline void Process() {
    if (this->shape_.groups == 0) {
      this->ProcessTiles(*this);
      return;
    }
    const Share share = CoreShare(this->shape_.Tiles());
    AscendC::LocalTensor<int32_t> indices;
    if constexpr (kIndexed) indices = index_carry_.template Get<int32_t>();
    finding_ends_ = true;
    for (int64_t item = share.begin; item < share.end; ++item) {
      SetNextTile(item);
      this->ProcessPieces(*this);
      carries_.Store(value_scan_, item, Carry(), indices, EndKeys());
    }
    WaitForCores();
    finding_ends_ = false;
    for (int64_t item = share.begin; item < share.end; ++item) {
      SetNextTile(item);
      carries_.Load(value_scan_, item, Carry(), indices, EndKeys());
      this->ProcessPieces(*this);
    }
  }

 private:
  friend Pieces;
  using Key = typename Tiles::Key;
  using Tile = PlaneTile<Key>;
  using IndexTile = PlaneTile<int32_t>;
  static constexpr uint32_t kPlanes = Tiles::kPlanes;
  static constexpr bool kIndexed = !std::is_same_v<I, void>;
  using Index = std::conditional_t<kIndexed, I, int32_t>;
  // Whether indices are computed in the buffer that is copied out.
  static constexpr bool kIndexDirect = !ROWS && sizeof(Index) == sizeof(int32_t);
  // Whether the tile that is computed on has a buffer of its own.
  static constexpr bool kWorks = !Tiles::kDirect && (ROWS || kPlanes == 1);

  __aicore__ inline void InitIndices(GM_ADDR indices, const RunningScanTiling &tiling,
                                     const RunningScanBuffers &buffers, AscendC::TPipe *pipe) {
    most_positions_ = tiling.tileLength;
    index_pitch_ = tiling.indexPitch;
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ Index *>(indices),
                              tiling.outer * tiling.length * tiling.inner);
    pipe->InitBuffer(index_queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(index_carry_, buffers.index_carry.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    if constexpr (!ROWS) pipe->InitBuffer(leader_numbers_, buffers.leader_numbers.bytes);
    pipe->InitBuffer(leads_, buffers.leads.bytes);
    pipe->InitBuffer(scratch_bits_, buffers.scratch_bits.bytes);
    // Indices of rows are cast with the gaps between the rows.
    if constexpr (!Tiles::kDirect) InitZero(values_, buffers.values, pipe);
  }

  template <typename TBuffer>
  __aicore__ inline void InitZero(TBuffer &buffer, const Buffer &size, AscendC::TPipe *pipe) {
    pipe->InitBuffer(buffer, size.bytes);
    AscendC::Duplicate(buffer.template Get<Key>(), Key(0), static_cast<int32_t>(size.bytes / sizeof(Key)));
  }

  __aicore__ inline Tile Carry() { return {this->carry_.template Get<Key>(), this->most_width_}; }
  __aicore__ inline IndexTile IndexCarry() { return {index_carry_.template Get<int32_t>(), 0}; }
  // Keys that the end of a part of the tile in hand takes.
  __aicore__ inline uint32_t EndKeys() const { return Pieces::kLayout.EndPitch(this->tile_.columns); }
  // Numbers of parts depend on the tile.
  __aicore__ inline void SetNextTile(int64_t item) {
    this->SetTile(item);
    numbered_width_ = 0;
  }

  __aicore__ inline void Compute() {
    AscendC::LocalTensor<Key> work, found;
    if constexpr (kWorks) work = work_.template Get<Key>();
    if constexpr (kIndexed && !Tiles::kDirect) found = values_.template Get<Key>();
    Tile input{this->Load(work), this->most_elements_};
    Tile values{this->Results(kIndexed ? found : work), this->most_elements_};
    const ScanPath path{this->piece_.positions, this->Width(), run_, this->shape_.reverse};
    if (finding_ends_) {
      FindEnds(input, values, path);
    } else {
      FindResults(input, values, path);
    }
  }

  __aicore__ inline void FindResults(Tile &input, Tile &values, const ScanPath &path) {
    const bool carried = !this->piece_.first || this->shape_.groups > 0;
    const uint32_t end = path.reverse ? 0 : (path.positions - 1) * path.width;
    value_scan_.Scan(values, input, Carry(), carried, path);
    if (!this->piece_.last) value_scan_.Copy(Carry(), values.At(end), path.width);
    if constexpr (kIndexed) MarkTile(input, values);
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(input.data);
    this->CopyOut(values.data);
    if constexpr (kIndexed) {
      const auto leaders = LeaderNumbers();
      const int32_t begin = static_cast<int32_t>(this->piece_.begin);
      auto indices = leaders;
      if constexpr (kIndexDirect) indices = index_queue_.template AllocTensor<int32_t>();
      if (kIndexDirect || begin > 0) {
        AscendC::Adds(indices, leaders, begin, static_cast<int32_t>(this->Elements()));
      }
      const IndexTile tile{indices, 0};
      index_scan_.Scan(tile, tile, IndexCarry(), carried, path);
      if (!this->piece_.last) index_scan_.Copy(IndexCarry(), tile.At(end), path.width);
      CopyIndicesOut(indices);
    }
  }

  // Finds what the parts of the tile end with so far, and puts it into the carries. The elements that lead
  // are those that are equal to the best of their part.
  __aicore__ inline void FindEnds(Tile &input, Tile &values, const ScanPath &path) {
    value_scan_.Reduce(values, input, path);
    if (!this->piece_.first) value_scan_.Join(values, Carry(), path.width);
    value_scan_.Copy(Carry(), values, path.width);
    if constexpr (kIndexed) {
      value_scan_.Broadcast(values, Carry(), path);
      MarkTile(input, values);
      const IndexTile tile{LeaderNumbers(), 0};
      index_scan_.Reduce(tile, tile, path);
      AscendC::Adds(tile.data, tile.data, static_cast<int32_t>(this->piece_.begin),
                    static_cast<int32_t>(path.width));
      if (!this->piece_.first) index_scan_.Join(tile, IndexCarry(), path.width);
      index_scan_.Copy(IndexCarry(), tile, path.width);
    }
    if constexpr (Tiles::kDirect) {
      this->in_queue_.FreeTensor(input.data);
      this->out_queue_.FreeTensor(values.data);
    }
  }

  // Sets leads_: the elements of the piece in hand that lead.
  __aicore__ inline void MarkTile(const Tile &input, const Tile &values) {
    const uint32_t count = this->Elements(), whole = RoundUp(count, Tiles::kRepeat);
    for (uint32_t p = 0; p < kPlanes; ++p) {
      this->ZeroRange(input.Plane(p), count, whole);
      this->ZeroRange(values.Plane(p), this->piece_.positions * this->Width(), whole);
    }
    MarkLeaders(leads_.template Get<uint8_t>(), scratch_bits_.template Get<uint8_t>(), input, values,
                kPlanes > 1, whole);
  }

  // The numbers of the elements that lead, elsewhere the least int32. They count from the begin of the piece.
  __aicore__ inline AscendC::LocalTensor<int32_t> LeaderNumbers() {
    if (numbered_width_ != this->Width()) NumberPositions();
    const auto leaders = ROWS ? work_.template Get<int32_t>() : leader_numbers_.template Get<int32_t>();
    KeepLeaders(leaders, leads_.template Get<uint8_t>(), numbers_.template Get<int32_t>(),
                RoundUp(this->Elements(), Tiles::kRepeat));
    return leaders;
  }

  // Numbers the positions of a tile: position p holds p in all lanes. In lanes of a part it holds p plus the
  // index along the line at which the part begins.
  __aicore__ inline void NumberPositions() {
    const auto numbers = numbers_.template Get<int32_t>();
    const uint32_t width = this->Width();
    const uint32_t positions = ROWS ? RoundUp(most_positions_, kRowPositions) : most_positions_;
    const int32_t lanes = static_cast<int32_t>(width);
    if (this->shape_.groups > 0) {
      FindPartBegins(numbers, lanes);
    } else {
      AscendC::Duplicate(numbers, 0, lanes);
    }
    // The positions so far are followed by as many again.
    for (uint32_t done = 1; done < positions; done *= 2) {
      AscendC::Adds(numbers[done * width], numbers, static_cast<int32_t>(done),
                    static_cast<int32_t>(MinRemaining(positions - done, done) * width));
    }
    this->ZeroRange(numbers, positions * width, RoundUp(positions * width, Tiles::kRepeat));
    numbered_width_ = width;
  }

  // Writes for each lane of a position the index along the line at which its part begins.
  __aicore__ inline void FindPartBegins(const AscendC::LocalTensor<int32_t> &begins, int32_t lanes) {
    const int32_t part = static_cast<int32_t>(this->shape_.slice_length);
    const int32_t axis = static_cast<int32_t>(this->tile_.axis);
    if constexpr (ROWS) {
      AscendC::CreateVecIndex(begins, int32_t{0}, static_cast<uint32_t>(lanes));
      AscendC::Muls(begins, begins, part, lanes);
      AscendC::Adds(begins, begins, axis, lanes);
    } else {
      const uint32_t pitch = this->SlicePitch();
      for (uint32_t s = 0; s < this->tile_.slices; ++s) {
        AscendC::Duplicate(begins[s * pitch], axis + static_cast<int32_t>(s) * part,
                           static_cast<int32_t>(pitch));
      }
    }
  }

  __aicore__ inline void CopyIndicesOut(const AscendC::LocalTensor<int32_t> &indices) {
    if constexpr (kIndexDirect) {
      this->Store(index_queue_, index_gm_, indices, index_pitch_);
    } else {
      auto copied = index_queue_.template AllocTensor<Index>();
      if constexpr (!ROWS) {
        AscendC::Cast(copied, indices, AscendC::RoundMode::CAST_NONE, this->Elements());
      } else if constexpr (sizeof(Index) == sizeof(int32_t)) {
        this->ToRows(copied, indices, index_pitch_);
      } else {
        auto rows = values_.template Get<int32_t>();
        this->ToRows(rows, indices, index_pitch_);
        AscendC::Cast(copied, rows, AscendC::RoundMode::CAST_NONE, this->Width() * index_pitch_);
      }
      this->Store(index_queue_, index_gm_, copied, index_pitch_);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> index_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> index_carry_, numbers_, leader_numbers_, leads_, scratch_bits_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values_, work_;
  AscendC::GlobalTensor<Index> index_gm_;
  BestScan<Best, T> value_scan_;
  BestScan<Larger, int32_t> index_scan_;
  PartCarries<Best, T, ROWS, kIndexed> carries_;
  uint32_t run_, most_positions_ = 0, index_pitch_ = 0;
  uint32_t numbered_width_ = 0;  // the width that numbers_ has been written for; 0: none
  bool finding_ends_ = false;    // in the first of two passes
};

}  // namespace avo
