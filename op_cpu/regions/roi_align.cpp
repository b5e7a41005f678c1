// SPDX-License-Identifier: Apache-2.0
#include "op_host/roi_align_args.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "hwy/cache_control.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/regions/roi.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/regions/roi_align.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/regions/roi_copy-inl.h"
#include "op_cpu/regions/roi_pixels-inl.h"
#include "op_cpu/regions/roi_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::roi_align::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using avo::HWY_NAMESPACE::AnyNaN;
using avo::HWY_NAMESPACE::ComputeTag;
using avo::HWY_NAMESPACE::ForOdd;
using avo::HWY_NAMESPACE::FromChannelsLast;
using avo::HWY_NAMESPACE::PixelCopy;
using avo::HWY_NAMESPACE::PixelImage;
using avo::HWY_NAMESPACE::RoiBand;
using avo::HWY_NAMESPACE::RoiPixels;
using avo::HWY_NAMESPACE::RoiPlanes;
using avo::HWY_NAMESPACE::StoreRun;
using avo::HWY_NAMESPACE::WholeMap;

template <typename T>
class Pooling {
 public:
  Pooling(const Args &args, const RoiCall &call)
      : args_(args), bins_{args.output_height, args.output_width}, regions_(call.Regions<T>()) {
    order_.resize(regions_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::array<int64_t, 3>> places;
    for (const auto &region : regions_) places.push_back(Place(region));
    std::sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  }

  void Run(const ParallelFor &parallel_for) const {
    const Shape &shape = args_.input.shape, &strides = args_.input.strides;
    constexpr int64_t kLanes = hn::MaxLanes(ComputeTag<T>());
    if (strides[1] == 1 && shape[1] >= kLanes) return InPlace(parallel_for);
    if constexpr (!std::is_same_v<T, double>) {
      const bool rows = args_.mode == "avg" && strides[3] == 1 && shape[3] >= kLanes;
      if (rows && !(shape[1] >= kLanes && Crowded(3))) return MeanOfPlanes(parallel_for);
    }
    const bool crowded = Crowded(1);
    // Many regions share a copy of a few channels of all pixels: at AVX-512 1.4 x for 1000 regions, 1.7 x of
    // float16.
    const auto all = crowded ? WholeMap<Compute<T>>(shape[2], shape[3]) : RoiRegion<Compute<T>>();
    ForItems(crowded ? kLanes : kCopiedChannels, parallel_for, [&] {
      return [&, copy = PixelCopy<T>(), pooling = RoiPixels<T>()](int64_t k, int64_t channel,
                                                                  int64_t channels) mutable {
        copy.Read(crowded ? all : regions_[k], Plane(k, channel), strides, channels, crowded);
        Pixels(k, channel, channels, copy.image, pooling);
      };
    });
  }

 private:
  // Channels of an item: planes share the second cache, whole pixels are read as fast as memory gives them.
  static constexpr int64_t kPlanes = 4, kPixelChannels = 256, kCopiedChannels = 32;
  static constexpr int64_t kLine = 64;  // bytes of a line of the caches

  // Regions follow upon each other by image, then to and fro in bands of it, so that pixels are still in a
  // cache that the one before has read: 1.2 x on channels-last memory of 1000 regions.
  static std::array<int64_t, 3> Place(const RoiRegion<Compute<T>> &region) {
    const auto &y = region.y.elements, &x = region.x.elements;
    if (y.empty() || x.empty()) return {region.image, -1, 0};
    constexpr int64_t kBand = 24;  // rows
    const int64_t band = (y.front() + y.back()) / 2 / kBand, column = x.front() + x.back();
    return {region.image, band, band % 2 == 0 ? column : -column};
  }

  // Whether regions read more elements than `times` what the maps have.
  bool Crowded(int64_t times) const {
    const Shape &shape = args_.input.shape;
    int64_t elements = 0;
    for (const auto &region : regions_) elements += region.y.Size() * region.x.Size();
    return elements > times * shape[0] * shape[2] * shape[3];
  }

  // Calls pool(region, first channel, channels) for all, with a pool = make() in each thread; `group`
  // channels or more at a time.
  template <typename Make>
  void ForItems(int64_t group, const ParallelFor &parallel_for, const Make &make) const {
    const int64_t channels = args_.input.shape[1], count = static_cast<int64_t>(regions_.size());
    const int64_t groups = std::max<int64_t>(channels / group, 1);
    int64_t elements = 1;
    for (const auto &region : regions_) elements += region.y.Size() * region.x.Size() + bins_[0] * bins_[1];
    const int64_t grain = GrainOf(elements / std::max<int64_t>(count, 1) * (channels / groups));
    parallel_for(groups * count, grain, [&](int64_t begin, int64_t end) {
      auto pool = make();
      for (int64_t item = begin; item < end; ++item) {
        const int64_t channel = item / count * group;
        pool(order_[item % count], channel, channel + 2 * group <= channels ? group : channels - channel);
      }
      hwy::FlushStream();
    });
  }

  void InPlace(const ParallelFor &parallel_for) const {
    ForItems(kPixelChannels, parallel_for, [this] {
      return [this, pooling = RoiPixels<T>()](int64_t k, int64_t channel, int64_t channels) mutable {
        const Shape &s = args_.input.strides;
        Pixels(k, channel, channels, {Plane(k, channel), 0, s[2], s[3]}, pooling);
      };
    });
  }

  void Pixels(int64_t k, int64_t channel, int64_t channels, const PixelImage<T> &image,
              RoiPixels<T> &pooling) const {
    const bool mean = args_.mode == "avg";
    for (int64_t p = 0; p < bins_[0]; ++p) Expect(k, channel, channels, p);
    const Compute<T> *pooled =
        mean ? pooling.Mean(regions_[k], bins_, image, channels)
             : pooling.Largest(regions_[k], bins_, image, channels, args_.mode == "onnx_max");
    const Shape &strides = args_.out.strides;
    const bool run = strides[2] == bins_[1] * strides[3];
    FromChannelsLast(pooled, pooling.Stride(), channels, run ? 1 : bins_[0],
                     run ? bins_[0] * bins_[1] : bins_[1], Out(k, channel),
                     {strides[1], strides[2], strides[3]});
    if (!mean || pooling.Finite(bins_[0] * bins_[1], channels)) return;
    pooling.ForOdd(regions_[k], bins_, image, channels,
                   [&](int64_t p, int64_t q, int64_t c) { Again(k, channel + c, p, q); });
  }

  void MeanOfPlanes(const ParallelFor &parallel_for) const {
    std::vector<RoiBand> bands;
    for (const auto &region : regions_) bands.emplace_back(region.x);
    ForItems(kPlanes, parallel_for, [&] {
      return [&, pooling = RoiPlanes()](int64_t k, int64_t channel, int64_t channels) mutable {
        int64_t c = channel;
        for (; c + kPlanes <= channel + channels; c += kPlanes) MeanOf<kPlanes>(k, c, bands[k], pooling);
        for (; c < channel + channels; ++c) MeanOf<1>(k, c, bands[k], pooling);
      };
    });
  }

  template <int kChannels>
  void MeanOf(int64_t k, int64_t channel, const RoiBand &band, RoiPlanes &pooling) const {
    const Shape &strides = args_.input.strides;
    const bool stream = Streamed(Out(k, channel));
    const auto ahead = [&](int64_t p) {
      if (!stream) Expect(k, channel, kChannels, p);
    };
    const float *pooled = pooling.template Mean<kChannels>(
        regions_[k], band, bins_, Plane(k, channel), strides[1], strides[2], args_.input.shape[3], ahead);
    if (Store(pooled, k, channel, kChannels, stream)) return;
    // What is not finite may come of a weight of 0 that the definition has not, or hide one that it has.
    const int64_t bins = bins_[0] * bins_[1];
    ForOdd(pooled, kChannels * bins, [&](int64_t i) {
      const int64_t c = channel + i / bins, p = i % bins / bins_[1], q = i % bins_[1];
      if (AnyNaN(regions_[k], p, q, Plane(k, c), strides[2], args_.input.shape[3])) return;
      Again(k, c, p, q);
    });
  }

  // Whether a run of results goes around the caches, line by line: 1.12 x for 20 MB of 14 x 14 bins.
  bool Streamed(const T *out) const {
    const bool lines = std::is_same_v<T, float> && reinterpret_cast<uintptr_t>(out) % kLine == 0;
    return lines && Dense() && OutgrowsCaches(args_.out);
  }

  // Lines of a row of bins of the result, far apart from region to region, arrive while it is computed: 1.2 x
  // for 7 x 7 bins.
  void Expect(int64_t k, int64_t channel, int64_t channels, int64_t p) const {
    constexpr int64_t kStep = kLine / sizeof(T);
    for (int64_t c = channel; c < channel + channels; ++c) {
      for (int64_t q = 0; q < bins_[1]; q += kStep) __builtin_prefetch(Out(k, c, p, q), 1);
    }
  }

  // As StoreRun, `channels` of a region.
  bool Store(const float *pooled, int64_t k, int64_t channel, int64_t channels, bool stream) const {
    const int64_t bins = bins_[0] * bins_[1];
    if (Dense()) return StoreRun(pooled, channels * bins, Out(k, channel), stream);
    bool finite = true;
    for (int64_t i = 0; i < channels * bins; ++i) {
      *Out(k, channel + i / bins, i % bins / bins_[1], i % bins_[1]) = Narrow<T>(pooled[i]);
      finite &= std::isfinite(pooled[i]);
    }
    return finite;
  }

  // A mean that is not finite by the definition: it alone, 1.6 to 55 x where each channel has an infinity.
  void Again(int64_t k, int64_t channel, int64_t p, int64_t q) const {
    const Shape &strides = args_.input.strides;
    *Out(k, channel, p, q) =
        Narrow<T>(RoiMean<T>(regions_[k], Plane(k, channel), strides[2], strides[3], p, q));
  }

  // Whether a region's results are one run.
  bool Dense() const {
    const Shape &s = args_.out.strides;
    return s[3] == 1 && s[2] == bins_[1] && s[1] == bins_[0] * bins_[1];
  }

  // Where a channel of a region's image begins.
  const T *Plane(int64_t k, int64_t channel) const {
    const Shape &strides = args_.input.strides;
    return static_cast<const T *>(args_.input.data) + regions_[k].image * strides[0] + channel * strides[1];
  }
  T *Out(int64_t k, int64_t channel, int64_t p = 0, int64_t q = 0) const {
    const Shape &strides = args_.out.strides;
    return static_cast<T *>(args_.out.data) + k * strides[0] + channel * strides[1] + p * strides[2] +
           q * strides[3];
  }

  const Args &args_;
  int64_t bins_[2];
  std::vector<RoiRegion<Compute<T>>> regions_;
  std::vector<int64_t> order_;  // regions by image
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  const RoiCall call{args.rois,
                     args.batch_indices,
                     args.input.shape[0],
                     {args.input.shape[2], args.input.shape[3]},
                     {args.output_height, args.output_width},
                     args.spatial_scale,
                     args.sampling_ratio,
                     args.aligned && !args.batch_indices};
  DispatchFloat(args.input.dtype,
                [&](auto element) { Pooling<decltype(element)>(args, call).Run(parallel_for); });
}

}  // namespace avo::roi_align::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::roi_align {
AVO_RUN_CPU(Run)
}  // namespace avo::roi_align
#endif
