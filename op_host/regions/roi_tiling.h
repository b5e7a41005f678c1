// SPDX-License-Identifier: Apache-2.0
// What the tilings of RoIAlign and its gradient share: the regions of a call, and their costs in the
// workspace.
#pragma once

#include <limits>
#include <stdexcept>
#include <string>

#include "op_host/common/tiling/channels_last.h"

namespace avo {

constexpr int64_t kRoiTaps = 2;         // pixels that a sample reads along each axis
constexpr int64_t kRoiAlignment = 512;  // bytes, of what follows the images in the workspace

// Bytes of workspace for the cost of each region, and for the sum of the costs that each core has written
// (op_kernel/regions/roi_shares.h).
inline uint64_t RoiCostBytes(int64_t rois, uint32_t cores) {
  return static_cast<uint64_t>(AlignUp<int64_t>(rois * 4, kRoiAlignment)) + uint64_t{cores} * 32;
}

// Elements from one row of positions to the next in UB: an odd number of data blocks, so that the 16 rows of
// a transposition lie in different bank groups. `item` is the bytes of an element.
inline int64_t RoiPitch(int64_t positions, int64_t item) {
  constexpr int64_t kLanes = 16;
  const int64_t block = 32 / item;
  return (CeilDiv(AlignUp(positions, kLanes), block) | 1) * block;
}

// Gives the tiles of a channels-last copy fewer rows where the copy is then modelled to end sooner: all cores
// are busy equally long, and rows of a tile that begin inside a sector of the L2 and end in the next line
// move one line more.
template <typename Tiling>
void BalanceTiles(int64_t item, const Platform &platform, Tiling *tiling) {
  constexpr int64_t kSector = 128, kLine = 512;          // bytes
  constexpr double kRowCycles = 8, kBytesPerCycle = 16;  // of a copy, and of HBM for each core
  if (tiling->tileColumns < tiling->width) return;
  const int64_t row = tiling->width * item;
  const bool aligned = row % kSector == 0;
  double least = 0;
  uint32_t best = tiling->tileRows;
  for (uint32_t rows = tiling->tileRows; rows > 0; --rows) {
    const int64_t tiles = tiling->images * CeilDiv<int64_t>(tiling->height, rows) *
                          CeilDiv<int64_t>(tiling->pixel, tiling->tileChannels);
    const auto bytes = static_cast<double>(rows * row);
    const double crossing = aligned ? 0 : std::min(1.0, bytes / kLine) * std::min<double>(bytes, kLine);
    const double cycles = static_cast<double>(CeilDiv<int64_t>(tiles, platform.vector_cores)) *
                          std::max(kRowCycles, (bytes + crossing) / kBytesPerCycle);
    if (rows == tiling->tileRows || cycles < least) {
      least = cycles;
      best = rows;
    }
  }
  tiling->tileRows = best;
}

// Fills the fields of the tiling that describe the regions of a call.
template <typename Tiling>
void SetRegions(const Tensor &rois, int64_t out_height, int64_t out_width, double scale,
                int64_t sampling_ratio, bool aligned, const std::string &mode, Tiling *tiling) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (out_height > kMost / out_width) {
    throw std::invalid_argument("output_height, output_width: expected at most 2^31 - 1 bins, got " +
                                std::to_string(out_height) + " x " + std::to_string(out_width));
  }
  tiling->rois = rois.shape[0];
  tiling->roiStep = static_cast<uint32_t>(rois.shape[1]);
  tiling->outHeight = static_cast<uint32_t>(out_height);
  tiling->outWidth = static_cast<uint32_t>(out_width);
  tiling->samplingRatio = sampling_ratio;
  tiling->scale = static_cast<float>(scale);
  tiling->aligned = aligned ? 1 : 0;
  tiling->mode = mode == "avg" ? 0 : mode == "max" ? 1 : 2;
}

}  // namespace avo
