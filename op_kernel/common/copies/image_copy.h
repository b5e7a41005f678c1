// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

// The fields of a tiling struct that ToChannelsLast (channels_last.h) reads. Where a kernel copies several
// tensors, its tiling struct holds one ImageCopy for each.
struct ImageCopy {
  int64_t images;         // of the copy
  int64_t channels;       // of each image
  int64_t height;         // rows of each image
  int64_t width;          // columns of each image
  uint32_t pixel;         // elements of a pixel in the workspace
  uint32_t taps;          // pixels that a sample reads along an axis
  uint32_t tileChannels;  // channels of a transposed tile
  uint32_t tileRows;      // rows of a transposed tile
  uint32_t tileColumns;   // columns of a transposed tile
  uint32_t tilePitch;     // elements between the channels of a tile in UB
};

}  // namespace avo
