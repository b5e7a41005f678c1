// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples, with channels as lanes. Compiled once for each instruction set.
//
// A group of channels of an image is copied, so that the channels of a pixel lie side by side, and so are the
// sums. Pixels are `pitch` elements apart: channels, and zeros up to a power of two or a multiple of 64
// bytes. So no vector reaches the next pixel, whose sum the processor may just be writing. Behind the last
// pixel lies one of zeros, which stands for all neighbours outside the image:
//
//   3 channels    c0 c1 c2 0 | c0 c1 c2 0 | … | 0 0 0 0        pitch 4
#if defined(AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Elements from pixel to pixel for a group of so many channels.
template <typename Value>
int64_t GradientPitch(int64_t channels) {
  constexpr int64_t kLong = kLongLanes<Value>;
  return channels <= kLong / 4 ? kLong / 4 : channels <= kLong / 2 ? kLong / 2 : AlignUp(channels, kLong);
}

// Tiles of the samples of an image, for its gradients: neighbours and gradients of a tile stay in L1.
constexpr int64_t kGradientPositions = 128;
class GradientTiles {
 public:
  explicit GradientTiles(const Tensor &grid)
      : count_(std::min<int64_t>(1, grid.shape[1] * grid.shape[2])),
        tiles_(std::max<int64_t>(1, grid.shape[1]), std::max<int64_t>(1, grid.shape[2]), kGradientPositions,
               kGradientPositions) {
    count_ *= tiles_.count();
  }

  int64_t count() const { return count_; }
  Tile operator()(int64_t image, int64_t tile) const { return tiles_(image, tile); }

 private:
  int64_t count_;  // 0 for a grid without samples
  Tiles tiles_;
};

// The gradients of one group of channels of one image after the other. Each thread owns one.
template <typename T, class Args>
class GridGradients {
  using Value = Compute<T>;
  using Index = typename GridTile<T>::Index;
  static constexpr int64_t kLanes = GridTile<T>::kLanes, kLong = kLongLanes<Value>;

 public:
  // most_channels: of a group.
  GridGradients(const Args &args, const GridRules &rules, int64_t most_channels)
      : args_(args),
        nearest_(rules.interpolation == Interpolation::kNearest),
        pitch_(GradientPitch<Value>(most_channels)),
        height_(args.input.shape[2]),
        width_(args.input.shape[3]),
        tiles_(args.grid),
        tile_(args.grid, height_, width_, rules, kGradientPositions, !nearest_),
        numbers_(AllocateAligned<Index>(tile_.neighbours() * tile_.most())),
        counts_(AllocateAligned<Value>(tile_.most())),
        image_(AllocateAligned<T>(nearest_ ? 0 : Elements())),
        sums_(AllocateAligned<Value>(Elements())),
        grads_(AllocateAligned<T>(kGradientPositions * pitch_)) {
    AdviseHugePages(image_.get(), nearest_ ? 0 : Elements() * sizeof(T));
    AdviseHugePages(sums_.get(), Elements() * sizeof(Value));
  }

  // Computes channels [first, first + count) of image n. set(row, column, by_y, by_x) takes what they add to
  // the gradient of the coordinates of a sample; it is not called in mode nearest.
  template <class Set>
  void AddGroup(int64_t n, int64_t first, int64_t count, const Set &set) {
    if (count != channels_) {
      channels_ = count;
      std::fill_n(image_.get(), nearest_ ? 0 : Elements(), T{});
      std::fill_n(grads_.get(), kGradientPositions * pitch_, T{});
    }
    if (!nearest_) CopyImage(n, first);
    std::memset(sums_.get(), 0, Elements() * sizeof(Value));
    for (int64_t i = 0; i < tiles_.count(); ++i) {
      const Tile tile = tiles_(n, i);
      Move(tile, first);
      pitch_ == kLong / 4   ? Add<kLong / 4>(tile, set)
      : pitch_ == kLong / 2 ? Add<kLong / 2>(tile, set)
                            : Add<kLong>(tile, set);
    }
    const Shape &s = args_.grad_input.strides;
    FromChannelsLast<T>(sums_.get(), pitch_, channels_, height_, width_,
                        static_cast<T *>(args_.grad_input.data) + n * s[0] + first * s[1],
                        {s[1], s[2], s[3]});
  }

 private:
  // With one pixel of zeros, and room for the last vector.
  int64_t Elements() const { return (height_ * width_ + 1) * pitch_ + kLanes; }

  // Copies a rectangle of pixels, so that the channels of a pixel lie side by side.
  void CopyPixels(const T *from, const Shape &strides, int64_t rows, int64_t columns, T *to) const {
    if (strides[2] == columns * strides[3]) {
      columns *= rows;
      rows = 1;
    }
    for (int64_t y = 0; y < rows; ++y) {
      RowToChannelsLast(from + y * strides[2], strides, channels_, columns, to + y * columns * pitch_,
                        pitch_);
    }
  }

  void CopyImage(int64_t n, int64_t first) {
    const Shape &s = args_.input.strides;
    CopyPixels(static_cast<const T *>(args_.input.data) + n * s[0] + first * s[1], s, height_, width_,
               image_.get());
  }

