// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roi_buffers.h"

namespace avo {

// What RoiAlign (roi_align.h) takes to store bins: Lanes channels of up to `bins` bins at a time.
struct RoiStoreBuffers {
  Buffer rounded;  // bins as results: [bins][lanes]; half types alone
  Buffer out;      // queue of results, [lanes][pitch]

  static constexpr uint64_t kLeastLanes = 32;
  static constexpr uint64_t kElements = 2048;  // of the results, where this is more

  // chunk: channels of a bin in UB; pitch: elements from channel to channel of its results; item: bytes of an
  // element.
  __aicore__ RoiStoreBuffers(uint64_t bins, uint64_t chunk, uint64_t pitch, uint64_t item)
      : rounded{item == 4 ? 0u : 1u, BandSumsBuffers::Slots(bins) * Lanes(bins, chunk) * item},
        out{2, Lanes(bins, chunk) * pitch * item} {}

  // Channels that are stored at once: more of fewer bins.
  static __aicore__ uint64_t Lanes(uint64_t bins, uint64_t chunk) {
    const uint64_t lanes = kElements / BandSumsBuffers::Slots(bins) / 16 * 16;
    const uint64_t most = lanes < kLeastLanes ? kLeastLanes : lanes;
    return chunk < most ? chunk : most;
  }
};

// What RoiAlign puts into the Unified Buffer while it pools samples. Before that it has RoiSharesBuffers
// and ToChannelsLastBuffers.
struct RoiAlignBuffers {
  RoiSharesBuffers regions;
  RoiSamplesBuffers samples;
  Buffer pixels;  // float32, pooled bins: [bins][chunk]
  RoiStoreBuffers store;

  // cores: of the launch; located, batch, chunk: of RoiSamples; bins: that are written at once; pitch:
  // elements from channel to channel of these bins; item: bytes of an element.
  __aicore__ RoiAlignBuffers(uint64_t cores, uint64_t located, uint64_t batch, uint64_t chunk, uint64_t bins,
                             uint64_t pitch, uint64_t item)
      : regions(cores),
        samples(located, batch, chunk, item),
        pixels{1, BandSumsBuffers::Slots(bins) * chunk * 4},
        store(bins, chunk, pitch, item) {}
};

// What it has instead while it adds up rows and columns.
struct RoiAlignSumsBuffers {
  RoiSharesBuffers regions;
  RoiSumsBuffers sums;
  RoiStoreBuffers store;

  // rows, columns, bin, slots, chunk: of RoiSums; the others as above.
  __aicore__ RoiAlignSumsBuffers(uint64_t cores, uint64_t rows, uint64_t columns, uint64_t bin,
                                 uint64_t slots, uint64_t chunk, uint64_t pitch, uint64_t item)
      : regions(cores),
        sums(rows, columns, bin, slots, chunk, item),
        store(rows * columns, chunk, pitch, item) {}
};

// What RoiAlignBackward (roi_align_backward.h) puts into the Unified Buffer while it adds up bands. Before
// that it has RoiExtentsBuffers alone, and then ToChannelsLastBuffers alone, once or twice.
struct RoiAlignBackwardBuffers {
  RoiTouchingBuffers regions;
  RoiSamplesBuffers samples;
  Buffer best;  // float32, four rows of channels, of the maxima alone
  Buffer hits;  // a mask with a bit for each channel, of the maxima alone
  BandSumsBuffers band;
  RoiSpreadBuffers spread;
  FiniteTotalBuffers total;
  RoiGradientsBuffers grads;

  // batch: samples in UB at once, 0 in mode avg; bins: whose gradients are in UB at once; rows, columns: of a
  // band; pitch: elements from plane to plane of a band; the others as above.
  __aicore__ RoiAlignBackwardBuffers(uint64_t located, uint64_t batch, uint64_t chunk, uint64_t bins,
                                     uint64_t rows, uint64_t columns, uint64_t pitch, uint64_t item)
      : samples(located, batch, chunk, item),
        best{batch == 0 ? 0u : 1u, 4 * Lanes(chunk) * 4},
        hits{batch == 0 ? 0u : 1u, (Lanes(chunk) / 8 + 31) / 32 * 32},
        band(rows, columns, chunk, pitch, item),
        spread(batch == 0 ? rows : 0, bins, chunk),
        grads(bins, chunk, item) {}

  // Channels, rounded up to a repeat.
  static __aicore__ uint64_t Lanes(uint64_t chunk) { return (chunk + 63) / 64 * 64; }
};

}  // namespace avo
