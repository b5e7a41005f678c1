// SPDX-License-Identifier: Apache-2.0
// Corner pooling: a running maximum, memory-bound, without workspace or flips.
//   columns  along H: a step is one maximum between two rows of the map
//   rows     along W: rows as lanes, then the same
#pragma once

#include "common/scan.h"
#include "corner_pool_tiling.h"

template <typename T, uint32_t KEY>
class CornerPool : avo::ScanTiles<T, KEY == 1> {
  using Tiles = avo::ScanTiles<T, KEY == 1>;

 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR, const CornerPoolTiling &tiling,
                              AscendC::TPipe *pipe) {
    this->InitScan(input, out, tiling, tiling.reverse != 0, pipe);
    if constexpr (!Tiles::kDirect) pipe->InitBuffer(work_, this->tile_elements_ * sizeof(C));
  }

  __aicore__ inline void Process() { this->ProcessTiles(*this); }

 private:
  friend Tiles;
  using C = typename Tiles::C;

  __aicore__ inline void Compute() {
    AscendC::LocalTensor<C> work;
    if constexpr (!Tiles::kDirect) work = work_.template Get<C>();
    auto input = this->Load(work);
    auto result = this->Results(work);
    this->template Scan<avo::Larger>(result, input, this->carry_.template Get<C>());
    if constexpr (Tiles::kDirect) this->in_queue_.FreeTensor(input);
    this->CopyOut(result);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> work_;
};
