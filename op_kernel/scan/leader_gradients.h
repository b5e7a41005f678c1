// SPDX-License-Identifier: Apache-2.0
// Gradients of a running extreme. An element that leads is the result of its own position and of those behind
// it, up to the next element that leads. It receives the gradients of all of them. So gradients are summed
// against the direction of the scan. Where an element leads, it takes the sum, and a new sum begins:
//
//   values      3  3  4  4  4  5        scanned from left to right
//   leads       1  0  1  0  0  1
//   gradients   a  b  c  d  e  f
//   sums        a+b   c+d+e    f        summed from right to left; the others receive 0
//
// Masks of 32 bits say which elements follow a leader. They are applied by And, because a product would make
// NaN of an infinite gradient and 0.
#pragma once

#include "leader_gradients_buffers.h"
#include "scan_tiles.h"

namespace avo {

template <typename T, bool ROWS>
class LeaderGradients : protected ScanTiles<T, ROWS> {
 protected:
  using Tiles = ScanTiles<T, ROWS>;

  // The scan went from the last position to the first where tiling.reverse, so that sums go from the first.
  template <typename Tiling>
  __aicore__ inline void InitGradients(GM_ADDR grad, GM_ADDR out, const Tiling &tiling,
                                       const LeaderGradientsBuffers &buffers, AscendC::TPipe *pipe) {
    this->InitTiles(grad, out, tiling, tiling.reverse == 0, buffers.tiles, pipe);
    pipe->InitBuffer(following_, buffers.following.bytes);
    if constexpr (!Tiles::kDirect) pipe->InitBuffer(work_, buffers.work.bytes);
  }

  // Masks of the piece in hand: all ones where an element follows a leader, 0 where it leads.
  __aicore__ inline AscendC::LocalTensor<int32_t> Following() { return following_.template Get<int32_t>(); }

  // Sums the gradients of the piece in hand by its masks, and stores the sums. Inverts the masks.
  __aicore__ inline void Sum() {
    AscendC::LocalTensor<float> work;
    if constexpr (!Tiles::kDirect) work = work_.template Get<float>();
    auto grads = this->Load(work);
    const auto sums = this->Results(work);
    const auto carry = this->carry_.template Get<float>();
    const uint32_t positions = this->piece_.positions, width = this->Width(), count = positions * width;
    if (this->piece_.first) AscendC::Duplicate(carry, 0.0f, width);
    for (uint32_t i = 0; i < positions; ++i) {
      const uint32_t at = (this->shape_.reverse ? positions - 1 - i : i) * width;
      AscendC::Add(sums[at], grads[at], carry, width);
      ApplyMask(carry, sums[at], Following()[at], width);
    }
    const auto leads = Following().template ReinterpretCast<uint16_t>();
    AscendC::Not(leads, leads, 2 * count);
    ApplyMask(sums, sums, Following(), count);
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(grads);
    this->CopyOut(sums);
  }

 private:
  // Copies elements whose mask is all ones; the others become 0.
  static __aicore__ inline void ApplyMask(const AscendC::LocalTensor<float> &to,
                                          const AscendC::LocalTensor<float> &from,
                                          const AscendC::LocalTensor<int32_t> &mask, uint32_t count) {
    AscendC::And(to.template ReinterpretCast<uint16_t>(), from.template ReinterpretCast<uint16_t>(),
                 mask.template ReinterpretCast<uint16_t>(), static_cast<int32_t>(2 * count));
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> following_, work_;
};

}  // namespace avo
