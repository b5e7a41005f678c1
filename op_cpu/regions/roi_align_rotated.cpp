// SPDX-License-Identifier: Apache-2.0
#include "op_host/roi_align_rotated_args.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_host/common/tiling/math.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/regions/roi_align_rotated.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/channel_images-inl.h"
#include "op_cpu/common/sampling/pixel_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::roi_align_rotated::HWY_NAMESPACE {
using namespace avo::HWY_NAMESPACE;

// A region; [0] is along its height, [1] along its width.
struct Region {
  int64_t index, image;
  float centre[2], start[2], bin[2];
  float cosine, sine;
  int64_t grid[2];  // samples of a bin; 0 where the region has none

  double Samples() const { return static_cast<double>(grid[0]) * static_cast<double>(grid[1]); }  // of a bin
};

// The position of cell `i` of bin `p` along an axis of the region, from its centre.
float Place(const Region &region, int axis, int64_t p, int64_t i) {
  return region.start[axis] + static_cast<float>(p) * region.bin[axis] +
         (static_cast<float>(i) + 0.5f) * region.bin[axis] / static_cast<float>(region.grid[axis]);
}

// Row `k` of `rois`, in the order of operations of the definition (op_host/regions/roi_align_rotated.yaml).
// Throws where it has no feature map.
template <typename T>
Region ReadRegion(const Args &args, int64_t k) {
  const T *row = static_cast<const T *>(args.rois.data) + k * args.rois.strides[0];
  const auto value = [&](int64_t i) { return Widen(row[i * args.rois.strides[1]]); };
  const int64_t images = args.input.shape[0], bins[2] = {args.output_height, args.output_width};
  if (!(value(0) >= 0 && value(0) < static_cast<float>(images))) {
    throw std::invalid_argument("rois: expected an index of a feature map in [0, " + std::to_string(images) +
                                "), got " + std::to_string(value(0)) + " in row " + std::to_string(k));
  }
  Region region{k, static_cast<int64_t>(value(0)), {}, {}, {}, 0, 0, {0, 0}};
  const float scale = static_cast<float>(args.spatial_scale), offset = args.aligned ? 0.5f : 0.0f;
  const double angle = args.clockwise ? -value(5) : value(5);
  bool proper = std::isfinite(angle);
  float sizes[2] = {value(4) * scale, value(3) * scale};
  for (int axis = 0; axis < 2; ++axis) {
    region.centre[axis] = value(2 - axis) * scale - offset;
    float &size = sizes[axis];
    proper =
        proper && std::isfinite(size) && std::isfinite(region.centre[axis]) && !(args.aligned && size < 0);
    if (!args.aligned) size = std::max(size, 1.0f);
    region.start[axis] = -size / 2.0f;
    region.bin[axis] = size / static_cast<float>(bins[axis]);
  }
  if (!proper) return region;
  region.cosine = static_cast<float>(std::cos(angle));
  region.sine = static_cast<float>(std::sin(angle));
  constexpr float kMostGrid = 1e15f;
  for (int axis = 0; axis < 2; ++axis) {
    const float ordinary = std::ceil(std::min(region.bin[axis], kMostGrid));
    region.grid[axis] = args.sampling_ratio > 0 ? args.sampling_ratio : static_cast<int64_t>(ordinary);
  }
  return region;
}

// All regions, those of one feature map behind each other. Throws where they have more samples than anybody
// means, such as a region of 1e30 elements or a sampling_ratio of 2^40.
template <typename T>
std::vector<Region> ReadRegions(const Args &args) {
  const auto bins = static_cast<double>(args.output_height) * static_cast<double>(args.output_width);
  const auto pixels = static_cast<double>(args.input.shape[2]) * static_cast<double>(args.input.shape[3]);
  double left = 1 << 24;
  std::vector<Region> regions;
  for (int64_t k = 0; k < args.rois.shape[0]; ++k) {
    regions.push_back(ReadRegion<T>(args, k));
    const double samples = regions.back().Samples() * bins;
    left -= std::max(0.0, samples - 4 * pixels - 64 * bins);
    if (left < 0) {
      throw std::invalid_argument("rois: expected fewer samples; rows up to " + std::to_string(k) +
                                  " have too many for a call, with sampling_ratio " +
                                  std::to_string(args.sampling_ratio));
    }
  }
  std::stable_sort(regions.begin(), regions.end(),
                   [](const Region &a, const Region &b) { return a.image < b.image; });
  return regions;
}

template <typename T>
class Pooling {
  static constexpr int64_t kChannels = 256;  // that a thread pools at a time: the bins of a region stay in L2

