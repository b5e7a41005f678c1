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

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/memory/prefetch.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/common/vectors/with_constant-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"
#include "op_cpu/grid/kept_memory.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The base of a class `Samples`, which has
//   template <class Body> void WithSide(const Body &body) const
//   template <class Side, int kPlanes>
//   void Weigh(Side, const From *plane, int64_t stride, int64_t p, V (&values)[kPlanes]) const
// The first calls body(side) with a number of neighbours that is a constant. The second computes the vector
// of samples of the tile from sample p on, for planes `stride` elements apart. Planes have elements From.
template <typename T, class Samples, typename From = T>
class GridPlanes {
 protected:
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  // stream: whether results go around the caches; most: most samples of a tile.
  GridPlanes(const Tensor &images, const Tensor &out, bool stream, int64_t most)
      : images_(images), out_(out), stream_(stream), most_(most) {}

  // Whether there are so many planes that it is worth the time to fetch the next ones ahead.
  bool ManyPlanes() const { return images_.shape[1] >= 16; }

  // Goes on to a tile. together: planes at a time, 2 or 4. Of many planes, the next ones are fetched ahead if
  // the tile has all of their samples, and few pixels for each sample. Some processors fetch nothing ahead of
  // gathers: on Zen 4, two rows of samples from 995 planes of 8 x 19 then take 0.3 x the time, and 32 x 32
  // samples from planes of 128 x 128 0.45 x. From 256 x 256, most pixels would be fetched for nothing.
  void Move(const Tile &tile, int64_t together = 4) {
    tile_ = tile;
    count_ = tile.positions();
    together_ = together;
    fetched_ = 0;
    if (!ManyPlanes() || images_.strides[3] != 1 || count_ < out_.shape[2] * out_.shape[3]) return;
    const int64_t vectors = std::max<int64_t>(1, count_ / kLanes);
    const int64_t share = hwy::DivCeil(images_.shape[2] * images_.strides[2], vectors);
    if (share * static_cast<int64_t>(sizeof(From)) <= kMostSpread) fetched_ = share;
  }

 public:
  // Computes channels [first, first + count) of the tile. Where the samples of a channel are no neighbours in
  // memory, some channels are computed before their elements take their places.
  void Sample(int64_t first, int64_t count) {
    const Shape &s = out_.strides;
    const int64_t stride = images_.strides[1];
    const bool dense =
        s[3] == 1 && (tile_.rows == 1 || (tile_.columns == out_.shape[3] && s[2] == tile_.columns));
    const From *plane =
        static_cast<const From *>(images_.data) + tile_.image * images_.strides[0] + first * stride;
    T *to = static_cast<T *>(out_.data) + tile_.image * s[0] + first * s[1] + tile_.row * s[2] +
            tile_.column * s[3];
    if (dense) {
      const bool stream = stream_ && reinterpret_cast<uintptr_t>(to) % 64 == 0 && s[1] * sizeof(T) % 64 == 0;
      return Channels(plane, stride, count, to, s[1], stream);
    }
    if (results_ == nullptr) {
      memory_.Allocate(KeptArray{&results_, std::min(images_.shape[1], kTogether) * most_});
    }
    for (int64_t c = 0; c < count; c += kTogether) {
      const int64_t channels = std::min(kTogether, count - c);
      Channels(plane + c * stride, stride, channels, results_, most_, false);
      const bool one_run = tile_.columns == out_.shape[3] && s[2] == tile_.columns * s[3];
      const int64_t rows = one_run ? 1 : tile_.rows, columns = one_run ? count_ : tile_.columns;
      for (int64_t row = 0; row < rows; ++row) {
        const T *from = results_ + row * columns;
        T *line = to + c * s[1] + row * s[2];
        if (s[1] == 1 && s[3] == channels && channels > 1 && channels <= 4) {
          WithConstant<2, 3, 4>(channels, [&](auto count) { Interleave<count>(from, most_, columns, line); });
        } else if (s[1] == 1) {
          ToChannelsLast(from, most_, channels, columns, line, s[3]);
        } else {
          for (int64_t i = 0; i < channels; ++i) {
            for (int64_t x = 0; x < columns; ++x) line[i * s[1] + x * s[3]] = from[i * most_ + x];
          }
        }
      }
    }
  }

