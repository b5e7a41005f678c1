// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roi_align_buffers.h"

// Channels-last copies of the gradients and, in modes max and onnx_max, of the feature maps
// (op_kernel/common/copies/channels_last.h); the regions; bands of the result that a core owns (band_sums.h).
struct RoiAlignBackwardTiling {
  int64_t images;             // N
  int64_t channels;           // C
  int64_t height;             // H
  int64_t width;              // W
  uint32_t pixel;             // elements of a pixel in the workspace: C, rounded up to 16
  uint32_t taps;              // 2: a sample reads 2 x 2 pixels
  uint32_t tileChannels;      // channels of a tile of feature maps that is transposed
  uint32_t tileRows;          // rows of such a tile
  uint32_t tileColumns;       // columns of such a tile
  uint32_t tilePitch;         // elements between its planes in UB
  uint32_t gradTileChannels;  // channels of a tile of gradients that is transposed
  uint32_t gradTileRows;      // rows of such a tile
  uint32_t gradTileColumns;   // columns of such a tile
  uint32_t gradTilePitch;     // elements between its planes in UB
  int64_t rois;               // K
  uint32_t roiStep;           // elements of a row of rois: 5
  uint32_t outHeight;         // output_height
  uint32_t outWidth;          // output_width
  int64_t samplingRatio;      // sampling_ratio; 0 for a number of samples that follows the size of the region
  float scale;                // spatial_scale
  uint32_t aligned;           // 1: coordinates are those of centres of pixels
  uint32_t mode;              // 0 avg, 1 max, 2 onnx_max
  uint32_t chunk;             // channels in UB at once
  uint32_t batch;             // samples in UB at once; 0 in mode avg
  uint32_t located;           // samples whose positions are computed at once
  uint32_t gradBins;          // bins whose gradients are in UB at once
  uint32_t bandRows;          // rows of a band
  uint32_t bandColumns;       // columns of a band
  uint32_t bandPitch;         // elements between its planes in UB
  int64_t grads;              // offset in the workspace of the copy of the gradients, in bytes
  int64_t costs;              // offset in the workspace of the extents of regions, in bytes
};
