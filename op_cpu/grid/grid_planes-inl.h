// SPDX-License-Identifier: Apache-2.0
// Samples of planes, with samples as lanes: one channel after the other, or a few together, which share
// places and weights. GridPairs and GridGathers say how a vector of samples is computed.
#if defined(AVO_OP_CPU_GRID_GRID_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_PLANES_INL_H_
#undef AVO_OP_CPU_GRID_GRID_PLANES_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_PLANES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The base of a class `Samples`, which has
//   template <int kPlanes> void Weigh(const T *plane, int64_t stride, int64_t p, V (&values)[kPlanes]) const
// This computes the vector of samples of the tile from sample p on, for planes `stride` elements apart.
template <typename T, class Samples>
class GridPlanes {
 protected:
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // stream: whether results go around the caches; most: most samples of a tile.
  GridPlanes(const Tensor &images, const Tensor &out, bool stream, int64_t most)
      : images_(images), out_(out), stream_(stream), results_(most) {}

  // Goes on to a tile. `four`: whether four planes together are faster than two.
  void Move(const GridTile<T> &grid, const Tile &tile, bool four) {
    tile_ = tile;
    box_ = grid.box();
    count_ = tile.positions();
    four_ = four;
  }

 public:
  // Computes channels [first, first + count) of the tile. Two channels at a time share offsets and weights:
  // 1.2 x as fast at AVX-512 for GridPairs.
  void Sample(int64_t first, int64_t count) {
    const Shape &s = out_.strides;
    const int64_t stride = images_.strides[1];
    const bool dense =
        s[3] == 1 && (tile_.rows == 1 || (tile_.columns == out_.shape[3] && s[2] == tile_.columns));
    const T *plane = static_cast<const T *>(images_.data) + tile_.image * images_.strides[0] + first * stride;
    T *to = static_cast<T *>(out_.data) + tile_.image * s[0] + first * s[1] + tile_.row * s[2] +
            tile_.column * s[3];
    const bool stream = stream_ && reinterpret_cast<uintptr_t>(to) % 64 == 0 && s[1] * sizeof(T) % 64 == 0;
    int64_t c = 0;
    for (; dense && four_ && c + 4 <= count; c += 4) {
      Planes<4>(plane + c * stride, stride, to + c * s[1], s[1], stream);
    }
    for (; dense && c + 2 <= count; c += 2) {
      Planes<2>(plane + c * stride, stride, to + c * s[1], s[1], stream);
    }
    for (; c < count; ++c) {
      if (dense) {
        Planes<1>(plane + c * stride, stride, to + c * s[1], s[1], stream);
        continue;
      }
      Planes<1>(plane + c * stride, stride, results_.data(), 0, false);
      const Value *from = results_.data();
      for (int64_t row = 0; row < tile_.rows; ++row) {
        T *line = to + c * s[1] + row * s[2];
        for (int64_t column = 0; column < tile_.columns; ++column) line[column * s[3]] = Narrow<T>(*from++);
      }
    }
  }

 private:
  // Computes all samples of the tile for kPlanes planes, `stride` elements apart, into `out`, `out_stride`
  // elements apart. Meanwhile it prefetches the next planes: 1.2 x as fast at AVX-512 for planes that are not
  // in L2.
  template <int kPlanes, typename To>
  void Planes(const T *plane, int64_t stride, To *out, int64_t out_stride, bool stream) const {
    const D d;
    const auto &samples = static_cast<const Samples &>(*this);
    const int64_t whole = count_ / kLanes * kLanes;
    const T *next = plane + kPlanes * stride + box_.row * images_.strides[2];
    const int64_t fetched = whole == 0 ? 0 : box_.rows * images_.strides[2] / (whole / kLanes);
    V values[kPlanes];
    for (int64_t p = 0; p < whole; p += kLanes, next += fetched) {
#pragma GCC unroll 4
      for (int i = 0; i < kPlanes; ++i) hwy::Prefetch(next + i * stride);
      samples.Weigh(plane, stride, p, values);
#pragma GCC unroll 4
      for (int i = 0; i < kPlanes; ++i) {
        if (stream) {
          StreamFloat(values[i], d, out + i * out_stride + p);
        } else {
          StoreFloat(values[i], d, out + i * out_stride + p);
        }
      }
    }
    if (whole == count_) return;
    samples.Weigh(plane, stride, whole, values);
    for (int i = 0; i < kPlanes; ++i) {
      To last[kLanes];
      StoreFloat(values[i], d, last);
      std::copy_n(last, count_ - whole, out + i * out_stride + whole);
    }
  }

 protected:
  const Tensor &images_, &out_;
  Tile tile_{};
  GridBox box_{};
  int64_t count_ = 0;  // samples of the tile

 private:
  const bool stream_;
  bool four_ = false;
  std::vector<Value> results_;  // samples of a plane that are stored one by one
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
