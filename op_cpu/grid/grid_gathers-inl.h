// SPDX-License-Identifier: Apache-2.0
// Samples of few planes, with samples as lanes: each neighbour of a vector of samples is a gather. It suits
// images that have too few channels to be lanes, and those of which the samples read few pixels. Any strides,
// any interpolation. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_GATHERS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
class GridGathers {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  using I = hn::RebindToSigned<D>;
  using Index = hn::TFromD<I>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  // Whether an Index holds the offsets of all pixels of a plane.
  static bool Fit(const Tensor &images) {
    constexpr int64_t kMost = std::numeric_limits<Index>::max() / 4;
    const auto reach = [&](int d) {
      return images.strides[d] < 0 ? kMost : (images.shape[d] - 1) * images.strides[d];
    };
    return reach(2) < kMost && reach(3) < kMost;
  }

  GridGathers(const Tensor &images, const Tensor &out, const GridTile<T> &grid)
      : images_(images),
        out_(out),
        grid_(grid),
        offsets_(AllocateAligned<Index>(grid.neighbours() * grid.most())) {}

  // Goes on to a tile. The GridTile must have its neighbours and weights.
  void Move(const Tile &tile) {
    tile_ = tile;
    grid_.Number(static_cast<Index>(images_.strides[2]), static_cast<Index>(images_.strides[3]), 0, -1,
                 offsets_.get());
  }

  // Computes channels [first, first + count) of the tile.
  void Sample(int64_t first, int64_t count) const {
    const Shape &in = images_.strides, &s = out_.strides;
    const T *plane = static_cast<const T *>(images_.data) + tile_.image * in[0] + first * in[1];
    T *to = static_cast<T *>(out_.data) + tile_.image * s[0] + first * s[1] + tile_.row * s[2] +
            tile_.column * s[3];
    const auto sample = grid_.neighbours() == 1   ? &GridGathers::Plane<1>
                        : grid_.neighbours() == 4 ? &GridGathers::Plane<4>
                                                  : &GridGathers::Plane<16>;
    for (int64_t c = 0; c < count; ++c, plane += in[1], to += s[1]) (this->*sample)(plane, to);
  }

 private:
  template <int64_t kNeighbours>
  void Plane(const T *plane, T *to) const {
    const D d;
    const Shape &s = out_.strides;
    const int64_t count = tile_.positions();
    const bool run = s[3] == 1 && (tile_.rows == 1 || s[2] == tile_.columns);
    for (int64_t p = 0; p < count; p += kLanes) {
      const V sum = Weigh<kNeighbours>(plane, p);
      if (run && p + kLanes <= count) {
        StoreFloat(sum, d, to + p);
        continue;
      }
      T results[kLanes];
      StoreFloat(sum, d, results);
      for (int64_t i = p; i < std::min(p + kLanes, count); ++i) {
        to[i / tile_.columns * s[2] + i % tile_.columns * s[3]] = results[i - p];
      }
    }
  }

  // A vector of samples of one plane. Its sum has the order of GridChannels::Weigh.
  template <int64_t kNeighbours>
  HWY_INLINE V Weigh(const T *plane, int64_t p) const {
    const D d;
    const Index *offsets = &offsets_[p * kNeighbours];
    const Value *weights = grid_.weights() + p * kNeighbours;
    V sum = Gather(plane, offsets);
    if constexpr (kNeighbours > 1) sum = hn::Mul(sum, hn::Load(d, weights));
#pragma GCC unroll 16
    for (int64_t k = 1; k < kNeighbours; ++k) {
      sum = FusedMulAdd(hn::Load(d, weights + k * kLanes), Gather(plane, offsets + k * kLanes), sum);
    }
    return sum;
  }

  // A vector of pixels; 0 where an offset is negative, outside the image.
  static HWY_INLINE V Gather(const T *plane, const Index *offsets) {
    const D d;
    if constexpr (std::is_same_v<T, Value>) {
      const auto index = hn::Load(I(), offsets);
      const auto inside = hn::RebindMask(d, hn::Ge(index, hn::Zero(I())));
      return hn::MaskedGatherIndex(inside, d, plane, index);
    } else {
      T pixels[kLanes];
      for (int64_t i = 0; i < kLanes; ++i) pixels[i] = offsets[i] < 0 ? T{} : plane[offsets[i]];
      return LoadFloat(d, pixels);
    }
  }

  const Tensor &images_, &out_;
  const GridTile<T> &grid_;
  Tile tile_{};
  hwy::AlignedFreeUniquePtr<Index[]> offsets_;  // from the first pixel of a plane, by grid_.Place
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
