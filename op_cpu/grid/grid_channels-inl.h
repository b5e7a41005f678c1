// SPDX-License-Identifier: Apache-2.0
// Samples of images with channels as lanes. If the channels of a pixel are not neighbours in memory, up to 16
// channels of the pixels that a tile needs are copied at a time, in that layout.
#if defined(AVO_OP_CPU_GRID_GRID_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_CHANNELS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_CHANNELS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_CHANNELS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/grid/grid_gathers-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Most channels of a copy: a pixel of float32 is a line of the cache. A copy for at most 8 channels has 8.
constexpr int64_t kCopyDepth = 16;
inline int64_t CopyDepthOf(int64_t channels) { return channels <= 8 ? 8 : kCopyDepth; }
constexpr int64_t kCopyPixels = 1 << 15;  // most pixels of a copy, so that it stays in L2

// GridImage and GridCopy tell where the neighbours of a tile's samples are. source(i) points to the channels
// of neighbour `i`, a place as of GridTile::Place. kDepth is how many channels there are, 0 where it is not a
// constant.

// Neighbours in the image itself, from channel `first` on; `zeros` stands for those outside, whose offset is
// below 0.
template <typename T>
struct GridImage {
  static constexpr int64_t kDepth = 0;
  const T *operator()(int64_t i) const { return (offsets[i] < 0 ? zeros : image + offsets[i]) + first; }
  const T *image, *zeros;
  const typename GridTile<T>::Index *offsets;
  int64_t first;
};

// Neighbours in a copy.
template <typename T, int64_t kChannels>
struct GridCopy {
  static constexpr int64_t kDepth = kChannels;
  const T *operator()(int64_t i) const { return copy + offsets[i]; }
  const T *copy;
  const typename GridTile<T>::Index *offsets;
};

template <typename T>
class GridChannels {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using Index = typename GridTile<T>::Index;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int64_t kRun = 64;  // samples that are stored together

 public:
  // Whether the channels of a pixel are neighbours in memory and more than gathers are faster for, and 32
  // bits hold the offsets of all pixels.
  static bool InPlace(const Tensor &images) {
    return images.strides[1] == 1 && images.shape[1] > kFewGathers && GridGathers<T>::Fit(images);
  }

  // depth: most channels of a Sample; stream: whether results go around the caches.
  GridChannels(const Tensor &images, const Tensor &out, int64_t depth, bool stream, const GridTile<T> &grid)
      : images_(images),
        out_(out),
        grid_(grid),
        depth_(depth),
        in_place_(InPlace(images)),
        stream_(stream),
        zeros_(in_place_ ? images.shape[1] : 0) {
    memory_.Allocate(KeptArray{&offsets_, grid.neighbours() * grid.most()},
                     KeptArray{&results_, kRun * depth + kLanes});
  }

  // Whether a copy is worth its time for a tile whose neighbours `grid` has: it must have few pixels, for the
  // caches and for what the samples read.
  static bool WorthCopy(const GridTile<T> &grid, const Tile &tile) {
    const int64_t read = std::min<int64_t>(4, grid.neighbours()) * tile.positions();
    return grid.box().pixels() <= std::min(kCopyPixels, read);
  }

  // Goes on to a tile. The GridTile must have its neighbours and weights.
  void Move(const Tile &tile) {
    tile_ = tile;
    image_ = static_cast<const T *>(images_.data) + tile.image * images_.strides[0];
    if (in_place_) {
      grid_.Number(images_.strides[2], images_.strides[3], 0, -1, offsets_);
      return;
    }
    copied_ = WorthCopy(grid_, tile);
    if (!copied_) return;
    const int64_t pixels = grid_.box().pixels();
    if (pixels >= room_) {
      room_ = pixels + 1;
      copy_memory_.Allocate(KeptArray{&copy_, room_ * depth_ + kLanes});
      // Lanes without a channel are computed, too. What lies in new memory is often no normal number, which
      // takes a processor some 100 cycles.
      if (images_.shape[1] % depth_ != 0) std::fill_n(copy_, room_ * depth_, T{});
    }
    const GridBox &box = grid_.box();
    grid_.Number(box.columns * depth_, depth_, (box.row * box.columns + box.column) * depth_, pixels * depth_,
                 offsets_);
    // Neighbours outside the image read zeros behind the copy, so that 0 x infinity never enters a sum.
    std::fill_n(copy_ + pixels * depth_, depth_, T{});
  }

