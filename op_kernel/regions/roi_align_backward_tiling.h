// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Channels-last copies of gradients and, for the maxima, of feature maps; bands of the result that a core
// owns.
struct RoiAlignBackwardTiling {
  int64_t images;             // N
  int64_t channels;           // C
  int64_t height;             // H
  int64_t width;              // W
  uint32_t pixel;             // elements of a pixel in the workspace
  uint32_t taps;              // 2: a sample reads 2 x 2 pixels
  uint32_t tileChannels;      // channels of a tile of feature maps that is transposed
  uint32_t tileRows;          // rows of it
  uint32_t tileColumns;       // columns of it
  uint32_t tilePitch;         // elements between its planes in UB
  uint32_t gradTileChannels;  // the same of gradients
  uint32_t gradTileRows;      // rows of it
  uint32_t gradTileColumns;   // columns of it
  uint32_t gradTilePitch;     // elements between its planes in UB
  int64_t rois;               // K
  uint32_t roiStep;           // elements of a row of rois: 5
  uint32_t outHeight;         // output_height
  uint32_t outWidth;          // output_width
  int64_t samplingRatio;      // 0: adaptive
  float scale;                // spatial_scale
  uint32_t aligned;           // 1: coordinates are those of centres of pixels
  uint32_t mode;              // 0 avg, 1 max, 2 onnx_max
  uint32_t chunk;             // channels in UB at once
  uint32_t batch;             // samples in UB at once; none of the mean
  uint32_t located;           // samples whose positions are computed at once
  uint32_t gradBins;          // bins whose gradients are in UB at once
  uint32_t bandRows;          // rows of a band
  uint32_t bandColumns;       // columns of it
  uint32_t bandPitch;         // elements between its planes in UB
  int64_t grads;              // offset of the gradients in the workspace, in bytes
  int64_t costs;              // offset of where the regions lie
};