  // Goes on to a tile: finds its neighbours, and copies its gradients.
  void Move(const Tile &tile, int64_t first) {
    tile_.Move(tile);
    if (!nearest_) tile_.Weigh();
    const Index outside = static_cast<Index>(height_ * width_);
    tile_.Number(width_, 1, 0, outside, numbers_.get());
    const typename GridTile<T>::D d;
    const typename GridTile<T>::I i;
    for (int64_t p = 0; p < tile.positions() && !nearest_; p += kLanes) {
      auto least = hn::Set(i, outside);
      for (int64_t k = 0; k < tile_.neighbours(); ++k) {
        least = hn::Min(least, hn::Load(i, &numbers_[p * tile_.neighbours() + k * kLanes]));
      }
      hn::Store(hn::IfThenElseZero(hn::RebindMask(d, hn::Lt(least, hn::Set(i, outside))),
                                   hn::BitCast(d, hn::Set(i, -1))),
                d, &counts_[p]);
    }
    const Shape &s = args_.grad_output.strides;
    const T *from = static_cast<const T *>(args_.grad_output.data) + tile.image * s[0] + first * s[1] +
                    tile.row * s[2] + tile.column * s[3];
    CopyPixels(from, s, tile.rows, tile.columns, grads_.get());
  }

  template <int64_t kDepth, class Set>
  void Add(const Tile &tile, const Set &set) {
    const auto add = nearest_                  ? &GridGradients::AddTile<kDepth, 1, Set>
                     : tile_.neighbours() == 4 ? &GridGradients::AddTile<kDepth, 4, Set>
                                               : &GridGradients::AddTile<kDepth, 16, Set>;
    (this->*add)(tile, set);
  }

  // Adds the gradients of a tile, of kDepth channels at a time. The sums of kDepth channels are made in the
  // same order with any number of lanes.
  template <int64_t kDepth, int kNeighbours, class Set>
  void AddTile(const Tile &tile, const Set &set) {
    const hn::CappedTag<Value, kDepth> d;
    using V = hn::Vec<decltype(d)>;
    constexpr int64_t kStep = hn::MaxLanes(d), kParts = kDepth / kStep;
    const int64_t pitch = kDepth < kLong ? kDepth : pitch_;
    const T *grads = grads_.get(), *image = image_.get();
    Value *sums = sums_.get();
    int64_t row = tile.row, column = tile.column;
    for (int64_t p = 0; p < tile.positions(); ++p, grads += pitch) {
      const int64_t place = (p & -kLanes) * kNeighbours + (p & (kLanes - 1));
      const Index *number = &numbers_[place];
      const Value *weight = tile_.weights() + place;
      const Value *slope_y = tile_.slopes(0) + place, *slope_x = tile_.slopes(1) + place;
      V by_y[kParts], by_x[kParts];
      for (int64_t i = 0; i < kParts; ++i) by_y[i] = by_x[i] = hn::Zero(d);
      for (int64_t c = 0; c < pitch; c += kDepth) {
        V up[kParts], along_y[kParts], along_x[kParts];
        for (int64_t i = 0; i < kParts; ++i) {
          up[i] = LoadFloat(d, grads + c + i * kStep);
          along_y[i] = along_x[i] = hn::Zero(d);
        }
#pragma GCC unroll 4
        for (int64_t k = 0; k < kNeighbours; ++k) {
          const int64_t offset = number[k * kLanes] * pitch + c;
          for (int64_t i = 0; i < kParts; ++i) {
            Value *sum = sums + offset + i * kStep;
            if constexpr (kNeighbours == 1) {
              hn::StoreU(hn::Add(up[i], hn::LoadU(d, sum)), d, sum);
            } else {
              hn::StoreU(FusedMulAdd(hn::Set(d, weight[k * kLanes]), up[i], hn::LoadU(d, sum)), d, sum);
              const V pixel = LoadFloat(d, image + offset + i * kStep);
              along_y[i] = FusedMulAdd(pixel, hn::Set(d, slope_y[k * kLanes]), along_y[i]);
              along_x[i] = FusedMulAdd(pixel, hn::Set(d, slope_x[k * kLanes]), along_x[i]);
            }
          }
        }
        if constexpr (kNeighbours > 1) {
          // A sample whose neighbours are all outside has no gradient, not even 0 x infinity.
          const V counts = hn::Set(d, counts_[p]);
          for (int64_t i = 0; i < kParts; ++i) {
            by_y[i] = FusedMulAdd(hn::And(up[i], counts), along_y[i], by_y[i]);
            by_x[i] = FusedMulAdd(hn::And(up[i], counts), along_x[i], by_x[i]);
          }
        }
      }
      if constexpr (kNeighbours > 1) {
        set(row, column, FoldLanes<Total>(d, FoldVectors<Total>(by_y)),
            FoldLanes<Total>(d, FoldVectors<Total>(by_x)));
        if (++column < tile.column + tile.columns) continue;
        column = tile.column;
        ++row;
      }
    }
  }

  const Args &args_;
  const bool nearest_;  // each sample adds to one pixel, and no pixel is read
  const int64_t pitch_, height_, width_;
  const GradientTiles tiles_;
  int64_t channels_ = 0;  // of the group
  GridTile<T> tile_;
  hwy::AlignedFreeUniquePtr<Index[]> numbers_;  // of neighbours, by GridTile::Place
  hwy::AlignedFreeUniquePtr<Value[]> counts_;   // bits of a sample that has a neighbour: all ones; else 0
  hwy::AlignedFreeUniquePtr<T[]> image_;        // [pixel][pitch_]
  hwy::AlignedFreeUniquePtr<Value[]> sums_;     // [pixel][pitch_]
  hwy::AlignedFreeUniquePtr<T[]> grads_;        // of the samples of a tile, [sample][pitch_]
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
