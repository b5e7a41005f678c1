// SPDX-License-Identifier: Apache-2.0
// LoadData of an image: fractals of the matrix whose row is a position of a convolution's window and whose
// columns are what the window covers there. L1 holds the image in data blocks (NC1HWC0), so that C0 channels
// lie together:
//
//   column k of a row     (block of channels, row of the window, column of the window, channel of the block)
//   row m                 (row of the result, column of the result)
//
// L0A gets rows of the matrix, or of its transpose; L0B always the transpose, whose columns are the k.
#pragma once

#include "copy.h"
#include "fractals.h"

namespace sim {

struct Img2Col {
  uint16_t k_count = 0, m_count = 0;  // columns and rows of the matrix that are loaded
  uint16_t k_start = 0, m_start = 0;
  uint8_t stride_w = 1, stride_h = 1;
  uint16_t filter_w = 1, filter_h = 1;
  uint8_t dilation_w = 1, dilation_h = 1;
  bool transpose = false;  // L0A
  bool right = false;      // the image's sizes are those that were set for L0B
  uint16_t channels = 0;
};

// Width, height, and padding (left, right, top, bottom) of the image, as SetFmatrix puts them into a word.
uint64_t ImageWord(uint16_t height, uint16_t width, const uint8_t padding[4]);

// Where L1 ends for images: 0, or at least 1024 bytes.
void SetImageBoundary(uint64_t bytes, Where where);

// Two channels of int4b_t are moved as one of a byte.
template <typename T>
uint16_t MovedChannels(uint16_t count) {
  return static_cast<uint16_t>(BytesFor<T>(count) / sizeof(T));
}

// Loads what `params` and the registers of the image say. `width`: bytes of an element.
void LoadImage(const CopySide &dst, const CopySide &src, const Img2Col &params, Where where);

}  // namespace sim