  // Computes channels [first, first + count) of the tile.
  void Sample(int64_t first, int64_t count) {
    if (in_place_) {
      SampleRuns(GridImage<T>{image_, zeros_.data(), offsets_, first}, first, count);
    } else if (copied_) {
      Copy(first, count);
      if (depth_ == 8) {
        SampleRuns(GridCopy<T, 8>{copy_, offsets_}, first, count);
      } else {
        SampleRuns(GridCopy<T, kCopyDepth>{copy_, offsets_}, first, count);
      }
    } else {
      OneByOne(first, count);
    }
  }

 private:
  // Elements from the first of the image to neighbour k of sample p; kOutside if it is not in the image.
  int64_t OffsetOf(int64_t k, int64_t p) const {
    int64_t row, column;
    if (!grid_.At(k, p, &row, &column)) return kOutside;
    return row * images_.strides[2] + column * images_.strides[3];
  }

  // Copies some channels of the pixels of the tile's box.
  void Copy(int64_t first, int64_t count) {
    const Shape &s = images_.strides;
    const GridBox &box = grid_.box();
    const T *from = image_ + first * s[1] + box.row * s[2] + box.column * s[3];
    const bool one_run = s[3] == 1 && s[2] == box.columns;
    const int64_t rows = one_run ? 1 : box.rows, columns = one_run ? box.pixels() : box.columns;
    T *to = copy_;
    for (int64_t y = 0; y < rows; ++y, from += s[2], to += columns * depth_) {
      RowToChannelsLast(from, s, count, columns, to, depth_);
    }
  }

  // Computes and stores all samples of the tile, in runs of neighbours in memory of at most kRun samples.
  template <class Source>
  void SampleRuns(const Source &source, int64_t first, int64_t count) {
    const Shape &s = out_.strides;
    T *to = static_cast<T *>(out_.data) + tile_.image * s[0] + first * s[1] + tile_.row * s[2] +
            tile_.column * s[3];
    const bool one_run = tile_.rows == 1 || (tile_.columns == out_.shape[3] && s[2] == tile_.columns * s[3]);
    const int64_t length = one_run ? tile_.positions() : tile_.columns;
    for (int64_t begin = 0; begin < tile_.positions(); begin += length, to += s[2]) {
      for (int64_t i = 0; i < length; i += kRun) {
        const int64_t run = std::min(kRun, length - i);
        if (in_place_ && s[1] == 1) {
          SampleRun(source, begin + i, run, count, to + i * s[3], s[3]);
        } else {
          SampleRun(source, begin + i, run, in_place_ ? count : depth_, results_, depth_);
          FromChannelsLast<T>(results_, depth_, count, 1, run, to + i * s[3], {s[1], s[2], s[3]}, stream_);
        }
      }
    }
  }

  // Computes samples [begin, begin + run) into `to`, `stride` elements apart.
  template <class Source, typename To>
  void SampleRun(const Source &source, int64_t begin, int64_t run, int64_t count, To *to, int64_t stride) {
    const int64_t neighbours = grid_.neighbours();
    const auto sample = neighbours == 1   ? &GridChannels::Weigh<1, Source, To>
                        : neighbours == 4 ? &GridChannels::Weigh<4, Source, To>
                                          : &GridChannels::Weigh<16, Source, To>;
    (this->*sample)(source, begin, run, count, to, stride);
  }

  // Sums the neighbours of sample p, weighted; value(k) gives neighbour k. The rows of each column come first
  // where there are four, as in GridGathers and GridWindows, so that all give the same bits.
  template <int64_t kNeighbours, class E, class Load>
  HWY_INLINE hn::Vec<E> Sum(E d, int64_t p, const Load &value) const {
    if constexpr (kNeighbours == 16) {
      const Value *rows = grid_.axis_weights(0, 0) + p, *columns = grid_.axis_weights(1, 0) + p;
      const int64_t step = grid_.most();
      auto all = hn::Zero(d);
#pragma GCC unroll 4
      for (int64_t x = 0; x < 4; ++x) {
        auto sum = hn::Mul(hn::Set(d, rows[0]), value(x));
#pragma GCC unroll 4
        for (int64_t y = 1; y < 4; ++y) sum = FusedMulAdd(hn::Set(d, rows[y * step]), value(4 * y + x), sum);
        const auto weight = hn::Set(d, columns[x * step]);
        all = x == 0 ? hn::Mul(weight, sum) : FusedMulAdd(weight, sum, all);
      }
      return all;
    } else if constexpr (kNeighbours == 1) {
      return value(0);
    } else {
      const Value *weight = grid_.weights() + grid_.Place(p);
      auto sum = hn::Mul(value(0), hn::Set(d, weight[0]));
#pragma GCC unroll 4
      for (int64_t k = 1; k < 4; ++k) sum = FusedMulAdd(hn::Set(d, weight[k * kLanes]), value(k), sum);
      return sum;
    }
  }

