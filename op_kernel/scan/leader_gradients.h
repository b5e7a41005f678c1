// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme: an element that leads receives the gradients of the places it leads, which
// follow it up to the next leader. So gradients are summed against the scan, and a leader takes the sum.
// Which elements lead comes as masks of 32 bits, so that no product makes NaN of an infinite gradient.
#pragma once

#include "scan.h"

namespace avo {

template <typename T, bool ROWS>
class LeaderGradients : protected ScanTiles<T, ROWS> {
 protected:
  using Tiles = ScanTiles<T, ROWS>;

  // against: whether the scan ran from the last position to the first, so that sums run from the first.
  template <typename Tiling>
  __aicore__ inline void InitGradients(GM_ADDR grad, GM_ADDR out, const Tiling &tiling, bool against,
                                       AscendC::TPipe *pipe) {
    this->InitScan(grad, out, tiling, !against, pipe);
    pipe->InitBuffer(following_, this->tile_elements_ * sizeof(int32_t));
    if constexpr (!Tiles::kDirect) pipe->InitBuffer(work_, this->tile_elements_ * sizeof(float));
  }

  // Masks of the tile in hand, all ones where an element follows another one.
  __aicore__ inline AscendC::LocalTensor<int32_t> Following() { return following_.template Get<int32_t>(); }

  // Sums the gradients of the tile in hand, by its masks, and stores them.
  __aicore__ inline void Sum() {
    AscendC::LocalTensor<float> work;
    if constexpr (!Tiles::kDirect) work = work_.template Get<float>();
    auto grads = this->Load(work);
    const auto sums = this->Results(work);
    const auto carry = this->carry_.template Get<float>();
    const uint32_t width = this->width_, count = this->positions_ * width;
    if (this->first_) AscendC::Duplicate(carry, 0.0f, width);
    for (uint32_t i = 0; i < this->positions_; ++i) {
      const uint32_t at = (this->reverse_ ? this->positions_ - 1 - i : i) * width;
      AscendC::Add(sums[at], grads[at], carry, width);
      Keep(carry, sums[at], Following()[at], width);
    }
    const auto leads = Following().template ReinterpretCast<uint16_t>();
    AscendC::Not(leads, leads, 2 * count);
    Keep(sums, sums, Following(), count);
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(grads);
    this->CopyOut(sums);
  }

 private:
  static __aicore__ inline void Keep(const AscendC::LocalTensor<float> &to,
                                     const AscendC::LocalTensor<float> &from,
                                     const AscendC::LocalTensor<int32_t> &mask, uint32_t count) {
    AscendC::And(to.template ReinterpretCast<uint16_t>(), from.template ReinterpretCast<uint16_t>(),
                 mask.template ReinterpretCast<uint16_t>(), static_cast<int32_t>(2 * count));
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> following_, work_;
};

}  // namespace avo
