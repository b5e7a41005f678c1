// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "image_copy.h"

struct ModulatedDeformConv2dTiling {
  avo::ImageCopy images;   // of a step; each deform group's channels are an image
  avo::ImageCopy weights;  // one image of taps pixels, (filter, channel of a group) as its channels
  int64_t batch;           // images of the call
  int64_t stepImages;      // images that are sampled between two meetings of all cores
  int64_t filters;         // of all groups
  int64_t outSize[2];      // rows and columns of the result
  int64_t stride[2];       // of windows
  int64_t padding[2];      //
  int64_t dilation[2];     //
  int64_t kernel[2];       // rows and columns of taps
  uint32_t groups;         // of the convolution
  uint32_t deformGroups;   //
  uint32_t hasMask;        // 0: 1 everywhere
  uint32_t hasBias;        //
  uint32_t band;           // positions that are multiplied together, half from each vector core
  uint32_t partTaps;       // taps that are sampled before cube cores hear of it
  uint32_t located;        // taps times positions whose windows are found at once
  uint32_t sampled;        // positions of a tap that are sampled at once
  uint32_t chunk;          // channels of them
  uint32_t productRows;    // filters of a product
  uint32_t productDepth;   // taps times channels of it that are loaded at once
};
