// SPDX-License-Identifier: Apache-2.0
// Images (N, C, H, W) of any strides as dense (N, H * W, C) of what is computed in, where the channels of
// a pixel are one run.
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

// `count` pixels of `channels` channels each, from channels-last memory into an image.
template <typename T>
void StorePixels(const Compute<T> *from, int64_t channels, int64_t count, const Tensor &images,
                 const int64_t *offsets) {
  for (int64_t c = 0; c < channels; ++c) {
    T *to = static_cast<T *>(images.data) + c * images.strides[1];
    for (int64_t p = 0; p < count; ++p) to[offsets[p]] = Narrow<T>(from[p * channels + c]);
  }
}

template <typename T>
std::vector<Compute<T>> ToChannelsLast(const Tensor &images, const ParallelFor &parallel_for) {
  const int64_t channels = images.shape[1], pixels = images.shape[2] * images.shape[3];
  std::vector<Compute<T>> result(images.numel());
  ForPixelBlocks(images, kPixelBlock, parallel_for,
                 [&](int64_t n, int64_t first, int64_t count, const int64_t *offsets) {
                   Compute<T> *to = result.data() + (n * pixels + first) * channels;
                   for (int64_t c = 0; c < channels; ++c) {
                     const T *from = static_cast<const T *>(images.data) + c * images.strides[1];
                     for (int64_t p = 0; p < count; ++p) to[p * channels + c] = Widen(from[offsets[p]]);
                   }
                 });
  return result;
}

template <typename T>
void FromChannelsLast(const std::vector<Compute<T>> &values, const Tensor &images,
                      const ParallelFor &parallel_for) {
  const int64_t channels = images.shape[1], pixels = images.shape[2] * images.shape[3];
  ForPixelBlocks(images, kPixelBlock, parallel_for,
                 [&](int64_t n, int64_t first, int64_t count, const int64_t *offsets) {
                   const Compute<T> *from = values.data() + (n * pixels + first) * channels;
                   StorePixels<T>(from, channels, count, images, offsets);
                 });
}

}  // namespace avo
