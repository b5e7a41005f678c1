// SPDX-License-Identifier: Apache-2.0
// Budget: 1400 lines of code, because regions that read little need a way without tables, and the others one
// of vectors of columns or of channels, from maps that are read in place or copied.
#include "op_host/roi_align_args.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "hwy/cache_control.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_estimate.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/regions/roi_align.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/regions/roi_band-inl.h"
#include "op_cpu/regions/roi_bins-inl.h"
#include "op_cpu/regions/roi_copy-inl.h"
#include "op_cpu/regions/roi_not_finite-inl.h"
#include "op_cpu/regions/roi_pixel_means-inl.h"
#include "op_cpu/regions/roi_pixels-inl.h"
#include "op_cpu/regions/roi_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::roi_align::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using avo::HWY_NAMESPACE::AnyNaN;
using avo::HWY_NAMESPACE::ComputeTag;
using avo::HWY_NAMESPACE::ForNotFinite;
using avo::HWY_NAMESPACE::FromChannelsLast;
using avo::HWY_NAMESPACE::PixelCopy;
using avo::HWY_NAMESPACE::PixelImage;
using avo::HWY_NAMESPACE::RoiBand;
using avo::HWY_NAMESPACE::RoiBins;
using avo::HWY_NAMESPACE::RoiMap;
using avo::HWY_NAMESPACE::RoiPixelMaxima;
using avo::HWY_NAMESPACE::RoiPixelMeans;
using avo::HWY_NAMESPACE::RoiPlanes;
using avo::HWY_NAMESPACE::StoreRun;
using avo::HWY_NAMESPACE::WholeMap;

// Pooling of pixels, channels as lanes: by one of the two, as the mode says. Each thread owns one.
template <typename T>
struct PixelPooling {
  RoiPixelMeans<T> means;
  RoiPixelMaxima<T> maxima;
};

// One call. It chooses between four ways:
//   regions read few elements                bin by bin, right from the feature maps
//   channels are neighbours in memory        pixels are read in place, channels as lanes
//   means, and columns are neighbours        planes are read in place, columns and then bins as lanes
//   else, or if regions overlap a lot        pixels are copied first, then as in the first way
template <typename T>
class Pooling {
 public:
  Pooling(const Args &args, const RoiCall &call)
      : args_(args), call_(call), bins_{args.output_height, args.output_width}, places_(call.Places<T>()) {
    const RoiWays ways{kLanes, args.input.shape[1], args.mode == "avg", ChannelsAreLanes(),
                       ColumnsAreLanes()};
    estimate_ = EstimateBinByBin(call, places_, ways);
  }

  void Run(const ParallelFor &parallel_for) {
    if (estimate_.longer < 0) return PoolBins(parallel_for);
    MakeRegions();
    const Shape &shape = args_.input.shape, &strides = args_.input.strides;
    if (ChannelsAreLanes()) return InPlace(parallel_for);
    if constexpr (!std::is_same_v<T, double>) {
      if (ColumnsAreLanes() && !(shape[1] >= kLanes && ReadsMoreThan(3))) return MeanOfPlanes(parallel_for);
    }
    const bool crowded = ReadsMoreThan(1);
    // If regions overlap a lot, they share a copy of a few channels of all pixels: with 1000 regions at
    // AVX-512 1.4 x as fast, float16 1.7 x.
    const auto all = crowded ? WholeMap<Compute<T>>(shape[2], shape[3]) : RoiRegion<Compute<T>>();
    ForItems(crowded ? kLanes : kCopiedChannels, parallel_for, [&] {
      return [&, copy = PixelCopy<T>(), pooling = PixelPooling<T>()](int64_t k, int64_t channel,
                                                                     int64_t channels) mutable {
        copy.Read(crowded ? all : regions_[k], Plane(k, channel), strides, channels, crowded);
        Pixels(k, channel, channels, copy.image, pooling);
      };
    });
  }

 private:
  static constexpr int64_t kLanes = hn::MaxLanes(ComputeTag<T>());
  // Channels that a thread works on at a time: planes share the L2, whole pixels are read as fast as memory
  // allows.
  static constexpr int64_t kPlanes = 4, kPixelChannels = 256, kCopiedChannels = 32;
  static constexpr int64_t kLine = 64;  // bytes of a line of the caches

