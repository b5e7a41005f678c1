// SPDX-License-Identifier: Apache-2.0
// A scan for the best value so far, and the latest index it was found at where there are indices. The values
// are scanned first; an element then leads where it equals the value of its place, or is NaN, and the index
// is the running maximum over the places that lead. So comparisons work on whole tiles, and a step is one
// instruction for either. Lines that are cut into parts are read twice: the first time for what each part
// ends with, the second time for the results, from what all parts before it end with.
#pragma once

#include "part_carries.h"
#include "scan.h"

namespace avo {

// I: type of the indices, void where there are none.
template <typename Best, typename T, typename I, bool ROWS>
class RunningScan : ScanTiles<T, ROWS> {
  using Tiles = ScanTiles<T, ROWS>;

 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                              const Tiling &tiling, AscendC::TPipe *pipe) {
    InitRunning(in, values, indices, workspace, tiling, false, pipe);
  }

  template <typename Tiling>
  __aicore__ inline void InitRunning(GM_ADDR in, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                                     const Tiling &tiling, bool reverse, AscendC::TPipe *pipe) {
    this->InitScan(in, values, tiling, reverse, pipe);
    this->CutLines(tiling.groups, tiling.partLength);
    run_ = tiling.runLength;
    value_scan_.Init(this->tile_elements_, pipe);
    if constexpr (kIndexed) InitIndices(indices, tiling, pipe);
    // Indices as rows are cast with the gaps between them.
    const uint32_t tile = kPlanes * this->tile_elements_;
    if constexpr (kWorks) InitZero(work_, tile > index_copied_ ? tile : index_copied_, pipe);
    if (this->groups_ > 0) {
      const uint32_t unit = ROWS ? Carries::kRowUnit : this->most_width_ / tiling.tileOuter;
      carries_.Init(workspace, tiling, unit, reverse, pipe);
    }
  }

  __aicore__ inline void Process() {
    if (this->groups_ == 0) {
      this->ProcessTiles(*this);
      return;
    }
    const Share share = CoreShare(this->shape_.outer_tiles * this->shape_.column_tiles);
    const auto places = index_carry_.template Get<int32_t>();
    ending_ = true;
    for (int64_t item = share.begin; item < share.end; ++item) {
      TakeTile(item);
      this->ProcessStretches(*this);
      carries_.Store(value_scan_, item, Carry(), places, Unit());
    }
    WaitForCores();
    ending_ = false;
    for (int64_t item = share.begin; item < share.end; ++item) {
      TakeTile(item);
      carries_.Load(value_scan_, item, Carry(), places, Unit());
      this->ProcessStretches(*this);
    }
  }

 private:
  friend Tiles;
  using C = typename Tiles::C;
  using Tile = PlaneTile<C>;
  using IndexTile = PlaneTile<int32_t>;
  static constexpr uint32_t kPlanes = Tiles::kPlanes;
  static constexpr bool kIndexed = !std::is_void_v<I>;
  using Index = std::conditional_t<kIndexed, I, int32_t>;
  static constexpr bool kIndexDirect = !ROWS && sizeof(Index) == sizeof(int32_t);
  // Whether the tile that is computed on has a buffer of its own.
  static constexpr bool kWorks = !Tiles::kDirect && (ROWS || kPlanes == 1);
  using Carries = PartCarries<Best, T, ROWS, kIndexed>;