 private:
  static constexpr int64_t kTogether = 16;

  // Stores a0 b0 a1 b1 … of lines a, b, …, which are `stride` elements apart.
  template <int64_t kLines>
  static void Interleave(const T *a, int64_t stride, int64_t count, T *to) {
    const BitsTag<T> d;
    using Bits = hn::TFromD<decltype(d)>;
    int64_t x = 0;
    for (; x + kLanes <= count; x += kLanes) {
      const auto line = [&](int64_t i) HWY_ATTR {
        return hn::LoadU(d, reinterpret_cast<const Bits *>(a + i * stride + x));
      };
      auto *const place = reinterpret_cast<Bits *>(to + kLines * x);
      if constexpr (kLines == 2) hn::StoreInterleaved2(line(0), line(1), d, place);
      if constexpr (kLines == 3) hn::StoreInterleaved3(line(0), line(1), line(2), d, place);
      if constexpr (kLines == 4) hn::StoreInterleaved4(line(0), line(1), line(2), line(3), d, place);
    }
    for (; x < count; ++x) {
      for (int64_t i = 0; i < kLines; ++i) to[kLines * x + i] = a[i * stride + x];
    }
  }

  // Computes all samples of the tile for `count` planes, `stride` elements apart, into `out`, `out_stride`
  // elements apart. Planes at a time share offsets and weights.
  void Channels(const From *plane, int64_t stride, int64_t count, T *out, int64_t out_stride,
                bool stream) const {
    int64_t c = 0;
    for (; together_ == 2 && c + 2 <= count; c += 2) {
      Planes<2>(plane + c * stride, stride, out + c * out_stride, out_stride, stream);
    }
    for (; c + 4 <= count; c += 4)
      Planes<4>(plane + c * stride, stride, out + c * out_stride, out_stride, stream);
    plane += c * stride;
    out += c * out_stride;
    if (count - c == 3) Planes<3>(plane, stride, out, out_stride, stream);
    if (count - c == 2) Planes<2>(plane, stride, out, out_stride, stream);
    if (count - c == 1) Planes<1>(plane, stride, out, out_stride, stream);
  }

  template <int kPlanes>
  void Planes(const From *plane, int64_t stride, T *out, int64_t out_stride, bool stream) const {
    static_cast<const Samples &>(*this).WithSide(
        [&](auto side) HWY_ATTR { PlanesOf<kPlanes>(side, plane, stride, out, out_stride, stream); });
  }

  template <int kPlanes, class Side>
  HWY_NOINLINE void PlanesOf(Side side, const From *plane, int64_t stride, T *out, int64_t out_stride,
                             bool stream) const {
    const D d;
    const auto &samples = static_cast<const Samples &>(*this);
    const int64_t whole = count_ / kLanes * kLanes;
    V values[kPlanes];
    const From *next = plane + kPlanes * stride;
    for (int64_t p = 0; p < whole; p += kLanes, next += fetched_) {
      for (int i = 0; i < kPlanes; ++i) PrefetchRun(next + i * stride, fetched_);
      samples.Weigh(side, plane, stride, p, values);
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
    samples.Weigh(side, plane, stride, whole, values);
#pragma GCC unroll 4
    for (int i = 0; i < kPlanes; ++i) StoreFirst(values[i], d, out + i * out_stride + whole, count_ - whole);
  }

 protected:
  const Tensor &images_, &out_;
  Tile tile_{};
  int64_t count_ = 0;  // samples of the tile

 private:
  int64_t together_ = 4;  // planes at a time
  int64_t fetched_ = 0;   // elements of the next planes to prefetch for each vector of samples
  const bool stream_;
  const int64_t most_;
  KeptMemory<GridPlanes> memory_;
  T *results_ = nullptr;  // [channel][most_], which then take their places
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
