// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

// The fields of a tiling struct that PixelTerms (pixel_terms.h) and PixelBands (pixel_bands.h) read.
struct PixelBandsTiling {
  int64_t images;          // of a step
  int64_t channels;        // of an image
  int64_t height;          // rows of an image
  int64_t width;           // columns of an image
  int64_t rows;            // of an image: each is the gradient of a sample
  int64_t bands;           // of an image
  int64_t channelGroups;   // groups of channels
  uint32_t bandPixels;     // pixels of a band, a multiple of 16
  uint32_t groupChannels;  // channels of a group, a multiple of 16
  uint32_t tapBits;        // a row has 2^tapBits terms
  uint32_t located;        // most rows whose terms are found at once
  float lastRow;           // the last row of an image, or the float below it
  float lastColumn;        // the last column, likewise
};

}  // namespace avo