  // Whether pixels are read in place with channels as lanes.
  bool ChannelsAreLanes() const { return args_.input.strides[1] == 1 && args_.input.shape[1] >= kLanes; }

  // Whether MeanOfPlanes can compute the call.
  bool ColumnsAreLanes() const {
    if (std::is_same_v<T, double> || args_.mode != "avg") return false;
    return args_.input.strides[3] == 1 && args_.input.shape[3] >= kLanes;
  }

  void PoolBins(const ParallelFor &parallel_for) const {
    const bool mean = args_.mode == "avg", corners = args_.mode == "onnx_max";
    const int64_t *strides = args_.input.strides.data() + 1, *to_strides = args_.out.strides.data() + 1;
    ForItems(kPixelChannels, parallel_for, [&] {
      thread_local RoiBins<T> pool;
      return [&](int64_t k, int64_t channel, int64_t channels) {
        const RoiMap<T> map{Plane(k, channel), strides, Out(k, channel), to_strides};
        if (mean) return pool.Mean(call_, k, places_[k], map, channels);
        pool.Largest(call_, places_[k], map, channels, corners);
      };
    });
  }

  void MakeRegions() {
    regions_ = call_.Regions(places_);
    order_.resize(regions_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::array<int64_t, 3>> places;
    for (const auto &region : regions_) places.push_back(SortKey(region));
    std::sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  }

  // Sorts regions by image, then by bands of 24 rows, and within a band by column, to the right in one band
  // and to the left in the next one. So pixels that one region has read are still in a cache for the next
  // one: 1.2 x as fast for 1000 regions with channels-last memory.
  static std::array<int64_t, 3> SortKey(const RoiRegion<Compute<T>> &region) {
    const auto &y = region.y.elements, &x = region.x.elements;
    if (y.empty() || x.empty()) return {region.image, -1, 0};
    constexpr int64_t kBand = 24;  // rows
    const int64_t band = (y.front() + y.back()) / 2 / kBand, column = x.front() + x.back();
    return {region.image, band, band % 2 == 0 ? column : -column};
  }

  // Whether all regions together read more than `times` as many elements as the feature maps have.
  bool ReadsMoreThan(int64_t times) const {
    const Shape &shape = args_.input.shape;
    int64_t elements = 0;
    for (const auto &region : regions_) elements += region.y.Size() * region.x.Size();
    return elements > times * shape[0] * shape[2] * shape[3];
  }

  // Calls pool(region, first channel, channels) until all channels of all regions are pooled, `group`
  // channels or more at a time. Each thread has its own pool = make().
  template <typename Make>
  void ForItems(int64_t group, const ParallelFor &parallel_for, const Make &make) const {
    const int64_t channels = args_.input.shape[1], count = static_cast<int64_t>(places_.size());
    const int64_t groups = std::max<int64_t>(channels / group, 1);
    const int64_t grain = GrainOf(
        static_cast<int64_t>(estimate_.elements / static_cast<double>(std::max<int64_t>(count, 1) * groups) *
                             static_cast<double>(channels)));
    const auto run = [&](int64_t begin, int64_t end) {
      auto pool = make();
      for (int64_t item = begin; item < end; ++item) {
        const int64_t channel = item / count * group;
        pool(order_.empty() ? item % count : order_[item % count], channel,
             channel + 2 * group <= channels ? group : channels - channel);
      }
      hwy::FlushStream();
    };
    parallel_for(groups * count, grain, std::ref(run));  // which needs no memory
  }

  void InPlace(const ParallelFor &parallel_for) const {
    ForItems(kPixelChannels, parallel_for, [this] {
      return [this, pooling = PixelPooling<T>()](int64_t k, int64_t channel, int64_t channels) mutable {
        const Shape &s = args_.input.strides;
        Pixels(k, channel, channels, {Plane(k, channel), 0, s[2], s[3]}, pooling);
      };
    });
  }

  // Pools channels [channel, channel + channels) of region `k`, which begin at channel 0 of `image`.
  void Pixels(int64_t k, int64_t channel, int64_t channels, const PixelImage<T> &image,
              PixelPooling<T> &pooling) const {
    const bool mean = args_.mode == "avg";
    auto &[means, maxima] = pooling;
    for (int64_t p = 0; p < bins_[0]; ++p) PrefetchResults(k, channel, channels, p);
    const Compute<T> *pooled =
        mean ? means.Mean(regions_[k], bins_, image, channels)
             : maxima.Largest(regions_[k], bins_, image, channels, args_.mode == "onnx_max");
    const Shape &strides = args_.out.strides;
    const bool run = strides[2] == bins_[1] * strides[3];
    FromChannelsLast(pooled, mean ? means.Stride() : maxima.Stride(), channels, run ? 1 : bins_[0],
                     run ? bins_[0] * bins_[1] : bins_[1], Out(k, channel),
                     {strides[1], strides[2], strides[3]});
    if (!mean || means.Finite(bins_[0] * bins_[1], channels)) return;
    means.ForNotFinite(regions_[k], bins_, image, channels,
                       [&](int64_t p, int64_t q, int64_t c) { Recompute(k, channel + c, p, q); });
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
      if (!stream) PrefetchResults(k, channel, kChannels, p);
    };
    const float *pooled = pooling.template Mean<kChannels>(
        regions_[k], band, bins_, Plane(k, channel), strides[1], strides[2], args_.input.shape[3], ahead);
    if (Store(pooled, k, channel, kChannels, stream)) return;
    // Such a mean may be wrong: see RoiMean. It is right where the bin reads a NaN.
    const int64_t bins = bins_[0] * bins_[1];
    ForNotFinite(pooled, kChannels * bins, [&](int64_t i) {
      const int64_t c = channel + i / bins, p = i % bins / bins_[1], q = i % bins_[1];
      if (AnyNaN(regions_[k], p, q, Plane(k, c), strides[2], args_.input.shape[3])) return;
      Recompute(k, c, p, q);
    });
  }

