// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roi_align_buffers.h"

// The channels-last copy of the feature maps (op_kernel/common/copies/channels_last.h), the regions, and what
// lies in UB at once.
struct RoiAlignTiling {
  int64_t images;         // N
  int64_t channels;       // C
  int64_t height;         // H
  int64_t width;          // W
  uint32_t pixel;         // elements of a pixel in the workspace: C, rounded up to 16
  uint32_t taps;          // 2: a sample reads 2 x 2 pixels
  uint32_t tileChannels;  // channels of a tile that is transposed
  uint32_t tileRows;      // rows of such a tile
  uint32_t tileColumns;   // columns of such a tile
  uint32_t tilePitch;     // elements between its planes in UB
  int64_t rois;           // K
  uint32_t roiStep;       // elements of a row of rois: 5, or 4 beside batch_indices
  uint32_t outHeight;     // output_height
  uint32_t outWidth;      // output_width
  int64_t samplingRatio;  // sampling_ratio; 0 for a number of samples that follows the size of the region
  float scale;            // spatial_scale
  uint32_t aligned;       // 1: coordinates are those of centres of pixels
  uint32_t mode;          // 0 avg, 1 max, 2 onnx_max
  uint32_t chunk;         // channels of a sample in UB at once
  uint32_t batch;         // samples in UB at once
  uint32_t located;       // samples whose positions are computed at once
  uint32_t outBins;       // bins that are written at once
  uint32_t outPitch;      // elements between the channels of these bins in UB
  uint32_t sumSlots;      // columns that are added up at once, and pixels that are loaded at once
  uint32_t sumRows;       // rows of bins that are added up and written at once
  uint32_t sumChunk;      // channels of these in UB at once
  uint32_t sumBin;        // elements from bin to bin of these in UB
  uint32_t sumPitch;      // elements between the channels of these bins in UB
  uint32_t whole;         // 1: cores may get whole regions (roi_runs.h)
  int64_t costs;          // offset in the workspace of the costs of regions, in bytes
};
