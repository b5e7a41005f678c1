// SPDX-License-Identifier: Apache-2.0
// Images (N, C, H, W) copied into the workspace with the channels of a pixel together, so that what a sample
// between pixels reads is a few contiguous runs. All vector cores transpose, and meet: ToChannelsLast. Then
// BilinearRows (bilinear_rows.h) reads; PixelsToPlanes turns rows of channels back into planes.
//
// A border of zeros lets the window of taps x taps pixels of any sample be read without a condition: rows
// -taps to -1, rows H to H + taps - 2, and columns W to W + taps - 2, of which column -k is column Pitch() -
// k of the row before. Samples that count nothing read the window at (-taps, 0).
#pragma once

#include "../vectors/lanes.h"
#include "channels_last_buffers.h"

namespace avo {

struct ChannelsLast {
  int64_t images;
  int64_t channels;
  int64_t rows;
  int64_t columns;
  uint32_t pixel;  // elements of a pixel: channels, rounded up to 16
  uint32_t taps;

  __aicore__ inline int64_t Pitch() const { return columns + taps - 1; }
  __aicore__ inline int64_t ImagePixels() const { return (rows + 2 * taps - 1) * Pitch(); }
  // Pixel (y, x) of an image, counted from the first of all.
  __aicore__ inline int64_t Pixel(int64_t image, int64_t y, int64_t x) const {
    return image * ImagePixels() + (y + taps) * Pitch() + x;
  }
};

// The layout that a tiling struct describes (op_host/common/tiling/channels_last.h).
template <typename Tiling>
__aicore__ inline ChannelsLast LayoutOf(const Tiling &tiling) {
  return {tiling.images, tiling.channels, tiling.height, tiling.width, tiling.pixel, tiling.taps};
}

// Rows of `count` planes `plane` elements apart in GM; gaps beyond what one copy can skip are taken in turn.
template <typename T>
__aicore__ inline void CopyPlanesIn(const AscendC::LocalTensor<T> &ub, uint32_t ub_row,
                                    const AscendC::GlobalTensor<T> &gm, int64_t gm_offset, int64_t plane,
                                    uint32_t count, uint32_t elements) {
  const bool together = (plane - elements) * static_cast<int64_t>(sizeof(T)) < int64_t{1} << 32;
  const uint32_t step = together ? count : 1;
  for (uint32_t i = 0; i < count; i += step) {
    CopyRowsIn(ub[i * ub_row], ub_row, gm, gm_offset + i * plane, plane, step, elements);
  }
}

template <typename T>
__aicore__ inline void CopyPlanesOut(const AscendC::GlobalTensor<T> &gm, int64_t gm_offset, int64_t plane,
                                     const AscendC::LocalTensor<T> &ub, uint32_t ub_row, uint32_t count,
                                     uint32_t elements) {
  const bool together = (plane - elements) * static_cast<int64_t>(sizeof(T)) < int64_t{1} << 32;
  const uint32_t step = together ? count : 1;
  for (uint32_t i = 0; i < count; i += step) {
    CopyRowsOut(gm, gm_offset + i * plane, plane, ub[i * ub_row], ub_row, step, elements);
  }
}

// `count` pixels of `channels` elements, `width` apart, become `channels` rows of `count` elements, `row`
// apart; both counts are rounded up to 16, and so much of the pixels must have been written.
template <typename T>
__aicore__ inline void PixelsToPlanes(const AscendC::LocalTensor<T> &planes, uint32_t row,
                                      const AscendC::LocalTensor<T> &pixels, uint32_t width,
                                      uint32_t channels, uint32_t count) {
  for (uint32_t lane = 0; lane < channels; lane += kLanes) {
    SlotsToRows(planes[lane * row], row, pixels[lane], width, count);
  }
}

// What is transposed at once; several rows only where they are whole. Planes lie `pitch` apart in UB.
struct TransposeTile {
  uint32_t channels;
  uint32_t rows;
  uint32_t columns;
  uint32_t pitch;
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

  // Returns when the images of all cores are there; then `pipe` is free for other buffers.
  __aicore__ inline void Process(AscendC::TPipe *pipe) {
    const int64_t groups = Parts(layout_.pixel, group_), row_tiles = Parts(layout_.rows, tile_rows_),
                  column_tiles = Parts(layout_.columns, tile_columns_);
    const Share share = CoreShare(layout_.images * row_tiles * column_tiles * groups);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t tile = item / groups, rows = tile / column_tiles;
      first_ = static_cast<uint32_t>(item % groups) * group_;
      column_ = tile % column_tiles * tile_columns_;
      columns_ = Rest(layout_.columns - column_, tile_columns_);
      row_ = rows % row_tiles * tile_rows_;
      rows_ = Rest(layout_.rows - row_, tile_rows_);
      image_ = rows / row_tiles;
      Compute();
    }
    ClearBorder();
    AscendC::SyncAll();
    pipe->Reset();
  }

