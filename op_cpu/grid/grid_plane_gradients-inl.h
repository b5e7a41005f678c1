// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples, one channel after the other. No image is copied, so time goes with the
// samples; pixels that no sample reads are only set to 0.
#if defined(AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_PLANE_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/copies/widen_plane-inl.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/with_constant-inl.h"
#include "op_cpu/grid/grid_gradients-inl.h"
#include "op_cpu/grid/grid_taps-inl.h"
#include "op_cpu/grid/kept_memory.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sets a plane of (rows, columns) to 0.
template <typename T>
void ZeroPlane(T *plane, int64_t rows, int64_t columns, int64_t row, int64_t column) {
  if (column == 1 && row == columns) {
    columns *= rows;
    rows = 1;
  }
  for (int64_t y = 0; y < rows; ++y, plane += row) {
    if (column == 1) {
      std::memset(static_cast<void *>(plane), 0, columns * sizeof(T));
    } else {
      for (int64_t x = 0; x < columns; ++x) plane[x * column] = T{};
    }
  }
}

// Computes tiles of samples. Each thread owns one. Sums of float32 and float64 are made where the result
// lies; those of half types in float32, of some planes at a time.
template <typename T, class Args>
class GridPlaneGradients {
  using Value = Compute<T>;
  static constexpr bool kInPlace = std::is_same_v<T, Value>;
  static constexpr int64_t kSums = 1 << 17;  // most elements of planes of sums, which stay in L2
  // Pixels for each one that a sample reads, from which on only these are rounded.
  static constexpr int64_t kFew = 8;
  static constexpr int64_t kPlanesAtOnce = 64;  // most planes at a time

 public:
  // slopes: whether the gradients of the coordinates are computed, too.
  GridPlaneGradients(const Args &args, const GridRules &rules, bool slopes)
      : args_(args),
        height_(args.input.shape[2]),
        width_(args.input.shape[3]),
        slopes_(slopes),
        tiles_(args.grid),
        taps_(args.grid, args.input, args.grad_input, rules, PlanesOf(args), kGradientPositions, slopes),
        sums_(kInPlace ? 0 : PlanesOf(args) * height_ * width_) {
    memory_.Allocate(KeptArray{&up_, taps_.most()}, KeptArray{&by_y_, taps_.most()},
                     KeptArray{&by_x_, taps_.most()});
  }

  // Planes of an image whose gradients are made at a time: all where they share lines of the cache.
  static int64_t PlanesOf(const Args &args) {
    const int64_t pixels = args.input.shape[2] * args.input.shape[3], channels = args.input.shape[1];
    const int64_t most = !kInPlace                         ? std::min(kPlanesAtOnce, kSums / pixels)
                         : args.grad_input.strides[1] == 1 ? channels
                                                           : kPlanesAtOnce;
    return std::max<int64_t>(1, std::min(channels, most));
  }

  // Computes the gradients of channels [first, first + count) of image n, at most PlanesOf. With slopes, they
  // must be all, and the gradients of the coordinates are computed as well.
  void Images(int64_t n, int64_t first, int64_t count) {
    const Shape &s = args_.grad_input.strides;
    T *to = static_cast<T *>(args_.grad_input.data) + n * s[0] + first * s[1];
    const bool lines = s[1] == 1 && s[3] == args_.input.shape[1] && count == s[3] && s[2] == width_ * s[3];
    if (kInPlace && lines) {
      ZeroPlane(to, 1, height_ * s[2], 1, 1);
    } else {
      for (int64_t c = 0; c < count && kInPlace; ++c) ZeroPlane(to + c * s[1], height_, width_, s[2], s[3]);
    }
    if constexpr (kInPlace) {
      for (int64_t i = 0; i < tiles_.count(); ++i) AddTile(tiles_(n, i), first, count, to, s[1], s[2], s[3]);
    } else {
      const int64_t pixels = height_ * width_;
      for (int64_t i = 0; i < tiles_.count(); ++i)
        AddTile(tiles_(n, i), first, count, sums_.data(), pixels, width_, 1);
      // Where few pixels have a sum, only these are rounded.
      const bool few = tiles_.count() == 1 && taps_.listed() > 0 && kFew * taps_.listed() < pixels &&
                       s[2] == width_ * s[3];
      for (int64_t c = 0; c < count; ++c) {
        Value *sums = sums_.data() + c * pixels;
        if (few) {
          ZeroPlane(to + c * s[1], height_, width_, s[2], s[3]);
          taps_.ForPlaces([&](int64_t place) { to[c * s[1] + place * s[3]] = Narrow<T>(sums[place]); });
          taps_.ForPlaces([&](int64_t place) { sums[place] = 0; });
        } else {
          Round(sums, to + c * s[1]);
          std::memset(sums, 0, pixels * sizeof(Value));
        }
      }
    }
  }

