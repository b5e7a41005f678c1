// SPDX-License-Identifier: Apache-2.0
#include "op_host/grid_sampler_args.h"

#include <algorithm>
#include <vector>

#include "op_cpu/common/element.h"
#include "op_cpu/common/simd.h"
#include "op_cpu/common/tiles.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/grid_sampler.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/grid_tile-inl.h"
#include "op_cpu/common/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::grid_sampler::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kDepth = 16;            // channels of a copy: a pixel of float32 is a line of the cache
constexpr int64_t kPixels = 1 << 15;      // of a copy at most, so that it stays in L2
constexpr int64_t kPositions = 25 << 10;  // of a tile that samples a copy, which serves them all
constexpr int64_t kRun = 64;              // samples that are stored together

// How a call is cut to pieces: tiles of the result, and of each its channels by `depth`.
template <typename T>
struct Plan {
  explicit Plan(const Args &args)
      : rules{static_cast<Interpolation>(args.interpolation_mode), static_cast<Padding>(args.padding_mode),
              args.align_corners},
        channels(args.input.shape[1]),
        in_place(args.input.strides[1] == 1 && channels % hn::Lanes(ComputeTag<T>()) == 0),
        depth(!in_place                  ? kDepth
              : args.out.strides[1] == 1 ? channels
                                         : 4 * kDepth),
        most(std::min(args.out.shape[2] * args.out.shape[3],
                      (in_place ? kPositions / 8 : kPositions) /
                          (rules.interpolation == Interpolation::kBicubic ? 4 : 1))),
        tiles(args.out.shape[2], args.out.shape[3], most, in_place ? 64 : 160) {}

  GridRules rules;
  int64_t channels;
  bool in_place;  // the channels of a pixel are neighbours in memory, and whole vectors
  int64_t depth, most;
  Tiles tiles;
};

// Where the neighbours of a tile's samples are: in the image, …
template <typename T>
struct InImage {
  const T *operator()(int64_t i) const { return pointers[i] + first; }
  const T *const *pointers;
  int64_t first;
};

// … or in a copy.
template <typename T>
struct InCopy {
  const T *operator()(int64_t i) const { return copy + offsets[i]; }
  const T *copy;
  const typename GridTile<T>::Index *offsets;
};

// What a thread works in. Channels are lanes. An image whose channels are not neighbours in memory is copied
// so, a few channels of the pixels that a tile needs at a time.
template <typename T>
class Worker {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using Index = typename GridTile<T>::Index;

 public:
  Worker(const Args &args, const Plan<T> &plan)
      : args_(args),
        plan_(plan),
        grid_(args.grid, args.input.shape[2], args.input.shape[3], plan.rules, plan.most),
        zeros_(plan.in_place ? plan.channels : 0),
        pointers_(plan.in_place ? grid_.neighbours() * grid_.most() : 0),
        offsets_(hwy::AllocateAligned<Index>(plan.in_place ? 0 : grid_.neighbours() * grid_.most())),
        results_(hwy::AllocateAligned<Value>(kRun * plan.depth)) {}

  void Move(const Tile &tile) {
    tile_ = tile;
    grid_.Move(tile);
    image_ = static_cast<const T *>(args_.input.data) + tile.image * args_.input.strides[0];
    if (plan_.in_place) {
      for (int64_t k = 0; k < grid_.neighbours(); ++k) {
        for (int64_t p = 0; p < tile.positions(); ++p) {
          const int64_t offset = OffsetOf(k, p);
          pointers_[k * grid_.most() + p] = offset == kOutside ? zeros_.data() : image_ + offset;
        }
      }
      return;
    }
    const int64_t pixels = grid_.box().pixels();
    copied_ = pixels <= std::min(kPixels, 4 * tile.positions());
    if (!copied_) return;
    if (pixels >= room_) {
      room_ = pixels + 1;
      copy_ = hwy::AllocateAligned<T>(room_ * kDepth);
    }
    grid_.Number(kDepth, offsets_.get());
    // What lies outside is read as zeros, so that 0 x infinity never enters a sum.
    std::fill_n(copy_.get() + pixels * kDepth, kDepth, T{});
  }

  // Channels [first, first + count) of the tile.
  void Sample(int64_t first, int64_t count) {
    if (plan_.in_place) {
      SampleRuns(InImage<T>{pointers_.data(), first}, first, count);
    } else if (copied_) {
      Copy(first, count);
      SampleRuns(InCopy<T>{copy_.get(), offsets_.get()}, first, count);
    } else {
      OneByOne(first, count);
    }
  }

 private:
  int64_t OffsetOf(int64_t k, int64_t p) const {
    int64_t row, column;
    if (!grid_.At(k, p, &row, &column)) return kOutside;
    return row * args_.input.strides[2] + column * args_.input.strides[3];
  }

  void Copy(int64_t first, int64_t count) {
    const Shape &s = args_.input.strides;
    const GridBox &box = grid_.box();
    const T *from = image_ + first * s[1] + box.row * s[2] + box.column * s[3];
    const bool one_run = s[3] == 1 && s[2] == box.columns;
    const int64_t rows = one_run ? 1 : box.rows, columns = one_run ? box.pixels() : box.columns;
    T *to = copy_.get();
    for (int64_t y = 0; y < rows; ++y, from += s[2], to += columns * kDepth) {
      if (s[3] == 1) ToChannelsLast(from, s[1], count, columns, to, kDepth);
      for (int64_t i = 0; s[3] != 1 && i < columns * count; ++i) {
        to[i / count * kDepth + i % count] = from[i / count * s[3] + i % count * s[1]];
      }
    }
  }

