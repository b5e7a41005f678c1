// SPDX-License-Identifier: Apache-2.0
#include "op_host/grid_sampler_backward_args.h"

#include <algorithm>
#include <vector>

#include "op_cpu/common/copies/huge_pages.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_host/common/tiling/math.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/grid/grid_sampler_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/grid/grid_gradients-inl.h"
#include "op_cpu/grid/grid_neighbours-inl.h"
#include "op_cpu/grid/grid_plane_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::grid_sampler_backward::HWY_NAMESPACE {
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kGroup = 64;           // channels that a thread adds up at a time
constexpr int64_t kGroupsAtOnce = 8;     // groups of channels in memory at once: work for as many threads
constexpr int64_t kFewChannels = 4;      // most channels that are computed one after the other in any case
constexpr int64_t kManyPixels = 8;       // pixels of an image for each sample, from which on this is so
constexpr int64_t kPlaneSamples = 4096;  // samples whose neighbours are in memory at once
constexpr int64_t kGrainSamples =
    64;  // samples of a thread; with fewer, a thread costs more time than it saves

// One call, some images at a time. The channels of a pixel are side by side, which is 2.1 x as fast as one
// channel after the other for 64 channels of 128 x 128 pixels at AVX-512. A thread owns a group of channels
// of an image, so that every sum has the order of the samples.
template <typename T>
class GridGradients {
  using Value = Compute<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(ComputeTag<T>());

 public:
  GridGradients(const Args &args, const ParallelFor &parallel_for)
      : args_(args),
        parallel_for_(parallel_for),
        rules_(RulesOf(args)),
        channels_(args.input.shape[1]),
        groups_(std::max<int64_t>(1, CeilDiv(channels_, kGroup))),
        most_(std::min(args.input.shape[0], CeilDiv(kGroupsAtOnce, groups_))),
        samples_(args.grid.shape[1] * args.grid.shape[2]),
        padded_(groups_ == 1 ? channels_ : AlignUp<int64_t>(channels_, kLanes)),
        image_sums_(args.input.shape[2] * args.input.shape[3] * padded_),
        image_pitch_(image_sums_ + kLanes),
        nearest_(rules_.interpolation == Interpolation::kNearest),
        images_(args.input, nearest_ ? 0 : most_, kLanes),
        grads_(args.grad_output, most_, kLanes),
        locator_(args.grid, args.input.shape[2], args.input.shape[3], rules_),
        neighbours_(nearest_ ? 0 : most_, samples_, rules_),
        nearest_pixels_(nearest_ ? most_ * samples_ : 0),
        sums_(AllocateAligned<Value>(most_ * image_pitch_)),
        by_group_(nearest_ ? 0 : most_ * groups_ * samples_ * 2) {
    AdviseHugePages(sums_.get(), most_ * image_pitch_ * sizeof(Value));
  }

