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
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/grid/grid_gathers-inl.h"
#include "op_cpu/grid/grid_gradients-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// a * b + sum, rounded once.
template <typename Value>
HWY_INLINE Value FusedOne(Value a, Value b, Value sum) {
  const hn::CappedTag<Value, 1> one;
  return hn::GetLane(FusedMulAdd(hn::Set(one, a), hn::Set(one, b), hn::Set(one, sum)));
}

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
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  using I = typename GridTile<T>::I;
  using Index = typename GridTile<T>::Index;
  static constexpr bool kInPlace = std::is_same_v<T, Value>;
  static constexpr int64_t kLanes = GridTile<T>::kLanes;
  // A neighbour of a sample of a tile: elements in a plane.
  struct Tap {
    int64_t place, sample;
    Value weight;
  };
  static constexpr int64_t kSums = 1 << 17;  // most elements of planes of sums, which stay in L2
  // Pixels for each one that a sample reads, from which on only these are rounded.
  static constexpr int64_t kFew = 8;
  static constexpr int64_t kPlanesAtOnce = 64;  // most planes at a time

 public:
  GridPlaneGradients(const Args &args, const GridRules &rules, bool slopes)
      : args_(args),
        height_(args.input.shape[2]),
        width_(args.input.shape[3]),
        tiles_(args.grid),
        tile_(args.grid, height_, width_, rules, kGradientPositions, slopes),
        gathers_(GridGathers<T>::Fit(args.input)),
        offsets_(AllocateAligned<Index>(slopes ? tile_.neighbours() * tile_.most() : 0)),
        taps_(slopes ? 0 : tile_.neighbours() * tile_.most() + 1),
        up_(AllocateAligned<Value>(tile_.most())),
        by_y_(AllocateAligned<Value>(tile_.most())),
        by_x_(AllocateAligned<Value>(tile_.most())),
        sums_(kInPlace ? 0 : PlanesOf(args) * height_ * width_) {
    std::fill_n(up_.get(), tile_.most(), Value{0});
  }

  // Planes of an image whose gradients are made at a time: all where they share lines of the cache.
  static int64_t PlanesOf(const Args &args) {
    const int64_t pixels = args.input.shape[2] * args.input.shape[3], channels = args.input.shape[1];
    const int64_t most = !kInPlace                         ? std::min(kPlanesAtOnce, kSums / pixels)
                         : args.grad_input.strides[1] == 1 ? channels
                                                           : kPlanesAtOnce;
    return std::max<int64_t>(1, std::min(channels, most));
  }

  // Computes the gradients of channels [first, first + count) of image n, at most PlanesOf.
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
      AddTiles(n, first, count, to, s[1], s[2], s[3]);
    } else {
      const int64_t pixels = height_ * width_;
      AddTiles(n, first, count, sums_.data(), pixels, width_, 1);
      // Where few pixels have a sum, only these are rounded.
      const bool few =
          tiles_.count() == 1 && kFew * (taps_end_ - taps_.data()) < pixels && s[2] == width_ * s[3];
      for (int64_t c = 0; c < count; ++c) {
        Value *sums = sums_.data() + c * pixels;
        if (few) {
          ZeroPlane(to + c * s[1], height_, width_, s[2], s[3]);
          for (const Tap *tap = taps_.data(); tap != taps_end_; ++tap)
            to[c * s[1] + tap->place * s[3]] = Narrow<T>(sums[tap->place]);
          for (const Tap *tap = taps_.data(); tap != taps_end_; ++tap) sums[tap->place] = 0;
        } else {
          Round(sums, to + c * s[1]);
          std::memset(sums, 0, pixels * sizeof(Value));
        }
      }
    }
  }

  // Computes the gradients of the coordinates of a tile, of the neighbours and all channels.
  void Grid(const Tile &tile) {
    const D d;
    tile_.Move(tile);
    tile_.Weigh();
    const Shape &s = args_.input.strides;
    if (gathers_) tile_.Number(s[2] * kGatherUnit<T>, s[3] * kGatherUnit<T>, 0, -1, offsets_.get());
    const int64_t count = tile.positions();
    for (int64_t p = 0; p < count; p += kLanes) {
      hn::Store(hn::Zero(d), d, &by_y_[p]);
      hn::Store(hn::Zero(d), d, &by_x_[p]);
    }
    const T *plane = static_cast<const T *>(args_.input.data) + tile.image * s[0];
    for (int64_t c = 0; c < args_.input.shape[1]; ++c, plane += s[1]) {
      Read(tile, c);
      for (int64_t p = 0; p < count; p += kLanes) AddSlopes(plane, p);
    }
    const Shape &g = args_.grad_grid.strides;
    T *to = static_cast<T *>(args_.grad_grid.data) + tile.image * g[0] + tile.row * g[1] + tile.column * g[2];
    for (int64_t row = 0, p = 0; row < tile.rows; ++row, to += g[1]) {
      for (int64_t column = 0; column < tile.columns; ++column, ++p) {
        to[column * g[2]] = Narrow<T>(by_x_[p]);
        to[column * g[2] + g[3]] = Narrow<T>(by_y_[p]);
      }
    }
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

  // Finds the neighbours of a tile that lie in the image, sample by sample.
  void FindTaps(const Tile &tile, int64_t row_step, int64_t column_step) {
    const bool nearest = tile_.neighbours() == 1;
    Tap *to = taps_.data();
    for (int64_t p = 0; p < tile.positions(); ++p) {
      for (int64_t k = 0; k < tile_.neighbours(); ++k) {
        int64_t row, column;
        const bool inside = tile_.At(k, p, &row, &column);
        const Value weight = nearest ? Value{1} : tile_.weights()[tile_.Place(p) + k * kLanes];
        *to = {row * row_step + column * column_step, p, weight};
        to += inside;  // without a branch, which processors could not foretell
      }
    }
    taps_end_ = to;
  }

  // Reads the gradients of the samples of a tile in channel c.
  void Read(const Tile &tile, int64_t c) {
    const Shape &s = args_.grad_output.strides;
    const T *from = static_cast<const T *>(args_.grad_output.data) + tile.image * s[0] + c * s[1] +
                    tile.row * s[2] + tile.column * s[3];
    WidenPlane(from, s[2], s[3], tile.rows, tile.columns, up_.get());
  }

  // Adds what a plane adds to the gradients of the coordinates of samples p, p + 1, …
  HWY_INLINE void AddSlopes(const T *plane, int64_t p) {
    const D d;
    const I i;
    const int64_t neighbours = tile_.neighbours();
    const auto last =
        hn::Set(i, static_cast<Index>(GridGathers<T>::LastOffset(args_.input) * kGatherUnit<T>));
    V along_y = hn::Zero(d), along_x = hn::Zero(d);
    auto counts = hn::MaskFalse(d);
    for (int64_t k = 0; k < neighbours; ++k) {
      const int64_t at = p * neighbours + k * kLanes;
      V pixel;
      if (HWY_LIKELY(gathers_)) {
        const auto offset = hn::Load(i, &offsets_[at]);
        const auto inside = hn::RebindMask(d, hn::Ge(offset, hn::Zero(i)));
        counts = hn::Or(counts, inside);
        pixel = GatherElements(d, inside, plane, offset, last);
      } else {
        Value pixels[kLanes] = {}, inside[kLanes] = {};
        for (int64_t lane = 0; lane < kLanes; ++lane) {
          int64_t row, column;
          if (!tile_.At(k, p + lane, &row, &column)) continue;
          inside[lane] = 1;
          pixels[lane] = Widen(plane[row * args_.input.strides[2] + column * args_.input.strides[3]]);
        }
        counts = hn::Or(counts, hn::Gt(hn::LoadU(d, inside), hn::Zero(d)));
        pixel = hn::LoadU(d, pixels);
      }
      along_y = FusedMulAdd(pixel, hn::Load(d, tile_.slopes(0) + at), along_y);
      along_x = FusedMulAdd(pixel, hn::Load(d, tile_.slopes(1) + at), along_x);
    }
    // A sample whose neighbours are all outside has no gradient, not even 0 x infinity.
    const V up = hn::IfThenElseZero(counts, hn::Load(d, &up_[p]));
    hn::Store(FusedMulAdd(up, along_y, hn::Load(d, &by_y_[p])), d, &by_y_[p]);
    hn::Store(FusedMulAdd(up, along_x, hn::Load(d, &by_x_[p])), d, &by_x_[p]);
  }

  // Adds the gradients of all samples of image n to planes of sums.
  void AddTiles(int64_t n, int64_t first, int64_t count, Value *sums, int64_t plane, int64_t row,
                int64_t column) {
    for (int64_t i = 0; i < tiles_.count(); ++i) {
      const Tile tile = tiles_(n, i);
      tile_.Move(tile);
      if (tile_.neighbours() > 1) tile_.Weigh();
      FindTaps(tile, row, column);
      for (int64_t c = 0; c < count; ++c) {
        Read(tile, first + c);
        Value *to = sums + c * plane;
        for (const Tap *tap = taps_.data(); tap != taps_end_; ++tap) {
          to[tap->place] = FusedOne(tap->weight, up_[tap->sample], to[tap->place]);
        }
      }
    }
  }

  const Args &args_;
  const int64_t height_, width_;
  const GradientTiles tiles_;
  GridTile<T> tile_;
  const bool gathers_;  // whether 32 bits hold the offsets in a plane of the input
  hwy::AlignedFreeUniquePtr<Index[]>
      offsets_;  // kGatherUnit in such a plane, by GridTile::Place; -1 is outside
  std::vector<Tap> taps_;
  Tap *taps_end_ = nullptr;
  hwy::AlignedFreeUniquePtr<Value[]> up_, by_y_, by_x_;  // of samples
  std::vector<Value> sums_;                              // planes; 0 between images
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
