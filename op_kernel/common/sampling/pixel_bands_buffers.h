// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What PixelTerms puts into the Unified Buffer.
struct PixelTermsBuffers {
  Buffer planes;  // int32 and float32: pixels, then weights, [tap][row]
  Buffer places;  // int32: where the gather that interleaves them reads
  Buffer pairs;   // queue, int32: pixels, then weights, [row][tap]
  Buffer work;    // float32, two planes of rows
  Buffer bits;    // two masks, a bit for each row

  // taps: terms of a row; located: most rows at once, a multiple of 64.
  __aicore__ PixelTermsBuffers(uint64_t taps, uint64_t located)
      : planes{1, 2 * taps * located * 4},
        places{1, taps * located * 4},
        pairs{1, 2 * taps * located * 4},
        work{1, 2 * located * 4},
        bits{1, 2 * MaskBytes(located)} {}

  // Bytes of a mask of a bit for each row, in whole data blocks.
  static __aicore__ uint64_t MaskBytes(uint64_t located) { return (located / 8 + 31) / 32 * 32; }
};

// What PixelBands puts into the Unified Buffer.
struct PixelBandsBuffers {
  static constexpr uint32_t kTerms = 1024;  // terms that are searched at once
  static constexpr uint32_t kHits = 32;     // hits whose rows are loaded together
  static constexpr uint32_t kStored = 64;   // pixels that are stored together

  Buffer terms;    // queue, int32: pixels, then weights
  Buffer numbers;  // int32: 0, 1, 2, …
  Buffer hits;     // int32: the numbers of the terms that lie in the band
  Buffer bits;     // two masks, a bit for each term
  Buffer rows;     // queue of rows of channels, as they are loaded
  Buffer wide;     // float32: these rows, where elements have 2 bytes
  Buffer rounded;  // pixels that are stored, where elements have 2 bytes
  Buffer planes;   // queue of these pixels as they are stored: a row for each channel
  Buffer sums;     // float32, [pixel][channel]

  // Elements from channel to channel of `planes`: an odd number of data blocks, so that the 16 rows of a
  // transposition lie in 16 bank groups.
  static constexpr __aicore__ uint64_t Pitch(uint64_t item) { return kStored + 32 / item; }

  // channels: of a group; pixels: of a band; row_item, item: bytes of an element of a row and of an image.
  __aicore__ PixelBandsBuffers(uint64_t channels, uint64_t pixels, uint64_t row_item, uint64_t item)
      : terms{2, 2 * kTerms * 4},
        numbers{1, kTerms * 4},
        hits{1, kTerms * 4},
        bits{1, 2 * kTerms / 8},
        rows{3, kHits * channels * row_item},
        wide{row_item == 4 ? 0u : 1u, kHits * channels * 4},
        rounded{item == 4 ? 0u : 1u, kStored * channels * item},
        planes{1, channels * Pitch(item) * item},
        sums{1, (pixels + 15) / 16 * 16 * channels * 4} {}
};

}  // namespace avo
