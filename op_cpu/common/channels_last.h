// SPDX-License-Identifier: Apache-2.0
// Images (N, C, H, W) of any strides as dense float32 (N, H * W, C), where the channels of a pixel are one
// run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "op_cpu/common/element.h"
#include "op_cpu/common/parallel.h"
#include "op_host/common/tensor.h"

namespace avo {

constexpr int64_t kPixelBlock = 16;  // pixels whose channels are moved together: a line of float32 of each

// Calls body(n, first pixel, pixels, element offset of each) for blocks of pixels of all images.
template <typename Body>
void ForPixelBlocks(const Tensor &images, int64_t block, const ParallelFor &parallel_for, const Body &body) {
  const int64_t width = images.shape[3], pixels = images.shape[2] * width;
  const int64_t blocks = (pixels + block - 1) / block;
  parallel_for(images.shape[0] * blocks, 1, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> offsets(block);
    for (int64_t item = begin; item < end; ++item) {
      const int64_t n = item / blocks, first = item % blocks * block;
      const int64_t count = std::min(block, pixels - first);
      for (int64_t p = 0; p < count; ++p) {
        offsets[p] = n * images.strides[0] + (first + p) / width * images.strides[2] +
                     (first + p) % width * images.strides[3];
      }
      body(n, first, count, offsets.data());
    }
  });
}

// `count` pixels of `channels` channels each, from channels-last float32 into an image.
template <typename T>
void StorePixels(const float *from, int64_t channels, int64_t count, const Tensor &images,
                 const int64_t *offsets) {
  for (int64_t c = 0; c < channels; ++c) {
    T *to = static_cast<T *>(images.data) + c * images.strides[1];
    for (int64_t p = 0; p < count; ++p) to[offsets[p]] = FromFloat<T>(from[p * channels + c]);
  }
}

template <typename T>
std::vector<float> ToChannelsLast(const Tensor &images, const ParallelFor &parallel_for) {
  const int64_t channels = images.shape[1], pixels = images.shape[2] * images.shape[3];
  std::vector<float> result(images.numel());
  ForPixelBlocks(images, kPixelBlock, parallel_for,
                 [&](int64_t n, int64_t first, int64_t count, const int64_t *offsets) {
                   float *to = result.data() + (n * pixels + first) * channels;
                   for (int64_t c = 0; c < channels; ++c) {
                     const T *from = static_cast<const T *>(images.data) + c * images.strides[1];
                     for (int64_t p = 0; p < count; ++p) to[p * channels + c] = ToFloat(from[offsets[p]]);
                   }
                 });
  return result;
}

template <typename T>
void FromChannelsLast(const std::vector<float> &values, const Tensor &images,
                      const ParallelFor &parallel_for) {
  const int64_t channels = images.shape[1], pixels = images.shape[2] * images.shape[3];
  ForPixelBlocks(images, kPixelBlock, parallel_for,
                 [&](int64_t n, int64_t first, int64_t count, const int64_t *offsets) {
                   const float *from = values.data() + (n * pixels + first) * channels;
                   StorePixels<T>(from, channels, count, images, offsets);
                 });
}

}  // namespace avo
