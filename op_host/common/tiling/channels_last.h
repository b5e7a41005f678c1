// SPDX-License-Identifier: Apache-2.0
// Tiling of channels-last copies (op_kernel/common/copies/channels_last.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_kernel/common/copies/channels_last_buffers.h"

namespace avo {

// Plans the copy of images of `shape` (N, C, H, W), none of them 0. `item` is the bytes of an element, `taps`
// that of ChannelsLast. Fills these fields of a tiling struct: images, channels, height, width, pixel, taps,
// tileChannels, tileRows, tileColumns, tilePitch. Returns the bytes of workspace that the copy takes.
template <typename Tiling>
uint64_t PlanChannelsLast(const Shape &shape, int64_t item, int64_t taps, const Platform &platform,
                          Tiling *tiling) {
  constexpr int64_t kLanes = 16;         // channels that are transposed at once
  constexpr int64_t kRunBytes = 256;     // a run of so many bytes is written at full speed
  constexpr int64_t kMaxRepeats = 255;   // of a transposition; a repeat takes a data block of positions
  constexpr int64_t kSectorBytes = 128;  // of L2
  constexpr int64_t kMaxColumns = 4095;  // blockCount of DataCopyPad
  const int64_t rows = shape[2], columns = shape[3], block = 32 / item;
  const int64_t pixel = AlignUp(shape[1], kLanes), pitch = columns + taps - 1;
  int64_t group = std::min(pixel, kRunBytes / item);
  // Elements from channel to channel of a tile of `count` pixels. The number of data blocks is odd, so that
  // the 16 rows of a transposition lie in different bank groups.
  const auto plane = [&](int64_t count) { return (CeilDiv(count, block) | 1) * block; };
  const auto bytes = [&](int64_t count) { return BytesOf(ToChannelsLastBuffers(group, plane(count), item)); };
  const auto fit = [&] {
    return LargestFit(std::min(rows * columns, kMaxRepeats * block), platform.ub_bytes, bytes);
  };
  int64_t count = fit();
  if (count < kSectorBytes / item && group > kLanes) {
    group = kLanes;
    count = fit();
  }
  if (count == 0) ThrowUbTooSmall(platform, bytes(1));
  int64_t tile_rows = 1, tile_columns = columns;
  if (count >= columns) {
    // The tile has whole rows, and no more of them than leave a tile for every core.
    const int64_t groups = shape[0] * CeilDiv(pixel, group);
    const int64_t per_core = CeilDiv<int64_t>(groups * rows, platform.vector_cores);
    tile_rows =
        std::min({rows, count / columns, std::max<int64_t>(per_core, CeilDiv(kSectorBytes, columns * item))});
  } else {
    const int64_t pieces = CeilDiv(columns, count);
    tile_columns = std::min(count, AlignUp(CeilDiv(columns, pieces), kSectorBytes / item));
  }
  // A tile without all channels is stored pixel by pixel, in one copy.
  if (group < pixel) tile_columns = std::min(tile_columns, kMaxColumns);
  if (tile_columns < columns) tile_rows = 1;
  tiling->images = shape[0];
  tiling->channels = shape[1];
  tiling->height = rows;
  tiling->width = columns;
  tiling->pixel = static_cast<uint32_t>(pixel);
  tiling->taps = static_cast<uint32_t>(taps);
  tiling->tileChannels = static_cast<uint32_t>(group);
  tiling->tileRows = static_cast<uint32_t>(tile_rows);
  tiling->tileColumns = static_cast<uint32_t>(tile_columns);
  tiling->tilePitch = static_cast<uint32_t>(plane(tile_rows * tile_columns));
  return static_cast<uint64_t>(shape[0] * (rows + 2 * taps - 1) * pitch * pixel * item);
}

// Bytes of the Unified Buffer that ToChannelsLast takes with the fields that PlanChannelsLast has filled.
template <typename Tiling>
uint64_t ChannelsLastBytes(const Tiling &tiling, int64_t item) {
  return BytesOf(ToChannelsLastBuffers(tiling.tileChannels, tiling.tilePitch, item));
}

}  // namespace avo
