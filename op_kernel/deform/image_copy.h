// SPDX-License-Identifier: Apache-2.0
// The part of a tiling struct that ToChannelsLast (channels_last.h) reads, where a kernel copies several
// tensors.
#pragma once

#include <cstdint>

namespace avo {

struct ImageCopy {
  int64_t images;         // of the copy
  int64_t channels;       // of each
  int64_t height;         //
  int64_t width;          //
  uint32_t pixel;         // elements of a pixel in the workspace
  uint32_t taps;          // pixels that a sample reads along an axis
  uint32_t tileChannels;  // of a transposed tile
  uint32_t tileRows;      //
  uint32_t tileColumns;   //
  uint32_t tilePitch;     // elements between its planes in UB
};

}  // namespace avo