  // Computes the gradients of the coordinates of a tile, of the neighbours and all channels.
  void Grid(const Tile &tile) {
    const Shape &s = args_.input.strides;
    AddTile(tile, 0, args_.input.shape[1], nullptr, 0, s[2], s[3]);
  }

 private:
  // Rounds the sums of a plane.
  void Round(const Value *sums, T *to) const {
    const Shape &s = args_.grad_input.strides;
    const bool one_run = s[3] == 1 && s[2] == width_;
    const int64_t rows = one_run ? 1 : height_, columns = one_run ? height_ * width_ : width_;
    for (int64_t y = 0; y < rows; ++y, sums += columns, to += s[2]) {
      if (s[3] == 1) {
        ConvertLine(sums, columns, to);
      } else {
        for (int64_t x = 0; x < columns; ++x) to[x * s[3]] = Narrow<T>(sums[x]);
      }
    }
  }

  // Computes a tile, for `count` channels from `first` on. `sums` are those of the first channel, with the
  // distances of planes, rows and columns; nullptr: none are made, and the distances are those of the input.
  void AddTile(const Tile &tile, int64_t first, int64_t count, Value *sums, int64_t plane, int64_t row,
               int64_t column) {
    taps_.Move(tile, row, column);
    if (slopes_) {
      std::fill_n(by_y_, taps_.most(), Value{0});
      std::fill_n(by_x_, taps_.most(), Value{0});
    }
    const Shape &s = args_.input.strides;
    const T *from = static_cast<const T *>(args_.input.data) + tile.image * s[0] + first * s[1];
    WithConstant<1, 4, 16>(taps_.neighbours(), [&](auto neighbours) {
      for (int64_t c = 0; c < count; ++c) {
        const T *pixels = from + c * s[1];
        Read(tile, first + c);
        if (sums != nullptr) taps_.template AddSums<neighbours>(up_, pixels, sums + c * plane);
        if (slopes_) taps_.template AddSlopes<neighbours>(up_, pixels, sums != nullptr, by_y_, by_x_);
      }
    });
    if (slopes_) StoreGrid(tile);
  }

  // Reads the gradients of the samples of a tile in channel c.
  void Read(const Tile &tile, int64_t c) {
    const Shape &s = args_.grad_output.strides;
    const T *from = static_cast<const T *>(args_.grad_output.data) + tile.image * s[0] + c * s[1] +
                    tile.row * s[2] + tile.column * s[3];
    WidenPlane(from, s[2], s[3], tile.rows, tile.columns, up_);
  }

  // Stores the gradients of the coordinates of the tile.
  void StoreGrid(const Tile &tile) const {
    const ComputeTag<T> d;
    constexpr int64_t kLanes = hn::MaxLanes(d);
    const Shape &s = args_.grad_grid.strides;
    T *to = static_cast<T *>(args_.grad_grid.data) + tile.image * s[0] + tile.row * s[1] + tile.column * s[2];
    for (int64_t row = 0, p = 0; row < tile.rows; ++row, to += s[1]) {
      int64_t column = 0;
      if constexpr (kInPlace) {
        const bool pairs = s[2] == 2 && s[3] == 1;
        for (; pairs && column + kLanes <= tile.columns; column += kLanes, p += kLanes) {
          hn::StoreInterleaved2(hn::LoadU(d, &by_x_[p]), hn::LoadU(d, &by_y_[p]), d, to + 2 * column);
        }
      }
      for (; column < tile.columns; ++column, ++p) {
        to[column * s[2]] = Narrow<T>(by_x_[p]);
        to[column * s[2] + s[3]] = Narrow<T>(by_y_[p]);
      }
    }
  }

  const Args &args_;
  const int64_t height_, width_;
  const bool slopes_;
  const GradientTiles tiles_;
  GridTaps<T> taps_;
  KeptMemory<GridPlaneGradients> memory_;
  Value *up_, *by_y_, *by_x_;  // of samples
  std::vector<Value> sums_;    // planes; 0 between images
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