 public:
  explicit Pooling(const Args &args) : args_(args), regions_(ReadRegions<T>(args)) {}

  // Pools the regions of one feature map after the other. Where they read half as many pixels as the map
  // has, it is first copied to memory in which channels are neighbours, unless they are already.
  void Run(const ParallelFor &parallel_for) const {
    const int64_t channels = args_.input.shape[1], blocks = CeilDiv(channels, kChannels);
    const Shape &strides = args_.input.strides;
    ChannelImages<T> copies(args_.input, 1, hn::MaxLanes(ComputeTag<T>()));
    for (size_t first = 0, last = 0; first < regions_.size(); first = last) {
      double samples = 0;
      while (last < regions_.size() && regions_[last].image == regions_[first].image) {
        samples += regions_[last++].Samples() * static_cast<double>(Bins());
      }
      const int64_t image = regions_[first].image;
      const T *data = static_cast<const T *>(args_.input.data) + image * strides[0];
      Map map{data, strides[1], strides[2], strides[3]};
      if (strides[1] == 1 || 8 * samples > static_cast<double>(args_.input.shape[2] * args_.input.shape[3])) {
        copies.Load(image, 1, parallel_for);
        const auto copy = copies.At(image);
        map = {copy.data, 1, copy.row, copy.column};
      }
      const auto count = static_cast<int64_t>(last - first);
      const int64_t of_region = static_cast<int64_t>(samples) / count * std::min(channels, kChannels);
      parallel_for(count * blocks, GrainOf(of_region), [&](int64_t begin, int64_t end) {
        std::vector<WeightedPixel> pixels;
        std::vector<float> pooled(Bins() * kChannels);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t channel = i % blocks * kChannels;
          Pool(regions_[first + i / blocks], map, channel, std::min(kChannels, channels - channel), &pixels,
               pooled.data());
        }
      });
    }
  }

 private:
  struct Map {
    const T *data;
    int64_t channel, row, column;  // strides
  };

  int64_t Bins() const { return args_.output_height * args_.output_width; }

  // Pools channels [channel, channel + count) of a region. pixels, pooled: memory of the thread.
  void Pool(const Region &region, const Map &map, int64_t channel, int64_t count,
            std::vector<WeightedPixel> *pixels, float *pooled) const {
    const T *first = map.data + channel * map.channel;
    for (int64_t bin = 0; bin < Bins(); ++bin) {
      float *sums = pooled + bin * kChannels;
      std::fill_n(sums, count, 0.0f);
      const auto add = [&] {
        float part[kChannels];
        SumPixels(first, map.channel, *pixels, count, part);
        for (int64_t c = 0; c < count; ++c) sums[c] += part[c];
        pixels->clear();
      };
      FindPixels(region, map, bin / args_.output_width, bin % args_.output_width, pixels, add);
    }
    const Shape &to = args_.out.strides;
    T *out = static_cast<T *>(args_.out.data) + region.index * to[0] + channel * to[1];
    FromChannelsLast(pooled, kChannels, count, args_.output_height, args_.output_width, out,
                     {to[1], to[2], to[3]});
  }

  // Lists the pixels that the samples of bin (p, q) read, with their weights in the mean. Calls add() after
  // some of them each time, and at the end.
  template <typename Add>
  void FindPixels(const Region &region, const Map &map, int64_t p, int64_t q,
                  std::vector<WeightedPixel> *pixels, const Add &add) const {
    constexpr size_t kPixels = 1024;
    const int64_t height = args_.input.shape[2], width = args_.input.shape[3];
    const auto factor = static_cast<float>(1 / std::max(region.Samples(), 1.0));
    for (int64_t i = 0; i < region.grid[0]; ++i) {
      const float v = Place(region, 0, p, i);
      for (int64_t j = 0; j < region.grid[1]; ++j) {
        const float u = Place(region, 1, q, j);
        const float y = v * region.cosine - u * region.sine + region.centre[0];
        const float x = v * region.sine + u * region.cosine + region.centre[1];
        const auto sample =
            Corners(ClampedAxis<float>(y, height), ClampedAxis<float>(x, width), map.row, map.column);
        AddCorners(sample, 0, factor, pixels);
        if (pixels->size() >= kPixels) add();
      }
    }
    add();
  }

  const Args &args_;
  const std::vector<Region> regions_;
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat32(args.input.dtype,
                  [&](auto element) { Pooling<decltype(element)>(args).Run(parallel_for); });
}

}  // namespace avo::roi_align_rotated::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::roi_align_rotated {
AVO_RUN_CPU(Run)
}  // namespace avo::roi_align_rotated
#endif
