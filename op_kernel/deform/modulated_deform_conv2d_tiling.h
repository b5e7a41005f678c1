// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/copies/image_copy.h"
#include "deform_columns_buffers.h"

struct ModulatedDeformConv2dTiling {
  avo::ImageCopy images;   // of a step; the channels of each deform group are an image of their own
  avo::ImageCopy weights;  // one image: a row of taps, whose channels are (filter, channel of a group)
  int64_t batch;           // images of the call
  int64_t stepImages;      // images of a step
  int64_t filters;         // of all groups
  int64_t outSize[2];      // rows and columns of the result
  int64_t stride[2];       // rows and columns from window to window
  int64_t padding[2];      // rows and columns of zeros on either side
  int64_t dilation[2];     // rows and columns from tap to tap
  int64_t kernel[2];       // rows and columns of taps
  uint32_t groups;         // of the convolution
  uint32_t deformGroups;   // blocks of channels that share offsets
  uint32_t hasMask;        // 0: the mask is 1 everywhere
  uint32_t hasBias;        // 0: the bias is 0
  uint32_t band;           // positions that are multiplied together; each vector core samples half of them
  uint32_t tapsPerFlag;    // taps of a band that are sampled between two flags to the cube core
  uint32_t located;        // samples (taps times positions) whose windows are found at once
  uint32_t sampled;        // positions of a tap that are sampled at once
  uint32_t chunk;          // channels that are sampled at once
  uint32_t productRows;    // filters of a product
  uint32_t productDepth;   // depth of a product (taps times channels) that is loaded at once
};
