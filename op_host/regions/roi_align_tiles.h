// SPDX-License-Identifier: Apache-2.0
// What RoiAlign has in the Unified Buffer at once, by samples and by sums of rows and columns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "op_host/common/tiling/buffer_bytes.h"
#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/platform.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_host/regions/roi_tiling.h"
#include "op_kernel/regions/roi_align_tiling.h"

namespace avo::roi_align {

// What lies in UB at once: channels, samples, positions of samples, and bins that are stored together.
struct SampleTile {
  int64_t chunk, batch, located, bins;
};

inline uint64_t SampleBytes(const SampleTile &tile, int64_t item, const Platform &platform) {
  return BytesOf(RoiAlignBuffers(platform.vector_cores, tile.located, tile.batch, tile.chunk, tile.bins,
                                 RoiPitch(tile.bins, item), item));
}

// Chooses the tile of at most `budget` bytes, or the smallest one, which may have more. All channels of a
// pixel are copied at once as long as that leaves room for a batch of 16 samples; else they come in chunks.
inline SampleTile FindSampleTile(int64_t pixel, int64_t bins, int64_t item, const Platform &platform,
                                 uint64_t budget) {
  constexpr int64_t kMostChunk =
      1008;  // two pixels are less than 256 data blocks, the limit of repeat strides
  constexpr int64_t kMostBatch = 32, kWantedBatch = 16, kLeastBatch = 8, kLanes = 16;
  constexpr int64_t kMostLocated = 256, kLeastLocated = 64;
  const auto fits = [&](const SampleTile &tile) { return SampleBytes(tile, item, platform) <= budget; };
  SampleTile tile{std::min(pixel, kMostChunk), kWantedBatch, kLeastLocated, std::min(bins, kLanes)};
  while (tile.chunk > kLanes && !fits(tile)) tile.chunk = AlignUp(tile.chunk / 2, kLanes);
  tile.located = kMostLocated;
  while (tile.located > kLeastLocated && !fits(tile)) tile.located -= kLeastLocated;
  tile.batch = kMostBatch;
  while (tile.batch > kLeastBatch && !fits(tile)) tile.batch -= 8;
  while (tile.bins < bins) {
    SampleTile more = tile;
    more.bins = std::min(bins, tile.bins + kLanes);
    if (!fits(more)) break;
    tile = more;
  }
  return tile;
}

// Gives each core as many equal runs of pixels of a small map as are modelled to be copied first, in place of
// tiles of whole rows, of which some cores have more than others. Runs are loaded row by row of channels, and
// no faster than HBM gives the map to all cores; the last one is stored behind that.
inline void TakeRuns(int64_t item, const Platform &platform, RoiAlignTiling *t) {
  constexpr int64_t kMostTiles = 4;                      // of a core, where a map is small
  constexpr double kRowCycles = 8;                       // of a copy
  constexpr double kBytesPerCycle = 32, kHbmBytes = 16;  // of a core alone, and of HBM for each core
  constexpr int64_t kMaxRepeats = 255;                   // of a transposition, of a data block of positions
  constexpr int64_t kSector = 128;                       // bytes
  const int64_t cores = platform.vector_cores, block = 32 / item, pixels = t->height * t->width;
  const int64_t lots = t->images * CeilDiv<int64_t>(t->pixel, t->tileChannels);
  if (t->tileColumns < t->width || lots > cores) return;
  const auto group = static_cast<double>(t->tileChannels);
  const double shared =
      static_cast<double>(t->images * pixels * t->channels * item) / (kHbmBytes * static_cast<double>(cores));
  const auto cycles = [&](int64_t tiles, int64_t count) {
    const double row = static_cast<double>(count * item) / kBytesPerCycle;
    return std::max(static_cast<double>(tiles) * group * std::max(kRowCycles, row), shared) + group * row;
  };
  const int64_t rows = CeilDiv<int64_t>(lots * CeilDiv<int64_t>(t->height, t->tileRows), cores);
  double least = cycles(rows, t->tileRows * t->width);
  // Runs begin at sectors of the L2 where all channels do.
  const int64_t unit = pixels * item % kSector == 0 ? kSector / item : 1;
  for (int64_t tiles = 1; rows <= kMostTiles && tiles <= kMostTiles; ++tiles) {
    const int64_t count = std::min(AlignUp(CeilDiv(pixels, cores * tiles / lots), unit), pixels);
    const int64_t pitch = (CeilDiv(count, block) | 1) * block;
    const int64_t most = CeilDiv<int64_t>(lots * CeilDiv(pixels, count), cores);
    if (count > kMaxRepeats * block || cycles(most, count) >= least ||
        BytesOf(ToChannelsLastBuffers(t->tileChannels, pitch, item)) > platform.ub_bytes) {
      continue;
    }
    least = cycles(most, count);
    t->tileRows = 0;
    t->tileColumns = static_cast<uint32_t>(count);
    t->tilePitch = static_cast<uint32_t>(pitch);
  }
}

// Whether cores may get whole regions (op_kernel/regions/roi_runs.h): each gets at least one, and what is
// left then is enough for a quarter of the cores, or more. Fewer regions are shared by their costs alone, as
// are regions that do not fit one tile, and those whose number of samples follows their size.
inline bool MayTakeWhole(int64_t rois, int64_t sampling_ratio, const Platform &platform) {
  constexpr int64_t kMostWhole = RoiRegionsBuffers::kTile, kMostRounds = RoiRunsBuffers::kMostRounds;
  constexpr uint64_t kMostPart = 8;  // of UB that the order of regions may take
  const int64_t cores = platform.vector_cores;
  return sampling_ratio > 0 && rois <= std::min(kMostWhole, kMostRounds * cores) && rois >= cores &&
         4 * (rois % cores) >= cores && BytesOf(RoiRunsBuffers(1)) <= platform.ub_bytes / kMostPart;
}

// What lies in UB at once where rows and columns are added up: channels, elements from bin to bin, columns of
// the image, and rows of bins; 0 columns where this is not possible.
struct SumTile {
  int64_t chunk, bin, slots, rows;
};

inline uint64_t SumBytes(const SumTile &tile, int64_t columns, int64_t item, const Platform &platform) {
  if (tile.rows == 0) return 0;  // there is no tile
  return BytesOf(RoiAlignSumsBuffers(platform.vector_cores, tile.rows, columns, tile.bin, tile.slots,
                                     tile.chunk, RoiPitch(tile.rows * columns, item), item));
}

// Elements from bin to bin: the channels, and one or two data blocks, so that the same column of eight rows
// of bins lies in every second bank group of UB. There is no such distance for a multiple of four columns.
inline int64_t BinStep(int64_t chunk, int64_t columns) {
  constexpr int64_t kBlock = 8;
  return chunk + (columns % 2 == 0 ? 1 : 2) * kBlock;
}

// Chooses the tile: most channels, and then most rows of bins, that leave room for kWantedSlots columns.
inline SumTile FindSumTile(const RoiAlignTiling &t, int64_t item, const Platform &platform) {
  constexpr int64_t kLanes = 16, kWantedSlots = 8, kFewChannels = 64, kMostChunk = 1008;
  constexpr int64_t kMostSlots = RoiSumsBuffers::kMostSlots, kMostRows = RoiSumsBuffers::kMostRows;
  const int64_t columns = t.outWidth;
  SumTile tile{};
  if (t.mode != 0 || columns > static_cast<int64_t>(RoiSumsBuffers::kMostColumns)) return tile;
  for (tile.rows = CeilDiv<int64_t>(t.outHeight, CeilDiv<int64_t>(t.outHeight, kMostRows));;
       tile.rows = CeilDiv<int64_t>(tile.rows, 2)) {
    const int64_t least = tile.rows > 1 ? std::min<int64_t>(t.pixel, kFewChannels) : kLanes;
    for (tile.chunk = std::min<int64_t>(t.pixel, kMostChunk);; tile.chunk = AlignUp(tile.chunk / 2, kLanes)) {
      tile.bin = BinStep(tile.chunk, columns);
      tile.slots = LargestFit(kMostSlots, platform.ub_bytes, [&](int64_t slots) {
        return SumBytes({tile.chunk, tile.bin, slots, tile.rows}, columns, item, platform);
      });
      if (tile.slots >= kWantedSlots || tile.chunk <= least) break;
    }
    if (tile.slots >= kWantedSlots || tile.rows == 1) return tile;
  }
}

}  // namespace avo::roi_align
