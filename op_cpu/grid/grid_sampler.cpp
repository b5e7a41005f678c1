// SPDX-License-Identifier: Apache-2.0
// Budget: 1240 lines of code, because bicubic samples of few channels have a way of their own, which is 1.7
// to 2 x as fast as gathers, pixels are loaded one by one where that takes less time than gathers, and
// nearest pixels are found in one pass, which takes .6 to .9 x.
//
// Samples are computed in five ways: pairs, gathers and windows of planes, channels in place and in a copy.
// Each is the fastest for common shapes, by 1.3 to 10 times.
#include "op_host/grid_sampler_args.h"

#include <algorithm>
#include <optional>

#include "hwy/cache_control.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/grid/grid_sampler.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/grid/grid_channels-inl.h"
#include "op_cpu/grid/grid_gathers-inl.h"
#include "op_cpu/grid/grid_pairs-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"
#include "op_cpu/grid/grid_windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::grid_sampler::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kPositions = 25 << 10;  // most samples of a tile: their neighbours and weights stay in L2
constexpr int64_t kFewPositions = 512;    // the same where they stay in L1, because few channels use them

// How a call is divided: into tiles of the result, and these into `depth` channels at a time.
template <typename T>
struct Plan {
  explicit Plan(const Args &args)
      : rules(RulesOf(args)),
        channels(args.input.shape[1]),
        in_place(GridChannels<T>::InPlace(args.input)),
        pairs(!in_place && ByPairs(args)),
        gathers(!in_place && !pairs && ByGathers(args)),
        depth(in_place && (args.out.strides[1] == 1 || channels % kCopyDepth != 0) ? channels
              : in_place || gathers                                                ? 4 * kCopyDepth
              : pairs                                                              ? kCopyDepth
                                                                                   : CopyDepthOf(channels)),
        most(std::min(args.out.shape[2] * args.out.shape[3],
                      gathers || (pairs && channels < kCopyDepth)      ? kFewPositions
                      : rules.interpolation == Interpolation::kBicubic ? kPositions / 4
                      : in_place                                       ? kPositions / 8
                                                                       : kPositions)),
        tiles(args.out.shape[2], args.out.shape[3], most,
              pairs || gathers ? most
              : in_place       ? 64
                               : 160),
        stream(OutgrowsCaches(args.out)) {}

  // Whether GridPairs computes the call: bilinear, in planes. For half types a copy, which is
  // half the size, is faster if there are enough channels and samples for it.
  bool ByPairs(const Args &args) const {
    const int64_t pixels = args.input.shape[2] * args.input.shape[3];
    const bool copied = sizeof(T) == 2 && 2 * channels >= kCopyDepth && pixels <= kCopyPixels &&
                        pixels <= 4 * args.out.shape[2] * args.out.shape[3];
    return rules.interpolation == Interpolation::kBilinear && !copied && GridPairs<T>::Fit(args.input);
  }

  // Whether GridGathers computes the whole call: because of few gathers for a sample, of so few channels that
  // most lanes of a vector of channels would be idle, or of few samples. Bilinear samples of float64 take 0.6
  // x the time of a copy. Nearest samples of 16 channels of float32 take 1.7 x, those of 64 channels 4 x.
  bool ByGathers(const Args &args) const {
    constexpr bool kWide = std::is_same_v<T, double>;
    const int64_t samples = args.out.shape[2] * args.out.shape[3],
                  lanes = AlignUp(channels, CopyDepthOf(channels));
    const bool few_samples = samples <= std::min(kFewPositions, args.input.shape[2] * args.input.shape[3]);
    const bool full = channels >= 2 * kFewGathers && (!kWide || 4 * channels >= 3 * lanes);
    const bool few = channels <= (kWide ? 2 * kFewGathers : kFewGathers);
    const bool by_gathers = rules.interpolation == Interpolation::kNearest    ? !full || few_samples
                            : rules.interpolation == Interpolation::kBilinear ? kWide || few
                                                                              : few;
    return by_gathers && GridGathers<T>::Fit(args.input);
  }

  GridRules rules;
  int64_t channels;
  bool in_place;  // the channels of a pixel are neighbours in memory, and fill a vector
  bool
      pairs;  // GridPairs computes the call, with samples as lanes; else GridChannels, with channels as lanes
  bool gathers;   // GridGathers computes the call; else it computes the tiles that are not worth a copy
  int64_t depth;  // channels at a time
  int64_t most;   // samples of a tile
  Tiles tiles;
  bool stream;  // results go around the caches, which are smaller
};

