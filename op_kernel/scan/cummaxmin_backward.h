// SPDX-License-Identifier: Apache-2.0
// Gradient of cummax and cummin: sums between leaders, memory-bound, without workspace or scattering.
//   columns  along any dimension but the last
//   rows     along the last one: rows as lanes, then the same
#pragma once

#include "cummaxmin_backward_tiling.h"
#include "leader_gradients.h"

template <typename T, typename I, uint32_t KEY>
class CummaxminBackward : avo::LeaderGradients<T, KEY == 1> {
  using Gradients = avo::LeaderGradients<T, KEY == 1>;
  using Tiles = avo::ScanTiles<T, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR grad_values, GM_ADDR indices, GM_ADDR out, GM_ADDR,
                              const CummaxminBackwardTiling &tiling, AscendC::TPipe *pipe) {
    this->InitGradients(grad_values, out, tiling, false, pipe);
    tile_length_ = tiling.tileLength;
    indices_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices),
                                tiling.outer * tiling.length * tiling.inner);
    pipe->InitBuffer(indices_queue_, 2, this->copied_ * sizeof(I));
    avo::ZeroQueue<I>(indices_queue_, 2, this->copied_);
    pipe->InitBuffer(places_, this->tile_elements_ * sizeof(int32_t));
    if constexpr (!kDirect) pipe->InitBuffer(narrow_, this->copied_ * sizeof(int32_t));
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Tiles;
  static constexpr bool kDirect = sizeof(I) == sizeof(int32_t);

  __aicore__ inline void Compute() {
    auto copied = this->CopyIn(indices_queue_, indices_gm_);
    AscendC::LocalTensor<int32_t> indices;
    if constexpr (kDirect) {
      indices = copied;
    } else {
      indices = narrow_.template Get<int32_t>();
      AscendC::Cast(indices, copied, AscendC::RoundMode::CAST_NONE, this->copied_);
    }
    const auto following = this->Following(), places = places_.template Get<int32_t>();
    if constexpr (KEY == 1) {
      this->ToSlots(following, indices);
      indices = following;
    }
    if (places_of_ != this->width_) NumberPlaces();
    // An index below the own place leaves a sign to be spread.
    const uint32_t count = this->positions_ * this->width_;
    AscendC::Sub(following, indices, places, count);
    if (this->begin_ > 0) AscendC::Adds(following, following, -static_cast<int32_t>(this->begin_), count);
    AscendC::ShiftRight(following, following, 31, count);
    indices_queue_.FreeTensor(copied);
    this->Sum();
  }

  // Position p of a tile holds p.
  __aicore__ inline void NumberPlaces() {
    for (uint32_t p = 0; p < tile_length_; ++p) {
      AscendC::Duplicate(places_.template Get<int32_t>()[p * this->width_], static_cast<int32_t>(p),
                         this->width_);
    }
    places_of_ = this->width_;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> indices_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> places_, narrow_;
  AscendC::GlobalTensor<I> indices_gm_;
  uint32_t tile_length_;
  uint32_t places_of_ = 0;  // the width that places are numbered for
};
