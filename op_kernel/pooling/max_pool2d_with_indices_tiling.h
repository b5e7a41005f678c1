// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/memory/buffers.h"

// What tiling tells the kernel of max_pool2d_with_indices.
struct MaxPool2dWithIndicesTiling {
  int64_t inputElements;    // of input (N, C, H, W)
  int64_t outElements;      // of out (N, C, oH, oW)
  int64_t indicesElements;  // of indices (N, C, oH, oW)
  int64_t kernelSize[2];    // the attribute kernel_size
  int64_t stride[2];        // the attribute stride
  int64_t padding[2];       // the attribute padding
  int64_t dilation[2];      // the attribute dilation
  uint32_t ceilMode;        // the attribute ceil_mode
  int64_t elements;         // of the longest result
  uint32_t tileLength;      // elements of a tile in UB, a multiple of 32
};

// What the kernel puts into the Unified Buffer. Each tensor has two tiles: one is copied while the kernel
// computes on the other.
struct MaxPool2dWithIndicesBuffers {
  avo::Buffer input;         // queues of tiles that are loaded
  avo::Buffer out, indices;  // queues of tiles that are stored

  // tile: elements of a tile; input_item: bytes of an element of input; indices_item: bytes of an element of
  // indices.
  __aicore__ MaxPool2dWithIndicesBuffers(uint64_t tile, uint64_t input_item, uint64_t indices_item)
      : input{2, tile * input_item}, out{2, tile * input_item}, indices{2, tile * indices_item} {}
};
