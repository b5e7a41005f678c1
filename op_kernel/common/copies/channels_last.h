// SPDX-License-Identifier: Apache-2.0
// Channels-last copies of images. ToChannelsLast copies images (N, C, H, W) into the workspace so that the
// channels of a pixel are contiguous. Then what a sample between pixels reads is a few contiguous runs
// (bilinear_rows.h). PixelsToPlanes turns rows of channels back into planes.
//
//   (C, H W)    channel 0: p0 p1 p2 …            pixel 0: c0 c1 c2 …
//               channel 1: p0 p1 p2 …      →     pixel 1: c0 c1 c2 …
//
// The copy has a border of zeros, so that the window of taps x taps pixels of any sample can be read without
// a condition. With taps = 2, H = 2 and W = 3:
//
//             x =  0 1 2 3
//   y = -2         0 0 0 0       taps rows above the image
//   y = -1         0 0 0 0
//   y =  0         p p p 0       taps - 1 columns behind each row
//   y =  1         p p p 0
//   y =  2         0 0 0 0       taps - 1 rows below the image
//
// Pixel (y, -1) is the last one behind row y - 1. A sample that does not count reads the window at (-taps,
// 0), which holds zeros.
#pragma once

#include "../vectors/lanes.h"
#include "channels_last_buffers.h"

namespace avo {

// The layout of such a copy.
struct ChannelsLast {
  int64_t images;
  int64_t channels;  // of an image
  int64_t rows;      // of an image, without the border
  int64_t columns;   // of an image, without the border
  uint32_t pixel;    // elements from pixel to pixel: channels, rounded up to 16
  uint32_t taps;     // rows and columns of a window

  // Pixels from row to row.
  __aicore__ inline int64_t Pitch() const { return columns + taps - 1; }
  // Pixels from image to image.
  __aicore__ inline int64_t ImagePixels() const { return (rows + 2 * taps - 1) * Pitch(); }
  // The number of pixel (y, x) of an image, counted through all images and their borders.
  __aicore__ inline int64_t Pixel(int64_t image, int64_t y, int64_t x) const {
    return image * ImagePixels() + (y + taps) * Pitch() + x;
  }
};

// The layout that a tiling struct describes (op_host/common/tiling/channels_last.h).
template <typename Tiling>
__aicore__ inline ChannelsLast LayoutOf(const Tiling &tiling) {
  return {tiling.images, tiling.channels, tiling.height, tiling.width, tiling.pixel, tiling.taps};
}

// Transposes `count` pixels of `channels` elements into `channels` rows of `count` elements. Pixels start
// `width` elements apart, rows start `row` elements apart. Both counts are rounded up to 16, and all elements
// that this includes must have been written.
template <typename T>
__aicore__ inline void PixelsToPlanes(const AscendC::LocalTensor<T> &planes, uint32_t row,
                                      const AscendC::LocalTensor<T> &pixels, uint32_t width,
                                      uint32_t channels, uint32_t count) {
  SlotsToRows(planes, row, pixels, width, channels, count);
}

// What is transposed at once. A tile has several rows only where it has whole rows. One with 0 rows is a run
// of `columns` pixels, which may begin and end within a row.
struct TransposeTile {
  uint32_t channels;
  uint32_t rows;
  uint32_t columns;
  uint32_t pitch;  // elements from channel to channel in UB
};

template <typename T>
class ToChannelsLast {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR images, GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    Init(images, workspace, LayoutOf(tiling),
         {tiling.tileChannels, tiling.tileRows, tiling.tileColumns, tiling.tilePitch}, pipe);
  }

