// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Images, and the filters as one, are copied channels-last (op_kernel/common/channels_last.h).
struct ModulatedDeformConv2dTiling {
  int64_t batch;                // images of the call
  int64_t stepImages;           // images that are sampled between two meetings of all cores
  int64_t images;               // stepImages times deformGroups: each group's channels are an image
  int64_t channels;             // of a deform group
  int64_t height;               // of the input
  int64_t width;                //
  uint32_t pixel;               // elements of a pixel in the workspace
  uint32_t taps;                // pixels that a sample reads along an axis, 2
  uint32_t edge;                // 0: zeros beside the image
  uint32_t tileChannels;        // of a transposed tile of the images
  uint32_t tileRows;            //
  uint32_t tileColumns;         //
  uint32_t tilePitch;           //
  uint32_t filterTileChannels;  // the same of the filters
  uint32_t filterTileColumns;   //
  uint32_t filterTilePitch;     //
  int64_t filters;              // of all groups
  int64_t outSize[2];           // rows and columns of the result
  int64_t stride[2];            // of windows
  int64_t padding[2];           //
  int64_t dilation[2];          //
  int64_t kernel[2];            // rows and columns of taps
  uint32_t groups;              // of the convolution
  uint32_t deformGroups;        //
  uint32_t hasMask;             // 0: 1 everywhere
  uint32_t hasBias;             //
  uint32_t band;                // positions that are multiplied together, half from each vector core
  uint32_t located;             // taps times positions whose windows are found at once
  uint32_t sampled;             // positions of a tap that are sampled at once
  uint32_t chunk;               // channels of them
  uint32_t productRows;         // filters of a product
  uint32_t productDepth;        // taps times channels of it that are loaded at once
};