  template <class Source>
  void SampleRuns(const Source &source, int64_t first, int64_t count) {
    const Shape &s = args_.out.strides;
    T *to = static_cast<T *>(args_.out.data) + tile_.image * s[0] + first * s[1] + tile_.row * s[2] +
            tile_.column * s[3];
    const bool one_run = tile_.columns == args_.out.shape[3] && s[2] == tile_.columns * s[3];
    const int64_t length = one_run ? tile_.positions() : tile_.columns;
    for (int64_t begin = 0; begin < tile_.positions(); begin += length, to += s[2]) {
      for (int64_t i = 0; i < length; i += kRun) {
        const int64_t run = std::min(kRun, length - i);
        if (plan_.in_place && s[1] == 1) {
          SampleRun(source, begin + i, run, count, to + i * s[3], s[3]);
        } else {
          SampleRun(source, begin + i, run, plan_.in_place ? count : kDepth, results_.get(), plan_.depth);
          FromChannelsLast<T>(results_.get(), plan_.depth, count, 1, run, to + i * s[3], {s[1], s[2], s[3]});
        }
      }
    }
  }

  template <class Source, typename To>
  void SampleRun(const Source &source, int64_t begin, int64_t run, int64_t count, To *to, int64_t stride) {
    const int64_t neighbours = grid_.neighbours();
    const auto sample = neighbours == 1   ? &Worker::Weigh<1, Source, To>
                        : neighbours == 4 ? &Worker::Weigh<4, Source, To>
                                          : &Worker::Weigh<16, Source, To>;
    (this->*sample)(source, begin, run, count, to, stride);
  }

  // Samples [begin, begin + run), whole vectors of channels of each.
  template <int64_t kNeighbours, class Source, typename To>
  void Weigh(const Source &source, int64_t begin, int64_t run, int64_t count, To *to, int64_t stride) {
    const D d;
    const int64_t most = grid_.most();
    for (int64_t p = begin; p < begin + run; ++p, to += stride) {
      const Value *weight = grid_.weights() + p;
      const T *from[kNeighbours];
#pragma GCC unroll 16
      for (int64_t k = 0; k < kNeighbours; ++k) from[k] = source(k * most + p);
      for (int64_t c = 0; c < count; c += hn::Lanes(d)) {
        auto sum = LoadFloat(d, from[0] + c);
        if constexpr (kNeighbours > 1) sum = hn::Mul(sum, hn::Set(d, weight[0]));
#pragma GCC unroll 16
        for (int64_t k = 1; k < kNeighbours; ++k) {
          sum = hn::MulAdd(hn::Set(d, weight[k * most]), LoadFloat(d, from[k] + c), sum);
        }
        StoreFloat(sum, d, to + c);
      }
    }
  }

  void OneByOne(int64_t first, int64_t count) {
    const Shape &s = args_.out.strides;
    for (int64_t p = 0; p < tile_.positions(); ++p) {
      T *to = static_cast<T *>(args_.out.data) + tile_.image * s[0] + first * s[1] +
              (tile_.row + p / tile_.columns) * s[2] + (tile_.column + p % tile_.columns) * s[3];
      for (int64_t c = 0; c < count; ++c) {
        Value sum = 0;
        for (int64_t k = 0; k < grid_.neighbours(); ++k) {
          const int64_t offset = OffsetOf(k, p);
          const Value value =
              offset == kOutside ? 0 : Widen(image_[offset + (first + c) * args_.input.strides[1]]);
          sum += grid_.weights()[k * grid_.most() + p] * value;
        }
        to[c * s[1]] = Narrow<T>(sum);
      }
    }
  }

  const Args &args_;
  const Plan<T> &plan_;
  GridTile<T> grid_;
  Tile tile_{};
  const T *image_ = nullptr;
  std::vector<T> zeros_;
  std::vector<const T *> pointers_;
  hwy::AlignedFreeUniquePtr<Index[]> offsets_;
  bool copied_ = false;
  int64_t room_ = 0;  // pixels of `copy_`
  hwy::AlignedFreeUniquePtr<T[]> copy_;
  hwy::AlignedFreeUniquePtr<Value[]> results_;
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  if (args.out.numel() == 0) return;
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const Plan<T> plan(args);
    const int64_t groups = CeilDiv(plan.channels, plan.depth), tiles = plan.tiles.count();
    const int64_t work = plan.most * std::min(plan.depth, plan.channels);
    parallel_for(args.out.shape[0] * tiles * groups, GrainOf(4 * work), [&](int64_t begin, int64_t end) {
      Worker<T> worker(args, plan);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t tile = item / groups, first = item % groups * plan.depth;
        if (item == begin || first == 0) worker.Move(plan.tiles(tile / tiles, tile % tiles));
        worker.Sample(first, std::min(plan.depth, plan.channels - first));
      }
    });
  });
}

}  // namespace avo::grid_sampler::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::grid_sampler {
AVO_RUN_CPU(Run)
}  // namespace avo::grid_sampler
#endif