  template <typename Tiling>
  __aicore__ inline void InitIndices(GM_ADDR indices, const Tiling &tiling, AscendC::TPipe *pipe) {
    const uint32_t tile = this->tile_elements_;
    tile_length_ = tiling.tileLength;
    index_pitch_ = tiling.indexPitch;
    index_copied_ = ROWS ? this->most_width_ * index_pitch_ : tile;
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ Index *>(indices),
                              tiling.outer * tiling.length * tiling.inner);
    pipe->InitBuffer(index_queue_, 2, index_copied_ * sizeof(Index));
    pipe->InitBuffer(index_carry_, this->most_width_ * sizeof(int32_t));
    pipe->InitBuffer(places_, tile * sizeof(int32_t));
    pipe->InitBuffer(leading_, tile * sizeof(int32_t));
    pipe->InitBuffer(hits_, tile / 8);
    pipe->InitBuffer(others_, tile / 8);
    if constexpr (!Tiles::kDirect) InitZero(values_, kPlanes * tile, pipe);
  }

  template <typename Buffer>
  __aicore__ inline void InitZero(Buffer &buffer, uint32_t count, AscendC::TPipe *pipe) {
    pipe->InitBuffer(buffer, count * sizeof(C));
    AscendC::Duplicate(buffer.template Get<C>(), C(0), static_cast<int32_t>(count));
  }

  __aicore__ inline Tile Carry() { return {this->carry_.template Get<C>(), this->most_width_}; }
  __aicore__ inline IndexTile IndexCarry() { return {index_carry_.template Get<int32_t>(), 0}; }
  __aicore__ inline uint32_t Unit() const { return ROWS ? Carries::kRowUnit : this->Piece(); }
  __aicore__ inline void TakeTile(int64_t item) {
    this->SetTile(item);
    places_of_ = 0;
  }

  __aicore__ inline void Compute() {
    AscendC::LocalTensor<C> work, found;
    if constexpr (kWorks) work = work_.template Get<C>();
    if constexpr (kIndexed && !Tiles::kDirect) found = values_.template Get<C>();
    Tile input{this->Load(work), this->tile_elements_};
    Tile values{this->Results(kIndexed ? found : work), this->tile_elements_};
    const ScanPath path{this->positions_, this->width_, run_, this->reverse_};
    if (ending_) {
      FindEnds(input, values, path);
    } else {
      FindResults(input, values, path);
    }
  }

  __aicore__ inline void FindResults(Tile &input, Tile &values, const ScanPath &path) {
    const bool carried = !this->first_ || this->groups_ > 0;
    const uint32_t end = path.reverse ? 0 : (path.positions - 1) * path.width;
    value_scan_.Scan(values, input, Carry(), carried, path);
    if (!this->last_) value_scan_.Copy(Carry(), values.At(end), path.width);
    if constexpr (kIndexed) Mark(input, values);
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(input.data);
    this->CopyOut(values.data);
    if constexpr (kIndexed) {
      const auto leading = KeepPlaces();
      auto indices = leading;
      if constexpr (kIndexDirect) indices = index_queue_.template AllocTensor<int32_t>();
      const int32_t count = static_cast<int32_t>(this->Elements());
      if (kIndexDirect || this->begin_ > 0) {
        AscendC::Adds(indices, leading, static_cast<int32_t>(this->begin_), count);
      }
      const IndexTile tile{indices, 0};
      index_scan_.Scan(tile, tile, IndexCarry(), carried, path);
      if (!this->last_) index_scan_.Copy(IndexCarry(), tile.At(end), path.width);
      CopyIndicesOut(indices);
    }
  }

  // What parts end with so far: the elements that lead are those that are equal to the best of them.
  __aicore__ inline void FindEnds(Tile &input, Tile &values, const ScanPath &path) {
    value_scan_.Reduce(values, input, path);
    if (!this->first_) value_scan_.Join(values, Carry(), path.width);
    value_scan_.Copy(Carry(), values, path.width);
    if constexpr (kIndexed) {
      value_scan_.Spread(values, Carry(), path);
      Mark(input, values);
      const IndexTile tile{KeepPlaces(), 0};
      index_scan_.Reduce(tile, tile, path);
      AscendC::Adds(tile.data, tile.data, static_cast<int32_t>(this->begin_),
                    static_cast<int32_t>(path.width));
      if (!this->first_) index_scan_.Join(tile, IndexCarry(), path.width);
      index_scan_.Copy(IndexCarry(), tile, path.width);
    }
    if constexpr (Tiles::kDirect) {
      this->in_queue_.FreeTensor(input.data);
      this->out_queue_.FreeTensor(values.data);
    }
  }

  // Bits of the elements that lead.
  __aicore__ inline void Mark(const Tile &input, const Tile &values) {
    const uint32_t count = this->Elements(), whole = RoundUp(count, Tiles::kRepeat);
    for (uint32_t p = 0; p < kPlanes; ++p) {
      this->Clear(input.Plane(p), count, whole);
      this->Clear(values.Plane(p), this->positions_ * this->width_, whole);
    }
    MarkLeaders(hits_.template Get<uint8_t>(), others_.template Get<uint8_t>(), input, values, kPlanes > 1,
                whole);
  }

  // Their places in the stretch.
  __aicore__ inline AscendC::LocalTensor<int32_t> KeepPlaces() {
    if (places_of_ != this->width_) NumberPlaces();
    const auto leading = leading_.template Get<int32_t>();
    KeepLeaders(leading, hits_.template Get<uint8_t>(), places_.template Get<int32_t>(),
                RoundUp(this->Elements(), Tiles::kRepeat));
    return leading;
  }

  // Position p of a tile holds p; of parts, p behind the part's begin.
  __aicore__ inline void NumberPlaces() {
    const auto places = places_.template Get<int32_t>();
    const auto begins = leading_.template Get<int32_t>();
    const uint32_t width = this->width_;
    const uint32_t positions = ROWS ? RoundUp(tile_length_, kRowPositions) : tile_length_;
    const int32_t lanes = static_cast<int32_t>(width), part = static_cast<int32_t>(this->part_length_);
    if (this->groups_ > 0) {
      const int32_t axis = static_cast<int32_t>(this->axis_);
      if constexpr (ROWS) {
        AscendC::CreateVecIndex(begins, int32_t{0}, width);
        AscendC::Muls(begins, begins, part, lanes);
        AscendC::Adds(begins, begins, axis, lanes);
      } else {
        const uint32_t piece = this->Piece();
        for (uint32_t s = 0; s < this->slices_; ++s) {
          AscendC::Duplicate(begins[s * piece], axis + static_cast<int32_t>(s) * part,
                             static_cast<int32_t>(piece));
        }
      }
    }
    for (uint32_t p = 0; p < positions; ++p) {
      const int32_t place = static_cast<int32_t>(p);
      if (this->groups_ > 0) {
        AscendC::Adds(places[p * width], begins, place, lanes);
      } else {
        AscendC::Duplicate(places[p * width], place, lanes);
      }
    }
    this->Clear(places, positions * width, RoundUp(positions * width, Tiles::kRepeat));
    places_of_ = width;
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
        auto rows = work_.template Get<int32_t>();
        this->ToRows(rows, indices, index_pitch_);
        AscendC::Cast(copied, rows, AscendC::RoundMode::CAST_NONE, this->width_ * index_pitch_);
      }
      this->Store(index_queue_, index_gm_, copied, index_pitch_);
    }
  }

  AscendC::TQue<AscendC::TPosition::VECOUT, 1> index_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> index_carry_, places_, leading_, hits_, others_, values_, work_;
  AscendC::GlobalTensor<Index> index_gm_;
  BestScan<Best, T> value_scan_;
  BestScan<Larger, int32_t> index_scan_;
  Carries carries_;
  uint32_t run_, tile_length_ = 0, index_pitch_ = 0, index_copied_ = 0;
  uint32_t places_of_ = 0;  // the width that places are numbered for
  bool ending_ = false;     // in the first of two passes
};

}  // namespace avo