  __aicore__ inline void Init(GM_ADDR images, GM_ADDR workspace, const ChannelsLast &layout,
                              const TransposeTile &tile, AscendC::TPipe *pipe) {
    layout_ = layout;
    group_ = tile.channels;
    tile_rows_ = tile.rows;
    tile_columns_ = tile.columns;
    pitch_ = tile.pitch;
    const int64_t planes = layout_.images * layout_.channels;
    in_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(images), planes * layout_.rows * layout_.columns);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(workspace),
                            layout_.images * layout_.ImagePixels() * layout_.pixel);
    const ToChannelsLastBuffers buffers(group_, pitch_, sizeof(T));
    pipe->InitBuffer(in_queue_, buffers.planes.count, buffers.planes.bytes);
    pipe->InitBuffer(out_queue_, buffers.pixels.count, buffers.pixels.bytes);
  }

  // Begins to load the first tile, so that a kernel can do other work meanwhile. Process goes on from there.
  __aicore__ inline void Prefetch() {
    const Share share = OwnTiles();
    if (share.begin == share.end) return;
    GoTo(share.begin);
    Load();
    prefetched_ = true;
  }

  // Copies this core's share of the tiles, and waits until all cores have done so. Afterwards `pipe` is free
  // for other buffers.
  __aicore__ inline void Process(AscendC::TPipe *pipe) {
    ClearBorder();
    const Share share = OwnTiles();
    for (int64_t item = share.begin; item < share.end; ++item) {
      GoTo(item);
      if (!prefetched_) Load();
      prefetched_ = false;
      Compute();
    }
    AscendC::SyncAll();
    ReleaseBuffers(pipe);
  }

 private:
  static __aicore__ inline int64_t Pieces(int64_t size, uint32_t piece) { return (size + piece - 1) / piece; }

  // The tiles of this core.
  __aicore__ inline Share OwnTiles() const {
    return CoreShare(layout_.images * TilesOfImage() * Pieces(layout_.pixel, group_));
  }

  // The tiles of an image with a group of channels each.
  __aicore__ inline int64_t TilesOfImage() const {
    if (tile_rows_ == 0) return Pieces(layout_.rows * layout_.columns, tile_columns_);
    return Pieces(layout_.rows, tile_rows_) * Pieces(layout_.columns, tile_columns_);
  }

  // Makes tile `item` the current one.
  __aicore__ inline void GoTo(int64_t item) {
    const int64_t groups = Pieces(layout_.pixel, group_), tiles = TilesOfImage();
    const int64_t tile = item / groups % tiles;
    first_ = static_cast<uint32_t>(item % groups) * group_;
    image_ = item / groups / tiles;
    if (tile_rows_ == 0) {
      start_ = tile * tile_columns_;
      count_ = MinRemaining(layout_.rows * layout_.columns - start_, tile_columns_);
      return;
    }
    const int64_t column_tiles = Pieces(layout_.columns, tile_columns_);
    const int64_t row = tile / column_tiles * tile_rows_, column = tile % column_tiles * tile_columns_;
    start_ = row * layout_.columns + column;
    count_ =
        MinRemaining(layout_.rows - row, tile_rows_) * MinRemaining(layout_.columns - column, tile_columns_);
  }

  // The channels of the current tile.
  __aicore__ inline uint32_t Channels() const { return MinRemaining(layout_.channels - first_, group_); }

  // Loads the current tile.
  __aicore__ inline void Load() {
    auto planes = in_queue_.template AllocTensor<T>();
    const int64_t plane = layout_.rows * layout_.columns;
    CopyRowsIn(planes, pitch_, in_gm_, (image_ * layout_.channels + first_) * plane + start_, plane,
               Channels(), count_);
    in_queue_.EnQue(planes);
  }

  // Transposes and stores the current tile.
  __aicore__ inline void Compute() {
    auto planes = in_queue_.template DeQue<T>();
    auto pixels = out_queue_.template AllocTensor<T>();
    RowsToSlots(pixels, group_, planes, pitch_, Channels(), count_);
    in_queue_.FreeTensor(planes);
    out_queue_.EnQue(pixels);
    pixels = out_queue_.template DeQue<T>();
    Store(pixels);
    out_queue_.FreeTensor(pixels);
  }

  // Stores the pixels of the current tile row by row, and whole rows together.
  __aicore__ inline void Store(const AscendC::LocalTensor<T> &pixels) {
    for (uint32_t done = 0; done < count_;) {
      const int64_t row = (start_ + done) / layout_.columns, column = (start_ + done) % layout_.columns;
      const int64_t left = count_ - done, whole = column == 0 ? left / layout_.columns : 0;
      const uint32_t rows = whole > 0 ? static_cast<uint32_t>(whole) : 1;
      const uint32_t columns = MinRemaining(layout_.columns - column, static_cast<uint32_t>(left));
      StoreRows(pixels[done * group_], row, column, rows, columns);
      done += rows * columns;
    }
  }

  // Stores `columns` pixels of each of some rows of the image, from a row and column on: runs of pixels where
  // the tile has all channels, else pixel by pixel.
  __aicore__ inline void StoreRows(const AscendC::LocalTensor<T> &pixels, int64_t y, int64_t x, uint32_t rows,
                                   uint32_t columns) {
    const uint32_t group = MinRemaining(layout_.pixel - first_, group_), run = columns * group_;
    const int64_t to = layout_.Pixel(image_, y, x) * layout_.pixel + first_;
    const int64_t row = layout_.Pitch() * layout_.pixel;
    if (group == layout_.pixel) {
      CopyRowsOut(out_gm_, to, row, pixels, run, rows, run);
      return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
      CopyRowsOut(out_gm_, to + r * row, layout_.pixel, pixels[r * run], group_, columns, group);
    }
  }

  // Writes zeros to this core's share of the borders. A border consists of pieces: runs of a row above or
  // below the image, and runs of a column behind its rows.
  __aicore__ inline void ClearBorder() {
    constexpr uint32_t kMaxRows = 4095;  // of a copy
    const uint32_t capacity = group_ * pitch_, pixel = layout_.pixel;
    const uint32_t above = layout_.taps, below = layout_.taps - 1, beside = below;
    // A piece has as many pixels as the zeros in UB fill. Where they do not fill one pixel, it is written in
    // several copies.
    const uint32_t most = pixel < capacity ? pixel : capacity,
                   pixels = MinRemaining(capacity / most, kMaxRows);
    const int64_t row_pieces = Pieces(layout_.Pitch(), pixels);
    const int64_t column_pieces = Pieces(layout_.rows, pixels) * beside;
    const int64_t pieces = (above + below) * row_pieces + column_pieces;
    const Share share = CoreShare(layout_.images * pieces);
    if (share.begin == share.end) return;
    auto zeros = out_queue_.template AllocTensor<T>();
    AscendC::Duplicate(zeros.template ReinterpretCast<half>(), half(0), capacity * sizeof(T) / sizeof(half));
    out_queue_.EnQue(zeros);
    zeros = out_queue_.template DeQue<T>();
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t image = item / pieces, i = item % pieces, row_piece = i - column_pieces;
      for (uint32_t c = 0; c < pixel; c += most) {
        const uint32_t elements = MinRemaining(pixel - c, most);
        if (i < column_pieces) {
          const int64_t row = i / beside * pixels;
          const int64_t to = layout_.Pixel(image, row, layout_.columns + i % beside) * pixel + c;
          CopyRowsOut(out_gm_, to, layout_.Pitch() * pixel, zeros, elements,
                      MinRemaining(layout_.rows - row, pixels), elements);
        } else {
          const int64_t row = row_piece / row_pieces, x = row_piece % row_pieces * pixels;
          const int64_t y = row < above ? row - above : layout_.rows + row - above;
          const uint32_t run = MinRemaining(layout_.Pitch() - x, pixels) * elements;
          CopyRowsOut(out_gm_, layout_.Pixel(image, y, x) * pixel + c, run, zeros, run, 1, run);
        }
      }
    }
    out_queue_.FreeTensor(zeros);
  }

  ChannelsLast layout_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::GlobalTensor<T> in_gm_, out_gm_;
  uint32_t group_;  // channels of a tile
  uint32_t tile_rows_, tile_columns_;
  uint32_t pitch_;  // elements from channel to channel of a tile in UB
  // The current tile.
  int64_t image_, start_;    // where it starts: an image, and a pixel of it
  uint32_t first_;           // its first channel
  uint32_t count_;           // its pixels
  bool prefetched_ = false;  // whether it is being loaded already
};

}  // namespace avo