  // Whether the results that begin at `out` go around the caches, line by line: 1.12 x as fast for 20 MB of
  // 14 x 14 bins.
  bool Streamed(const T *out) const {
    const bool lines = std::is_same_v<T, float> && reinterpret_cast<uintptr_t>(out) % kLine == 0;
    return lines && Dense() && OutgrowsCaches(args_.out);
  }

  // Prefetches the lines of the cache that row p of bins goes to, for some channels of region `k`. They lie
  // far apart from region to region, and arrive while the row is computed: 1.2 x as fast for 7 x 7 bins.
  void PrefetchResults(int64_t k, int64_t channel, int64_t channels, int64_t p) const {
    constexpr int64_t kStep = kLine / sizeof(T);
    for (int64_t c = channel; c < channel + channels; ++c) {
      for (int64_t q = 0; q < bins_[1]; q += kStep) __builtin_prefetch(Out(k, c, p, q), 1);
    }
  }

  // Rounds and stores the means of some channels of region `k`. Returns whether all are finite.
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

  // Computes one mean by the definition. Only means that are not finite need it, which is 1.6 to 55 x as fast
  // as whole regions where each channel has an infinity.
  void Recompute(int64_t k, int64_t channel, int64_t p, int64_t q) const {
    const Shape &strides = args_.input.strides;
    *Out(k, channel, p, q) =
        Narrow<T>(RoiMean<T>(regions_[k], Plane(k, channel), strides[2], strides[3], p, q));
  }

  // Whether the results of a region follow each other in memory.
  bool Dense() const {
    const Shape &s = args_.out.strides;
    return s[3] == 1 && s[2] == bins_[1] && s[1] == bins_[0] * bins_[1];
  }

  // The first element of a channel of the feature map of region `k`.
  const T *Plane(int64_t k, int64_t channel) const {
    const Shape &strides = args_.input.strides;
    return static_cast<const T *>(args_.input.data) + places_[k].image * strides[0] + channel * strides[1];
  }
  // The result of bin (p, q) of a channel of region `k`.
  T *Out(int64_t k, int64_t channel, int64_t p = 0, int64_t q = 0) const {
    const Shape &strides = args_.out.strides;
    return static_cast<T *>(args_.out.data) + k * strides[0] + channel * strides[1] + p * strides[2] +
           q * strides[3];
  }

  const Args &args_;
  const RoiCall &call_;
  int64_t bins_[2];
  RoiEstimate estimate_;
  std::vector<RoiPlace<Compute<T>>> places_;
  std::vector<RoiRegion<Compute<T>>> regions_;
  std::vector<int64_t> order_;  // numbers of regions, sorted by SortKey
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
