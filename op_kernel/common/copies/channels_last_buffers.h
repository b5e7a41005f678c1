// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../memory/buffers.h"

namespace avo {

// What ToChannelsLast (channels_last.h) puts into the Unified Buffer until its Process returns.
struct ToChannelsLastBuffers {
  Buffer planes;  // queue of tiles as they are loaded: channel by channel
  Buffer pixels;  // queue of tiles as they are stored: pixel by pixel

  // channels: of a tile; pitch: elements from one channel of a tile to the next; item: bytes of an element.
  __aicore__ ToChannelsLastBuffers(uint64_t channels, uint64_t pitch, uint64_t item)
      : planes{2, channels * pitch * item}, pixels{2, channels * pitch * item} {}
};

}  // namespace avo
