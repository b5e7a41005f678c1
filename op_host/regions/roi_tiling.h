// SPDX-License-Identifier: Apache-2.0
// What the tilings of RoiAlign and its gradient share: the regions, and batches of samples that fit.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>

#include "op_host/common/tiling/channels_last.h"

namespace avo {

constexpr int64_t kRoiTaps = 2;
constexpr int64_t kRoiAlignment = 512;  // of what follows the images in the workspace

// The cost of each region and, of each core's share of them, its sum (op_kernel/regions/roi_regions.h).
inline uint64_t RoiCostBytes(int64_t rois, uint32_t cores) {
  return static_cast<uint64_t>(AlignUp<int64_t>(rois * 4, kRoiAlignment)) + uint64_t{cores} * 32;
}

// Unified Buffer of RoiRegions: 64 regions as they are and as float32, their indices and costs, and the sums
// of all cores.
inline int64_t RoiRegionBytes(uint32_t cores) {
  constexpr int64_t kTile = 64;
  return kTile * 4 * (5 + 5 + 3) + int64_t{cores} * 32;
}

template <typename Tiling>
void SetRegions(const Tensor &rois, int64_t out_height, int64_t out_width, double scale,
                int64_t sampling_ratio, bool aligned, const std::string &mode, Tiling *tiling) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (out_height > kMost / out_width) throw std::invalid_argument("a region of more than 2^31 - 1 bins");
  tiling->rois = rois.shape[0];
  tiling->roiStep = static_cast<uint32_t>(rois.shape[1]);
  tiling->outHeight = static_cast<uint32_t>(out_height);
  tiling->outWidth = static_cast<uint32_t>(out_width);
  tiling->samplingRatio = sampling_ratio;
  tiling->scale = static_cast<float>(scale);
  tiling->aligned = aligned ? 1 : 0;
  tiling->mode = mode == "avg" ? 0 : mode == "max" ? 1 : 2;
}

// chunk, batch, located, outBins, outPitch.
template <typename Tiling>
void PlanSamples(int64_t item, const Platform &platform, Tiling *tiling) {
  constexpr int64_t kMostChunk = 1008;  // repeat strides of a pair of pixels below 256 blocks
  constexpr int64_t kMostBatch = 32, kLeastBatch = 8, kLanes = 16, kLeastLocated = 64;
  const int64_t bins = static_cast<int64_t>(tiling->outHeight) * tiling->outWidth, block = 32 / item;
  const auto bytes = [&](int64_t chunk, int64_t batch, int64_t located, int64_t out_bins) {
    const int64_t slots = AlignUp(out_bins, kLanes), pitch = (CeilDiv(slots, block) | 1) * block;
    // Regions and their costs; tables of samples; results, where half types are rounded, and planes.
    return RoiRegionBytes(platform.vector_cores) + 7 * located * 4 +
           BilinearBytes(located, batch, chunk, kRoiTaps, item) + slots * chunk * 4 +
           (item == 4 ? 0 : slots * chunk * item) + chunk * pitch * item;
  };
  const auto fits = [&](int64_t chunk, int64_t batch, int64_t located, int64_t out_bins) {
    return bytes(chunk, batch, located, out_bins) <= static_cast<int64_t>(platform.ub_bytes);
  };
  int64_t chunk = std::min<int64_t>(tiling->pixel, kMostChunk), out_bins = std::min(bins, kLanes);
  int64_t located = 256;
  // All channels of a pixel together, one copy a sample, as long as a batch keeps its size; else pieces.
  while (chunk > kLanes && !fits(chunk, 2 * kLeastBatch, kLeastLocated, out_bins)) {
    chunk = AlignUp(chunk / 2, kLanes);
  }
  while (located > kLeastLocated && !fits(chunk, 2 * kLeastBatch, located, out_bins))
    located -= kLeastLocated;
  int64_t batch = kMostBatch;
  while (batch > kLeastBatch && !fits(chunk, batch, located, out_bins)) batch -= 8;
  if (!fits(chunk, batch, located, out_bins)) {
    throw std::invalid_argument("the Unified Buffer does not hold one batch of samples");
  }
  while (out_bins < bins && fits(chunk, batch, located, std::min(bins, out_bins + kLanes))) {
    out_bins = std::min(bins, out_bins + kLanes);
  }
  const int64_t pitch = (CeilDiv(AlignUp(out_bins, kLanes), block) | 1) * block;
  tiling->chunk = static_cast<uint32_t>(chunk);
  tiling->batch = static_cast<uint32_t>(batch);
  tiling->located = static_cast<uint32_t>(located);
  tiling->outBins = static_cast<uint32_t>(out_bins);
  tiling->outPitch = static_cast<uint32_t>(pitch);
}

// Unified Buffer of RoiExtents beside RoiRegions, and its part of the workspace.
inline int64_t RoiExtentBytes() { return 512 * 4 * (5 + 5 + 2) + 64 * 4 * 5 + 2 * 512 / 8; }
inline uint64_t RoiExtentWorkspace(int64_t rois) {
  return static_cast<uint64_t>(5 * AlignUp<int64_t>(rois, 64) * 4);
}

}  // namespace avo
