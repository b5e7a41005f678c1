// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/copies/image_copy.h"
#include "../common/sampling/pixel_bands_tiling.h"
#include "deform_gradients_buffers.h"
#include "deform_terms_buffers.h"

struct ModulatedDeformConv2dBackwardTiling {
  avo::ImageCopy images;   // of a step; the channels of each deform group are an image of their own
  avo::ImageCopy grads;    // grad_output of a step
  avo::ImageCopy weights;  // one image: a row of (channel of a group, tap), whose channels are the filters
  avo::PixelBandsTiling bands;  // what the samples' gradients are added to: the images of a step
  int64_t regions[8];           // bytes of the workspace before each region of the kernel
  int64_t batch;                // images of the call
  int64_t stepImages;           // images of a step
  int64_t filters;              // of all groups
  int64_t outSize[2];           // rows and columns of the result
  int64_t stride[2];            // rows and columns from window to window
  int64_t padding[2];           // rows and columns of zeros on either side
  int64_t dilation[2];          // rows and columns from tap to tap
  int64_t kernel[2];            // rows and columns of taps
  uint32_t groups;              // of the convolution
  uint32_t deformGroups;        // blocks of channels that share offsets
  uint32_t hasMask;             // 0: the mask is 1 everywhere
  uint32_t band;          // positions that are multiplied together; each vector core samples half of them
  uint32_t located;       // samples (taps times positions) whose windows are found at once
  uint32_t sampled;       // positions of a tap that are sampled at once
  uint32_t chunk;         // channels that are sampled at once
  uint32_t productRows;   // rows of a product
  uint32_t productWidth;  // columns of a product
  uint32_t productDepth;  // depth of a product that is loaded at once
};

// What the sum over the blocks' gradients of weights and bias puts into the Unified Buffer, at the end.
struct DeformSumBuffers {
  static constexpr uint64_t kPiece = 2048;  // elements that are summed at a time

  avo::Buffer terms;   // queue, float32: what one block found
  avo::Buffer result;  // queue of the sums, as they are stored
  avo::Buffer sum;     // float32

  // item: bytes of an element.
  explicit __aicore__ DeformSumBuffers(uint64_t item)
      : terms{2, kPiece * 4}, result{2, kPiece * item}, sum{1, kPiece * 4} {}
};
