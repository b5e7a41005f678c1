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
// (op_kernel/regions/roi_regions.h).
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
