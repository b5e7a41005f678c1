// SPDX-License-Identifier: Apache-2.0
// The terms of the gradient of images that a grid sampled (pixel_terms.h): the gradient of each sample goes
// to the neighbours that it was read from, as the rules of padding moved them.
#pragma once

#include "../common/sampling/pixel_terms.h"
#include "grid_boxes.h"

namespace avo {

template <typename T>
class GridTerms : GridTiles<T, false> {
 public:
  // lists: what PixelTerms stores. Takes GridTermsBuffers of the Unified Buffer.
  __aicore__ inline void Init(GM_ADDR grid, GM_ADDR lists, const GridTiling &tiling,
                              const PixelBandsTiling &bands, AscendC::TPipe *pipe) {
    this->InitTiles(grid, tiling, pipe);
    terms_.Init(lists, bands, pipe);
  }

  // Lists this core's share of the terms.
  __aicore__ inline void Process() {
    const auto &t = this->t_;
    const Share share = CoreShare(t.images * t.columnTiles);
    for (int64_t tile = share.begin; tile < share.end; ++tile) {
      this->SetTile(tile);
      this->Locate();
      ListTile();
    }
  }

 private:
  __aicore__ inline void ListTile() {
    const auto &t = this->t_;
    const auto &tile = this->tile_;
    if (t.taps > 1) {
      this->taps_.FillWeights(terms_.Weight(0), tile.whole);
    } else {
      AscendC::Duplicate(terms_.Weight(0), 1.0f, tile.whole);
    }
    for (uint32_t i = 0; i < t.taps * t.taps; ++i) {
      terms_.SetPixels(i, this->taps_.Index(kAxisY, i / t.taps), 0.0f, this->taps_.Index(kAxisX, i % t.taps),
                       0.0f, tile.whole);
    }
    terms_.Store(tile.image, this->TileStart(), tile.count, 1, 0, tile.whole);
  }

  PixelTerms terms_;
};

}  // namespace avo