// Computes tiles of samples. Each thread owns one.
template <typename T>
class Worker {
 public:
  Worker(const Args &args, const Plan<T> &plan)
      : grid_(args.grid, args.input.shape[2], args.input.shape[3], plan.rules, plan.most) {
    if (plan.pairs) {
      pairs_.emplace(args.input, args.out, plan.stream, plan.most);
      return;
    }
    if (!plan.in_place && GridGathers<T>::Fit(args.input)) {
      gathers_.emplace(args.input, args.out, plan.stream, grid_);
    }
    if (plan.gathers && plan.rules.interpolation == Interpolation::kBicubic) {
      windows_.emplace(args.input, args.out, plan.stream, grid_);
    }
    if (!plan.gathers) channels_.emplace(args.input, args.out, plan.depth, plan.stream, grid_);
  }

  // Goes on to a tile, and finds its neighbours.
  void Move(const Tile &tile) {
    gathered_ = gathers_ && !channels_ && grid_.side() == 1;
    if (gathered_) return gathers_->Move(tile);
    grid_.Read(tile);
    windowed_ = windows_ && windows_->Move(tile);
    if (windowed_) return;
    grid_.Locate();
    if (pairs_) pairs_->Move(grid_, tile);
    if (channels_) grid_.FindBox();
    gathered_ = gathers_ && (!channels_ || !GridChannels<T>::WorthCopy(grid_, tile));
    if (gathered_) {
      gathers_->Move(tile);
    } else if (channels_) {
      if (grid_.side() == 2) grid_.Weigh();
      channels_->Move(tile);
    }
  }

  // Computes channels [first, first + count) of the tile.
  void Sample(int64_t first, int64_t count) {
    if (windowed_) {
      windows_->Sample(first, count);
    } else if (pairs_) {
      pairs_->Sample(first, count);
    } else if (gathered_) {
      gathers_->Sample(first, count);
    } else {
      channels_->Sample(first, count);
    }
  }

 private:
  GridTile<T> grid_;
  std::optional<GridPairs<T>> pairs_;
  std::optional<GridGathers<T>> gathers_;
  std::optional<GridWindows<T>> windows_;
  std::optional<GridChannels<T>> channels_;
  bool gathered_ = false, windowed_ = false;  // whether gathers_ or windows_ computes the tile
};

template <typename T>
void RunOf(const Args &args, const ParallelFor &parallel_for) {
  const Plan<T> plan(args);
  const int64_t groups = CeilDiv(plan.channels, plan.depth), tiles = plan.tiles.count();
  const int64_t work = plan.most * std::min(plan.depth, plan.channels);
  parallel_for(args.out.shape[0] * tiles * groups, GrainOf(4 * work), [&](int64_t begin, int64_t end) {
    Worker<T> worker(args, plan);
    int64_t image = begin / groups / tiles, tile = begin / groups % tiles, group = begin % groups;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = group * plan.depth;
      if (item == begin || first == 0) worker.Move(plan.tiles(image, tile));
      worker.Sample(first, std::min(plan.depth, plan.channels - first));
      // Divisions for each item would take longer than the samples of a small image.
      if (++group < groups) continue;
      group = 0;
      if (++tile < tiles) continue;
      tile = 0;
      ++image;
    }
    hwy::FlushStream();
  });
}

// Computes bilinear samples of small images from a copy in planes, where their own layout has no pairs: 1.4 x
// as fast for channels-last images of 3 x 8 x 16.
template <typename T>
void RunInPlanes(Args args, const ParallelFor &parallel_for) {
  const Shape &size = args.input.shape;
  const bool copied = args.interpolation_mode == static_cast<int64_t>(Interpolation::kBilinear) &&
                      !GridChannels<T>::InPlace(args.input) && !GridPairs<T>::Fit(args.input) &&
                      size[3] > 1 && size[2] * size[3] <= args.out.shape[2] * args.out.shape[3];
  hwy::AlignedFreeUniquePtr<T[]> copy;
  if (copied) copy = MakeDense<T>(&args.input, parallel_for);
  RunOf<T>(args, parallel_for);
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  if (args.out.numel() == 0) return;
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    WithPairs<T>(args, parallel_for, [&](const Args &given) { RunInPlanes<T>(given, parallel_for); });
  });
}

}  // namespace avo::grid_sampler::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::grid_sampler {
AVO_RUN_CPU(Run)
}  // namespace avo::grid_sampler
#endif
