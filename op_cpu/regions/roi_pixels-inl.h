// SPDX-License-Identifier: Apache-2.0
// Pooling of regions of images whose channels are neighbours in memory, with channels as lanes: maxima, and
// what they share with means (roi_pixel_means-inl.h).
#if defined(AVO_OP_CPU_REGIONS_ROI_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_PIXELS_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_PIXELS_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_PIXELS_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_copy-inl.h"
#include "op_cpu/regions/roi_maximum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Results of one region: a pixel for each bin, with the channels of a pixel side by side. Each thread owns
// one; its buffer serves one region after the other.
//
//   bin 0   c0 c1 c2 …  |  bin 1   c0 c1 c2 …  |  …        Stride() from bin to bin, a multiple of a vector
template <typename T>
class RoiPixels {
 public:
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int kVectors = 4;  // of channels at a time

  int64_t Stride() const { return stride_; }

 protected:
  // Makes room for results. Returns false, with results of 0, where the region reads nothing.
  bool Prepare(const RoiRegion<Value> &region, const int64_t (&bins)[2], int64_t channels) {
    stride_ = (channels + kLanes - 1) / kLanes * kLanes;
    pooled_.resize(std::max<size_t>(pooled_.size(), bins[0] * bins[1] * stride_));
    const bool reads = !region.y.elements.empty() && !region.x.elements.empty();
    if (!reads) std::fill(pooled_.begin(), pooled_.end(), Value{0});
    return reads;
  }

  Value *Pooled(int64_t bin) { return pooled_.data() + bin * stride_; }
  const Value *Pooled(int64_t bin) const { return pooled_.data() + bin * stride_; }

  // Where the vector of channels begins that has channel `c`: the last one overlaps the one before it.
  static int64_t VectorAt(int64_t c, int64_t channels) {
    return std::min(c, std::max<int64_t>(channels - kLanes, 0));
  }

 private:
  AlignedVector<Value> pooled_;
  int64_t stride_ = 0;
};

// Maxima of regions.
template <typename T>
class RoiPixelMaxima : public RoiPixels<T> {
  using Base = RoiPixels<T>;
  using Base::kLanes;
  using Base::kVectors;
  using Base::Pooled;
  using Base::Prepare;
  using Base::VectorAt;
  using typename Base::D;
  using typename Base::Value;

 public:
  // Computes the maximum of the samples of each bin; with `corners` that of their weighted corners.
  const Value *Largest(const RoiRegion<Value> &region, const int64_t (&bins)[2], const PixelImage<T> &image,
                       int64_t channels, bool corners) {
    if (!Prepare(region, bins, channels)) return Pooled(0);
    const int64_t grid = region.y.grid * region.x.grid;
    for (int64_t p = 0; p < bins[0]; ++p) {
      for (int64_t q = 0; q < bins[1]; ++q) {
        samples_.clear();
        region.ForSamples(p, q, image.row_stride, image.column_stride, [&](BilinearSample<Value> sample) {
          for (int64_t &offset : sample.offset) offset -= offset == kOutside ? 0 : image.origin;
          samples_.push_back(sample);
        });
        const bool all = static_cast<int64_t>(samples_.size()) == grid;
        Value *to = Pooled(p * bins[1] + q);
        const auto largest = [&](auto count, int64_t channel) {
          constexpr int kCount = decltype(count)::value;
          const D d;
          hn::Vec<D> best[kCount];
          RoiMaximum<kCount>(d, samples_.data(), samples_.size(), image.first + channel, kLanes, corners, all,
                             best);
#pragma GCC unroll 4
          for (int v = 0; v < kCount; ++v) hn::StoreU(best[v], d, to + channel + v * kLanes);
        };
        int64_t c = 0;
        for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
          largest(std::integral_constant<int, kVectors>(), c);
        }
        for (; c < channels; c += kLanes) largest(std::integral_constant<int, 1>(), VectorAt(c, channels));
      }
    }
    return Pooled(0);
  }

 private:
  std::vector<BilinearSample<Value>> samples_;  // of a bin
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