 private:
  static __aicore__ inline int64_t Parts(int64_t size, uint32_t part) { return (size + part - 1) / part; }

  __aicore__ inline void Compute() {
    const uint32_t count = rows_ * columns_, channels = Rest(layout_.channels - first_, group_);
    auto planes = in_queue_.template AllocTensor<T>();
    const int64_t plane = layout_.rows * layout_.columns;
    CopyPlanesIn(planes, pitch_, in_gm_,
                 (image_ * layout_.channels + first_) * plane + row_ * layout_.columns + column_, plane,
                 channels, count);
    in_queue_.EnQue(planes);
    planes = in_queue_.template DeQue<T>();
    auto pixels = out_queue_.template AllocTensor<T>();
    for (uint32_t lane = 0; lane < channels; lane += kLanes) {
      RowsToSlots(pixels[lane], group_, planes[lane * pitch_], pitch_, Rest(channels - lane, kLanes), count);
    }
    in_queue_.FreeTensor(planes);
    out_queue_.EnQue(pixels);
    pixels = out_queue_.template DeQue<T>();
    Store(pixels);
    out_queue_.FreeTensor(pixels);
  }

  __aicore__ inline void Store(const AscendC::LocalTensor<T> &pixels) {
    const uint32_t group = Rest(layout_.pixel - first_, group_), row = columns_ * group_;
    const int64_t to = layout_.Pixel(image_, row_, column_) * layout_.pixel + first_;
    if (group == layout_.pixel) {
      CopyPlanesOut(out_gm_, to, layout_.Pitch() * layout_.pixel, pixels, row, rows_, row);
      return;
    }
    for (uint32_t r = 0; r < rows_; ++r) {
      CopyRowsOut(out_gm_, to + r * layout_.Pitch() * layout_.pixel, layout_.pixel, pixels[r * row], group_,
                  columns_, group);
    }
  }

  // Rows above and below each image, and columns beside it.
  __aicore__ inline void ClearBorder() {
    constexpr uint32_t kMaxRows = 4095;  // of a copy
    const uint32_t capacity = group_ * pitch_, pixel = layout_.pixel;
    const uint32_t above = layout_.taps, below = layout_.taps - 1, beside = below;
    // Pixels, or a part of one, of a row of the border or of a column of it.
    const uint32_t piece = pixel < capacity ? pixel : capacity, pixels = Rest(capacity / piece, kMaxRows);
    const int64_t row_pieces = Parts(layout_.Pitch(), pixels);
    const int64_t column_pieces = Parts(layout_.rows, pixels) * beside;
    const int64_t pieces = (above + below) * row_pieces + column_pieces;
    const Share share = CoreShare(layout_.images * pieces);
    if (share.begin == share.end) return;
    auto zeros = out_queue_.template AllocTensor<T>();
    AscendC::Duplicate(zeros.template ReinterpretCast<half>(), half(0), capacity * sizeof(T) / sizeof(half));
    out_queue_.EnQue(zeros);
    zeros = out_queue_.template DeQue<T>();
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t image = item / pieces, i = item % pieces, row_piece = i - column_pieces;
      for (uint32_t c = 0; c < pixel; c += piece) {
        const uint32_t part = Rest(pixel - c, piece);
        if (i < column_pieces) {
          const int64_t row = i / beside * pixels;
          const int64_t to = layout_.Pixel(image, row, layout_.columns + i % beside) * pixel + c;
          CopyPlanesOut(out_gm_, to, layout_.Pitch() * pixel, zeros, part, Rest(layout_.rows - row, pixels),
                        part);
        } else {
          const int64_t row = row_piece / row_pieces, x = row_piece % row_pieces * pixels;
          const int64_t y = row < above ? row - above : layout_.rows + row - above;
          const uint32_t run = Rest(layout_.Pitch() - x, pixels) * part;
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
  uint32_t group_, tile_rows_, tile_columns_, pitch_;
  // The tile in hand.
  int64_t image_, row_, column_;
  uint32_t first_, rows_, columns_;  // first channel
};

}  // namespace avo
