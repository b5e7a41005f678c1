// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../common/copies/image_copy.h"
#include "../common/sampling/pixel_bands_tiling.h"
#include "grid_gradient_buffers.h"
#include "grid_tiling.h"

struct GridSamplerBackwardTiling : avo::GridTiling {
  avo::ImageCopy grads;         // the gradients of the samples, channels-last at the start of the workspace
  avo::ImageCopy input;         // the images, channels-last, where windows are read
  avo::PixelBandsTiling bands;  // what the gradients are added to: the images
  int64_t inputs;               // bytes of the workspace before the images
  int64_t terms;                // bytes of the workspace before the lists of terms
  uint32_t windows;             // 1: the gradient of the grid reads windows of channels, 0: boxes of planes
  uint32_t batch;               // samples whose windows are loaded at once
  uint32_t chunk;               // channels of these windows
  uint32_t gradInput;           // 1: the gradient of the images is wanted
  uint32_t gradGrid;            // 1: the gradient of the grid is wanted
};
