// SPDX-License-Identifier: Apache-2.0
// What the helpers of RoIAlign and of its gradient put into the Unified Buffer.
#pragma once

#include "../common/memory/buffers.h"
#include "../common/sampling/bilinear_rows_buffers.h"

namespace avo {

// Buffers of RoiRegions (roi_regions.h). Regions come in tiles of kTile.
struct RoiRegionsBuffers {
  Buffer rois;          // queue of rows (index, x1, y1, x2, y2), also of costs
  Buffer values;        // float32, the rows
  Buffer indices;       // queue of int32, batch_indices
  Buffer index_values;  // float32, the same
  Buffer costs;         // queue of float32, a cost for each region
  Buffer sums;          // queue of float32, a data block for each core

  static constexpr uint64_t kTile = 64;     // regions in UB at once
  static constexpr uint64_t kMostStep = 5;  // elements of a row of rois at most

  // cores: of the launch.
  explicit __aicore__ RoiRegionsBuffers(uint64_t cores)
      : rois{1, kTile * kMostStep * 4},
        values{1, kTile * kMostStep * 4},
        indices{1, kTile * 4},
        index_values{1, kTile * 4},
        costs{1, kTile * 4},
        sums{1, cores * 32} {}
};

// Buffers of RoiExtents (roi_extents.h). An extent is kFields numbers in float32.
struct RoiExtentsBuffers {
  RoiRegionsBuffers regions;
  Buffer in;        // queue, the extents of kExtents regions
  Buffer out;       // queue, the extents of kTile regions
  Buffer extents;   // the extents that are compared
  Buffer numbers;   // float32: 0, 1, 2, …
  Buffer touching;  // float32, the numbers of regions that were found
  Buffer masks;     // two masks, a bit for each extent

  static constexpr uint64_t kFields = 5;
  static constexpr uint64_t kExtents = 512;  // regions that are compared at once

  explicit __aicore__ RoiExtentsBuffers(uint64_t cores)
      : regions(cores),
        in{1, kFields * kExtents * 4},
        out{1, kFields * RoiRegionsBuffers::kTile * 4},
        extents{1, kFields * kExtents * 4},
        numbers{1, kExtents * 4},
        touching{1, kExtents * 4},
        masks{1, 2 * kExtents / 8} {}
};

// Buffers of RoiSamples (roi_samples.h).
struct RoiSamplesBuffers {
  Buffer tables;  // float32, [kTables][located]
  BilinearRowsBuffers rows;

  static constexpr uint64_t kTables = 7;

  // located: positions that are computed at once; batch: samples in UB at once, 0 where only positions are
  // needed; chunk: channels in UB at once; item: bytes of an element.
  __aicore__ RoiSamplesBuffers(uint64_t located, uint64_t batch, uint64_t chunk, uint64_t item)
      : tables{1, kTables * located * 4}, rows(located, batch, chunk, item) {}
};

// Buffers of FiniteTotal (finite_total.h).
struct FiniteTotalBuffers {
  Buffer total;  // float32, kTotal elements

  static constexpr uint64_t kTotal = 64;

  __aicore__ FiniteTotalBuffers() : total{1, kTotal * 4} {}
};

// Buffers of RoiSums (roi_sums.h).
struct RoiSumsBuffers {
  Buffer means;  // float32, the means of bins, and then the sums of a row of bins: [bins + slots][chunk]
  FiniteTotalBuffers total;
  Buffer pixels;  // queue of pixels as they are loaded, [pixels][chunk]
  Buffer wide;    // float32, the same; half types alone

  static constexpr uint64_t kMostPixels = 128;   // that are loaded at once
  static constexpr uint64_t kMostSlots = 32;     // columns that are added up at once
  static constexpr uint64_t kLeastSlots = 16;    // as many bins are transposed together
  static constexpr uint64_t kMostColumns = 128;  // columns of bins
  static constexpr uint64_t kSkewStep = 64;      // bytes by which a buffer moves to other bank groups
  static constexpr uint64_t kMostSkew = 448;     // bytes

  // bins: whose means are in UB at once; pixels: loaded at once; chunk: channels of each; item: bytes of an
  // element.
  __aicore__ RoiSumsBuffers(uint64_t bins, uint64_t pixels, uint64_t chunk, uint64_t item)
      : means{1, (bins + Slots(pixels)) * chunk * 4 + kMostSkew},
        pixels{2, pixels * chunk * item + kMostSkew},
        wide{item == 4 ? 0u : 1u, pixels * chunk * 4 + kMostSkew} {}

  // Columns that are added up at once, where `pixels` pixels are loaded.
  static __aicore__ uint64_t Slots(uint64_t pixels) { return pixels < kMostSlots ? pixels : kMostSlots; }
};

// Buffers of RoiSpread (roi_spread.h).
struct RoiSpreadBuffers {
  Buffer pixels;  // float32, [columns][chunk]

  static constexpr uint64_t kMostColumns = 128;
  static constexpr uint64_t kMostBins = 8;  // that are spread at once

  // columns: of a band, 0 where nothing is spread; chunk: its channels.
  __aicore__ RoiSpreadBuffers(uint64_t columns, uint64_t chunk)
      : pixels{columns == 0 ? 0u : 1u, columns * chunk * 4 + RoiSumsBuffers::kMostSkew} {}
};

// Buffers of BandSums (band_sums.h).
struct BandSumsBuffers {
  Buffer sums;     // float32, [pixels][chunk]
  Buffer planes;   // queue of results, 16 channels of all pixels
  Buffer rounded;  // the same before they are transposed; half types alone

  // pixels: of a band; chunk: its channels; pitch: elements from plane to plane; item: bytes of an element.
  __aicore__ BandSumsBuffers(uint64_t pixels, uint64_t chunk, uint64_t pitch, uint64_t item)
      : sums{1, Slots(pixels) * chunk * 4},
        planes{2, 16 * pitch * item},
        rounded{item == 4 ? 0u : 1u, Slots(pixels) * 16 * item} {}

  // Pixels, rounded up to what is transposed at once.
  static __aicore__ uint64_t Slots(uint64_t pixels) { return (pixels + 15) / 16 * 16; }
};

}  // namespace avo
