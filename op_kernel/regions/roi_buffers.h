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

  static constexpr uint64_t kTile = 64;     // regions in UB at once
  static constexpr uint64_t kMostStep = 5;  // elements of a row of rois at most

  __aicore__ RoiRegionsBuffers()
      : rois{1, kTile * kMostStep * 4},
        values{1, kTile * kMostStep * 4},
        indices{1, kTile * 4},
        index_values{1, kTile * 4} {}
};

// Buffers of RoiShares (roi_shares.h).
struct RoiSharesBuffers {
  RoiRegionsBuffers regions;
  Buffer costs;  // queue of float32, a cost for each region
  Buffer sums;   // queue of float32, a data block for each core

  // cores: of the launch.
  explicit __aicore__ RoiSharesBuffers(uint64_t cores)
      : costs{1, RoiRegionsBuffers::kTile * 4}, sums{1, cores * 32} {}
};

// Buffers of RoiRuns (roi_runs.h), before all cores meet, beside RoiSharesBuffers.
struct RoiRunsBuffers {
  Buffer tables;  // [kTables][kTile] words
  Buffer mask;    // a bit for each region

  static constexpr uint64_t kTables = 12;
  static constexpr uint64_t kMostRounds = 4;  // whole regions of a core at most

  // whole: 1 where whole regions may be given to cores, else 0.
  explicit __aicore__ RoiRunsBuffers(uint64_t whole)
      : tables{whole == 0 ? 0u : 1u, kTables * RoiRegionsBuffers::kTile * 4},
        mask{whole == 0 ? 0u : 1u, 32} {}
};

// Buffers of RoiExtents (roi_extents.h) while it writes extents. An extent is kFields numbers in float32.
struct RoiExtentsBuffers {
  RoiRegionsBuffers regions;
  Buffer out;  // queue, the extents of kTile regions

  static constexpr uint64_t kFields = 7;

  __aicore__ RoiExtentsBuffers() : out{1, kFields * RoiRegionsBuffers::kTile * 4} {}
};

// What it has instead while it looks for regions.
struct RoiTouchingBuffers {
  Buffer extents;   // queue, the extents of kExtents regions
  Buffer numbers;   // float32: 0, 1, 2, …
  Buffer touching;  // float32, the numbers of regions that were found
  Buffer masks;     // two masks, a bit for each extent

  static constexpr uint64_t kExtents = 512;  // regions that are compared at once

  __aicore__ RoiTouchingBuffers()
      : extents{1, RoiExtentsBuffers::kFields * kExtents * 4},
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

// Elements from row to row of pixels with `chunk` channels in float32: two data blocks more than a multiple
// of 16, so that the same column of eight rows lies in every second bank group.
__aicore__ inline uint64_t SpacedRow(uint64_t pixels, uint64_t chunk) {
  const uint64_t blocks = pixels * chunk / 8;
  return (blocks + (18 - blocks % 16) % 16) * 8;
}

// Buffers of RoiSums (roi_sums.h).
struct RoiSumsBuffers {
  Buffer means;  // float32, the means of bins, and then the sums of rows of bins
  FiniteTotalBuffers total;
  Buffer pixels;  // queue of pixels as they are loaded, [slots][chunk]
  Buffer wide;    // float32, the same; half types alone

  static constexpr uint64_t kMostSlots = 32;     // columns that are added up at once
  static constexpr uint64_t kMostRows = 8;       // rows of bins: a repeat has as many data blocks
  static constexpr uint64_t kMostColumns = 128;  // columns of bins
  static constexpr uint64_t kMostSkew = 512;     // bytes by which a buffer moves to other bank groups

  // rows, columns: of bins whose means are in UB at once; bin: elements from mean to mean; slots: columns
  // that are added up at once, and pixels that are loaded at once; chunk: channels of each; item: bytes of an
  // element.
  __aicore__ RoiSumsBuffers(uint64_t rows, uint64_t columns, uint64_t bin, uint64_t slots, uint64_t chunk,
                            uint64_t item)
      : means{1, (rows * columns * bin + Behind(rows, bin, slots, chunk)) * 4 + kMostSkew},
        pixels{4, slots * chunk * item + kMostSkew},
        wide{item == 4 ? 0u : 1u, slots * chunk * 4 + kMostSkew} {}

 private:
  // Elements behind the means: the sums, and at least 16 bins, as many as are transposed at once.
  static __aicore__ uint64_t Behind(uint64_t rows, uint64_t bin, uint64_t slots, uint64_t chunk) {
    const uint64_t sums = rows * SpacedRow(slots, chunk), read = 16 * bin;
    return sums > read ? sums : read;
  }
};

// Buffers of RoiSpread (roi_spread.h).
struct RoiSpreadBuffers {
  Buffer rows;  // float32, [rows][bins][chunk]

  static constexpr uint64_t kMostColumns = 128;
  static constexpr uint64_t kMostRows = 8;  // of a band
  static constexpr uint64_t kMostBins = 8;  // that are spread at once

  // rows: of a band, 0 where nothing is spread; bins: that are spread at once; chunk: their channels.
  __aicore__ RoiSpreadBuffers(uint64_t rows, uint64_t bins, uint64_t chunk)
      : rows{rows == 0 ? 0u : 1u, rows * SpacedRow(bins, chunk) * 4 + 32} {}
};

// Buffers of RoiGradients (roi_gradients.h).
struct RoiGradientsBuffers {
  Buffer loaded;  // queue of gradients of bins, [bins][chunk]
  Buffer wide;    // float32, the same; half types alone

  // bins: that are loaded at once; chunk: their channels; item: bytes of an element.
  __aicore__ RoiGradientsBuffers(uint64_t bins, uint64_t chunk, uint64_t item)
      : loaded{3, bins * chunk * item}, wide{item == 4 ? 0u : 1u, bins * chunk * 4} {}
};

// Buffers of BandSums (band_sums.h).
struct BandSumsBuffers {
  Buffer sums;     // float32, [pixels][chunk]
  Buffer planes;   // queue of results, 16 channels of all pixels
  Buffer rounded;  // the same before they are transposed; half types alone

  // rows, columns: of a band; chunk: its channels; pitch: elements from plane to plane; item: bytes of an
  // element.
  __aicore__ BandSumsBuffers(uint64_t rows, uint64_t columns, uint64_t chunk, uint64_t pitch, uint64_t item)
      : sums{1, (Spaced(columns) ? rows * SpacedRow(columns, chunk) : Slots(rows * columns) * chunk) * 4},
        planes{2, 16 * pitch * item},
        rounded{item == 4 ? 0u : 1u, Slots(rows * columns) * 16 * item} {}

  // Whether rows of a band are spaced: they are transposed one by one, 16 pixels at a time.
  static __aicore__ bool Spaced(uint64_t columns) { return columns % 16 == 0; }

  // Pixels, rounded up to what is transposed at once.
  static __aicore__ uint64_t Slots(uint64_t pixels) { return (pixels + 15) / 16 * 16; }
};

}  // namespace avo
