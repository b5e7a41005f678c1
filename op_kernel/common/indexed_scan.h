// SPDX-License-Identifier: Apache-2.0
// A scan for the best value so far and the latest index it was found at. The values are scanned first; an
// element then leads where it equals the value of its place, or is NaN, and the index is the running maximum
// over the places that lead. So comparisons work on whole tiles, and a step is one instruction for either.
#pragma once

#include "scan.h"

namespace avo {

template <typename Best, typename T, typename I, bool ROWS>
class IndexedScan : ScanTiles<T, ROWS> {
  using Tiles = ScanTiles<T, ROWS>;

 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR values, GM_ADDR indices, GM_ADDR, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitScan(in, values, tiling, false, pipe);
    const uint32_t tile = this->tile_elements_;
    tile_length_ = tiling.tileLength;
    index_pitch_ = tiling.indexPitch;
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices),
                              tiling.outer * tiling.length * tiling.inner);
    const uint32_t copied = ROWS ? this->most_width_ * index_pitch_ : tile;
    pipe->InitBuffer(index_queue_, 2, copied * sizeof(I));
    pipe->InitBuffer(index_carry_, this->most_width_ * sizeof(int32_t));
    pipe->InitBuffer(places_, tile * sizeof(float));
    pipe->InitBuffer(leading_, tile * sizeof(float));
    pipe->InitBuffer(hits_, tile / 8);
    pipe->InitBuffer(numbers_, tile / 8);
    if constexpr (!Tiles::kDirect) {
      const uint32_t work = copied > tile ? copied : tile;
      pipe->InitBuffer(values_, tile * sizeof(C));
      pipe->InitBuffer(work_, work * sizeof(C));
      // Indices as rows are cast with the gaps between them.
      AscendC::Duplicate(work_.template Get<C>(), C(0), work);
    }
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Tiles;
  using C = typename Tiles::C;
  static constexpr bool kIndexDirect = !ROWS && sizeof(I) == sizeof(int32_t);

  __aicore__ inline void Compute() {
    AscendC::LocalTensor<C> work, values;
    if constexpr (!Tiles::kDirect) {
      work = work_.template Get<C>();
      values = values_.template Get<C>();
    }
    auto input = this->Load(work);
    values = this->Results(values);
    this->template Scan<Best>(values, input, this->carry_.template Get<C>());

    // Which elements lead, and the places of those.
    const uint32_t count = this->Elements(), whole = RoundUp(count, Tiles::kRepeat);
    this->Clear(input, count, whole);
    this->Clear(values, this->positions_ * this->width_, whole);
    if (places_of_ != this->width_) NumberPlaces();
    auto hits = hits_.template Get<uint8_t>();
    AscendC::Compare(hits, input, values, AscendC::CMPMODE::EQ, whole);
    if constexpr (std::is_same_v<C, float>) {
      auto nans = numbers_.template Get<uint16_t>();
      AscendC::Compare(numbers_.template Get<uint8_t>(), input, input, AscendC::CMPMODE::EQ, whole);
      AscendC::Not(nans, nans, whole / 16);
      AscendC::Or(hits_.template Get<uint16_t>(), hits_.template Get<uint16_t>(), nans, whole / 16);
    }
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(input);
    this->CopyOut(values);

    // Elsewhere the least int32, which stays below 0 whatever the stretch's begin adds.
    constexpr float kNone = -2147483648.0f;
    auto leading = leading_.template Get<float>();
    AscendC::Select(leading, hits, places_.template Get<float>(), kNone,
                    AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
    AscendC::LocalTensor<int32_t> indices;
    if constexpr (kIndexDirect) {
      indices = index_queue_.template AllocTensor<int32_t>();
    } else {
      indices = leading_.template Get<int32_t>();
    }
    AscendC::Cast(indices, leading, AscendC::RoundMode::CAST_RINT, count);
    if (this->begin_ > 0) AscendC::Adds(indices, indices, static_cast<int32_t>(this->begin_), count);
    this->template Scan<Larger>(indices, indices, index_carry_.template Get<int32_t>());
    CopyIndicesOut(indices, count);
  }

  // Position p of a tile holds p.
  __aicore__ inline void NumberPlaces() {
    auto places = places_.template Get<float>();
    const uint32_t width = this->width_;
    const uint32_t positions = ROWS ? RoundUp(tile_length_, kRowPositions) : tile_length_;
    for (uint32_t p = 0; p < positions; ++p) {
      AscendC::Duplicate(places[p * width], static_cast<float>(static_cast<int32_t>(p)), width);
    }
    this->Clear(places, positions * width, RoundUp(positions * width, Tiles::kRepeat));
    places_of_ = width;
  }

  __aicore__ inline void CopyIndicesOut(const AscendC::LocalTensor<int32_t> &indices, uint32_t count) {
    if constexpr (kIndexDirect) {
      this->Store(index_queue_, index_gm_, indices, index_pitch_);
    } else {
      auto copied = index_queue_.template AllocTensor<I>();
      if constexpr (!ROWS) {
        AscendC::Cast(copied, indices, AscendC::RoundMode::CAST_NONE, count);
      } else if constexpr (sizeof(I) == sizeof(int32_t)) {
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
  AscendC::TBuf<AscendC::TPosition::VECCALC> index_carry_, places_, leading_, hits_, numbers_, values_, work_;
  AscendC::GlobalTensor<I> index_gm_;
  uint32_t tile_length_, index_pitch_;
  uint32_t places_of_ = 0;  // the width that places are numbered for
};

}  // namespace avo
