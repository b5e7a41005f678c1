// SPDX-License-Identifier: Apache-2.0
// Tiling of sums of rows over pixels (op_kernel/common/sampling/pixel_bands.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/last_position.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_kernel/common/sampling/pixel_bands_buffers.h"
#include "op_kernel/common/sampling/pixel_bands_tiling.h"

namespace avo {

// Bytes of workspace that the lists of terms take.
inline uint64_t PixelTermBytes(const PixelBandsTiling &t) {
  return (static_cast<uint64_t>(t.images * t.rows) << t.tapBits) * 2 * sizeof(int32_t);
}

// Plans the bands of images of `shape` (N, C, H, W), none of them 0. rows, tapBits and located of `t` are
// set; fills the others. row_item, item: bytes of an element of a row and of an image. Returns the bytes of
// the Unified Buffer that PixelBands takes.
inline uint64_t PlanPixelBands(const Shape &shape, int64_t row_item, int64_t item, const Platform &platform,
                               PixelBandsTiling *t) {
  constexpr int64_t kLanes = 16, kMostChannels = 128, kMostPixels = int64_t{1} << 31;
  // Cycles that a term takes: where it is a hit, and in each band that searches it.
  constexpr double kHit = 23, kSearch = 0.24;
  const int64_t images = shape[0], all = AlignUp(shape[1], kLanes), pixels = shape[2] * shape[3];
  if (pixels >= kMostPixels) {
    throw std::invalid_argument("input: expected images of fewer than " + std::to_string(kMostPixels) +
                                " pixels, got " + std::to_string(shape[2]) + " x " +
                                std::to_string(shape[3]));
  }
  t->images = images, t->channels = shape[1];
  t->height = shape[2], t->width = shape[3];
  t->lastRow = LastPosition(shape[2]), t->lastColumn = LastPosition(shape[3]);
  const auto bytes = [&](int64_t channels, int64_t count) {
    return BytesOf(PixelBandsBuffers(channels, count, row_item, item));
  };
  double best = 0;
  for (int64_t channels = kLanes;; channels = std::min(2 * channels, all)) {
    const int64_t most = kLanes * LargestFit(CeilDiv(pixels, kLanes), platform.ub_bytes,
                                             [&](int64_t n) { return bytes(channels, n * kLanes); });
    if (most > 0) {
      const int64_t groups = CeilDiv(shape[1], channels), fewest = CeilDiv(pixels, most);
      const double cost = static_cast<double>(groups) * (kHit + kSearch * static_cast<double>(fewest));
      if (best == 0 || cost < best) {
        best = cost;
        // As many bands as the busiest core has time for.
        const int64_t rounds = CeilDiv<int64_t>(images * groups * fewest, platform.vector_cores);
        const int64_t bands = std::max(fewest, rounds * platform.vector_cores / (images * groups));
        const int64_t size = AlignUp(CeilDiv(pixels, bands), kLanes);
        t->channelGroups = groups, t->groupChannels = static_cast<uint32_t>(channels);
        t->bands = CeilDiv(pixels, size), t->bandPixels = static_cast<uint32_t>(size);
      }
    }
    if (channels >= std::min(all, kMostChannels)) break;
  }
  if (best == 0) ThrowUbTooSmall(platform, bytes(kLanes, kLanes));
  return bytes(t->groupChannels, t->bandPixels);
}

}  // namespace avo