  // SampleRun for a known number of neighbours. It computes whole vectors of channels.
  template <int64_t kNeighbours, class Source, typename To>
  void Weigh(const Source source, int64_t begin, int64_t run, int64_t count, To *to, int64_t stride) {
    const std::conditional_t<Source::kDepth == 0, D,
                             hn::CappedTag<Value, std::max<size_t>(Source::kDepth, 1)>>
        d;
    for (int64_t p = begin; p < begin + run; ++p, to += stride) {
      const int64_t place = (p & -kLanes) * kNeighbours + (p & (kLanes - 1));
      const T *from[kNeighbours];
#pragma GCC unroll 16
      for (int64_t k = 0; k < kNeighbours; ++k) from[k] = source(place + k * kLanes);
      const auto channels = [&](int64_t c, const auto &load) HWY_ATTR {
        return Sum<kNeighbours>(d, p, [&](int64_t k) HWY_ATTR { return load(from[k] + c); });
      };
      const auto whole = [&](int64_t c) HWY_ATTR {
        StoreFloat(channels(c, [d](const T *pixel) HWY_ATTR { return LoadFloat(d, pixel); }), d, to + c);
      };
      if constexpr (Source::kDepth > 0) {
#pragma GCC unroll 4
        for (int64_t c = 0; c < Source::kDepth; c += hn::MaxLanes(d)) whole(c);
      } else if (count < kLanes) {
        const auto first = [d, count](const T *pixel) HWY_ATTR { return LoadFirst(d, pixel, count); };
        StoreFirst(channels(0, first), d, to, count);
      } else {
        // The last vector overlaps the one before it.
        for (int64_t c = 0; c < count; c += kLanes) whole(std::min(c, count - kLanes));
      }
    }
  }

  // Computes the samples one element after the other, where a copy would have many more pixels than samples
  // read.
  void OneByOne(int64_t first, int64_t count) {
    const Shape &s = out_.strides;
    const int64_t neighbours = grid_.neighbours(), stride = images_.strides[1];
    const T zero{}, *plane = image_ + first * stride, *from[16];
    for (int64_t p = 0; p < tile_.positions(); ++p) {
      int64_t steps[16];
      for (int64_t k = 0; k < neighbours; ++k) {
        const int64_t offset = OffsetOf(k, p);
        from[k] = offset == kOutside ? &zero : plane + offset;
        steps[k] = offset == kOutside ? 0 : stride;
      }
      T *to = static_cast<T *>(out_.data) + tile_.image * s[0] + first * s[1] +
              (tile_.row + p / tile_.columns) * s[2] + (tile_.column + p % tile_.columns) * s[3];
      for (int64_t c = 0; c < count; ++c) {
        // As Weigh, which other instruction sets take for these channels.
        const hn::CappedTag<Value, 1> one;
        const auto value = [&](int64_t k) HWY_ATTR { return hn::Set(one, Widen(from[k][c * steps[k]])); };
        WithConstant<1, 4, 16>(neighbours, [&](auto number) HWY_ATTR {
          to[c * s[1]] = Narrow<T>(hn::GetLane(Sum<decltype(number)::value>(one, p, value)));
        });
      }
    }
  }

  const Tensor &images_, &out_;
  const GridTile<T> &grid_;
  const int64_t depth_;  // channels at a time, and of a pixel of a copy
  const bool in_place_, stream_;
  Tile tile_{};
  const T *image_ = nullptr;
  std::vector<T> zeros_;  // a pixel, for neighbours outside the image
  KeptMemory<GridChannels> memory_;
  Index *offsets_;  // of neighbours in the image or the copy, by grid_.Place
  Value *results_;
  bool copied_ = false;  // whether the tile is sampled from a copy
  int64_t room_ = 0;     // pixels that copy_ has room for
  KeptMemory<GridChannels[]> copy_memory_;
  T *copy_ = nullptr;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