  void Run() {
    for (int64_t first = 0; first < args_.input.shape[0]; first += most_) {
      const int64_t count = std::min(most_, args_.input.shape[0] - first);
      if (!nearest_) images_.Load(first, count, parallel_for_);
      grads_.Load(first, count, parallel_for_);
      parallel_for_(count * samples_, kGrainSamples, [&](int64_t begin, int64_t end) {
        if (nearest_) {
          locator_.Nearest(first, begin, end, args_.input.shape[3], 1, nearest_pixels_.data());
        } else {
          neighbours_.Find(locator_, first, begin, end);
        }
      });
      parallel_for_(count * groups_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t item = begin; item < end; ++item) AddGroup(first, item / groups_, item % groups_);
      });
      StoreImages(first, count);
      StoreGrid(first, count);
    }
  }

 private:
  // Adds both gradients of a group of channels of image first + i.
  void AddGroup(int64_t first, int64_t i, int64_t group) {
    const int64_t width = args_.input.shape[3], from = group * kGroup,
                  to = std::min(from + kGroup, channels_);
    const int64_t filled = to == channels_ ? padded_ : to;
    Value *sums = sums_.get() + i * image_pitch_;
    for (int64_t p = 0; p < image_sums_; p += padded_)
      std::fill(sums + p + from, sums + p + filled, Value{0});
    if (nearest_) {
      AddNearestGradients<T>(&nearest_pixels_[i * samples_], samples_, args_.grid.shape[2],
                             grads_.At(first + i), from, to, sums, padded_);
      return;
    }
    AddGridGradients<T>(neighbours_, i * samples_, args_.grid.shape[2], images_.At(first + i),
                        grads_.At(first + i), from, to, sums, width, padded_,
                        by_group_.data() + (i * groups_ + group) * samples_ * 2);
  }

  // Rounds and stores the gradients of images [first, first + count).
  void StoreImages(int64_t first, int64_t count) {
    const Shape &strides = args_.grad_input.strides;
    const int64_t rows = args_.input.shape[2], width = args_.input.shape[3];
    parallel_for_(count * rows, GrainOf(width * channels_), [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t i = item / rows, y = item % rows;
        FromChannelsLast<T>(
            sums_.get() + i * image_pitch_ + y * width * padded_, padded_, channels_, 1, width,
            static_cast<T *>(args_.grad_input.data) + (first + i) * strides[0] + y * strides[2],
            {strides[1], 0, strides[3]});
      }
    });
  }

  // Adds up the gradients of the grid over the groups of channels, rounds and stores them.
  void StoreGrid(int64_t first, int64_t count) {
    const Tensor &grid = args_.grad_grid;
    const int64_t columns = grid.shape[2];
    for (int64_t sample = 0; sample < count * samples_; ++sample) {
      const int64_t i = sample / samples_, position = sample % samples_;
      // In mode nearest the gradient is 0: a small change of a coordinate does not change the nearest pixel.
      Value by_y = nearest_ ? 0 : neighbours_.outside_by_y[sample];
      Value by_x = nearest_ ? 0 : neighbours_.outside_by_x[sample];
      for (int64_t group = 0; group < groups_ && !nearest_; ++group) {
        const Value *from = &by_group_[((i * groups_ + group) * samples_ + position) * 2];
        by_y += from[0];
        by_x += from[1];
      }
      T *to = static_cast<T *>(grid.data) + (first + i) * grid.strides[0] +
              position / columns * grid.strides[1] + position % columns * grid.strides[2];
      to[0] = Narrow<T>(by_x);
      to[grid.strides[3]] = Narrow<T>(by_y);
    }
  }

  const Args &args_;
  const ParallelFor &parallel_for_;
  const GridRules rules_;
  const int64_t channels_, groups_;  // C, and groups of channels
  const int64_t most_;               // images at a time
  const int64_t samples_;            // of an image
  const int64_t padded_;             // C; rounded up to a vector where threads share a pixel
  const int64_t image_sums_;         // sums of an image: pixels * padded_
  const int64_t image_pitch_;        // from image to image; whole vectors are written behind the last pixel
  const bool nearest_;               // each sample adds to one pixel, and no pixel is read
  ChannelImages<T> images_, grads_;
  const GridLocator<T> locator_;
  GridNeighbours<Value> neighbours_;
  std::vector<int64_t> nearest_pixels_;            // of each sample, in mode nearest
  const hwy::AlignedFreeUniquePtr<Value[]> sums_;  // [most_][pixel][padded_], images image_pitch_ apart
  std::vector<Value> by_group_;  // [most_][groups_][samples_], as (y, x): gradients of the grid
};

// A call by GridPlaneGradients, some images at a time.
template <typename T>
void RunPlanes(const Args &args, const ParallelFor &parallel_for) {
  const GridRules rules = RulesOf(args);
  const bool nearest = rules.interpolation == Interpolation::kNearest;
  const int64_t samples = args.grid.shape[1] * args.grid.shape[2];
  const int64_t images = args.input.shape[0];
  const int64_t most = std::min(images, CeilDiv(kPlaneSamples, std::max<int64_t>(samples, 1)));
  const GridPlaneGradients<T, Args> planes(args);
  const GridLocator<T> locator(args.grid, args.input.shape[2], args.input.shape[3], rules);
  GridNeighbours<Compute<T>> neighbours(nearest ? 0 : most, samples, rules);
  std::vector<int64_t> places(nearest ? most * samples : 0);
  for (int64_t first = 0; first < images; first += most) {
    const int64_t count = std::min(most, images - first);
    parallel_for(count * samples, kGrainSamples, [&](int64_t begin, int64_t end) {
      if (nearest) {
        locator.Nearest(first, begin, end, planes.row(), planes.column(), places.data());
      } else {
        neighbours.Find(locator, first, begin, end);
      }
      planes.Grids(nearest ? nullptr : &neighbours, first, begin, end);
    });
    planes.Images(first, count, parallel_for, [&](int64_t i, auto *sums, int64_t n, int64_t c) HWY_ATTR {
      if (nearest) {
        planes.AddNearest(places.data() + i * samples, sums, n, c);
      } else {
        planes.AddPlane(neighbours, i * samples, sums, n, c);
      }
    });
  }
}

// Whether a call is faster one channel after the other: there are few channels, or many more pixels than
// their neighbours, whose copies would take longest. In mode nearest no image is copied.
bool ByPlanes(const Args &args) {
  const int64_t channels = args.input.shape[1], pixels = args.input.shape[2] * args.input.shape[3];
  const int64_t samples = args.grid.shape[1] * args.grid.shape[2];
  if (RulesOf(args).interpolation == Interpolation::kNearest) {
    return channels <= kFewChannels || args.grad_output.strides[1] != 1 || pixels > samples;
  }
  return channels <= kFewChannels || pixels > kManyPixels * samples;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    if (ByPlanes(args)) {
      RunPlanes<T>(args, parallel_for);
    } else {
      GridGradients<T>(args, parallel_for).Run();
    }
  });
}

}  // namespace avo::grid_sampler_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::grid_sampler_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::grid_sampler_backward
#endif
