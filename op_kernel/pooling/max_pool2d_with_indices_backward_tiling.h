// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "../common/memory/buffers.h"

// What tiling tells the kernel of max_pool2d_with_indices_backward.
struct MaxPool2dWithIndicesBackwardTiling {
  int64_t gradOutputElements;  // of grad_output (N, C, min((H + 2 * padding[0] - dilation[0] *
                               // (kernel_size[0] - 1) - 1 + (stride[0] - 1 if ceil_mode else 0)) // stride[0]
                               // + 1, (H + padding[0] + stride[0] - 1) // stride[0]), min((W + 2 * padding[1]
                               // - dilation[1] * (kernel_size[1] - 1) - 1 + (stride[1] - 1 if ceil_mode else
                               // 0)) // stride[1] + 1, (W + padding[1] + stride[1] - 1) // stride[1]))
  int64_t inputElements;       // of input (N, C, H, W)
  int64_t indicesElements;     // of indices grad_output.shape
  int64_t outElements;         // of out (N, C, H, W)
  int64_t kernelSize[2];       // the attribute kernel_size
  int64_t stride[2];           // the attribute stride
  int64_t padding[2];          // the attribute padding
  int64_t dilation[2];         // the attribute dilation
  uint32_t ceilMode;           // the attribute ceil_mode
  int64_t elements;            // of the longest result
  uint32_t tileLength;         // elements of a tile in UB, a multiple of 32
};

// What the kernel puts into the Unified Buffer. Each tensor has two tiles: one is copied while the kernel
// computes on the other.
struct MaxPool2dWithIndicesBackwardBuffers {
  avo::Buffer grad_output, input, indices;  // queues of tiles that are loaded
  avo::Buffer out;                          // queues of tiles that are stored

  // tile: elements of a tile; grad_output_item: bytes of an element of grad_output; indices_item: bytes of an
  // element of indices.
  __aicore__ MaxPool2dWithIndicesBackwardBuffers(uint64_t tile, uint64_t grad_output_item,
                                                 uint64_t indices_item)
      : grad_output{2, tile * grad_output_item},
        input{2, tile * grad_output_item},
        indices{2, tile * indices_item},
        out{2, tile * grad_output_item} {}
};
