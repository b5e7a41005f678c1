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
#include <limits>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_copy-inl.h"

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
    for (int64_t p = 0; p < bins[0]; ++p) {
      for (int64_t q = 0; q < bins[1]; ++q) {
        Value *to = Pooled(p * bins[1] + q);
        int64_t c = 0;
        for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
          LargestOf<kVectors>(region, p, q, image, c, corners, to + c);
        }
        for (; c < channels; c += kLanes) {
          const int64_t at = VectorAt(c, channels);
          LargestOf<1>(region, p, q, image, at, corners, to + at);
        }
      }
    }
    return Pooled(0);
  }

 private:
  // Largest for one bin and kCount vectors of channels.
  template <int kCount>
  static HWY_INLINE void LargestOf(const RoiRegion<Value> &region, int64_t p, int64_t q,
                                   const PixelImage<T> &image, int64_t channel, bool corners, Value *to) {
    const D d;
    const RoiAxis<Value> &y = region.y, &x = region.x;
    const int32_t rows = y.first_sample[p + 1], columns = x.first_sample[q + 1];
    // Samples outside the feature map are 0.
    const bool all = rows - y.first_sample[p] == y.grid && columns - x.first_sample[q] == x.grid;
    hn::Vec<D> best[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) best[v] = hn::Set(d, all ? -std::numeric_limits<Value>::infinity() : 0);
    for (int32_t i = y.first_sample[p]; i < rows; ++i) {
      for (int32_t j = x.first_sample[q]; j < columns; ++j) {
        const auto sample = Corners(y.samples[i], x.samples[j], image.row_stride, image.column_stride);
        hn::Vec<D> sums[kCount];
#pragma GCC unroll 4
        for (int v = 0; v < kCount; ++v) sums[v] = hn::Zero(d);
#pragma GCC unroll 4
        for (int n = 0; n < 4; ++n) {
          const bool outside = sample.offset[n] == kOutside;
          const T *values = outside ? image.first : image.first + (sample.offset[n] - image.origin + channel);
          const auto weight = hn::Set(d, sample.weight[n]);
#pragma GCC unroll 4
          for (int v = 0; v < kCount; ++v) {
            if (corners) {
              best[v] =
                  Larger(best[v], outside ? hn::Zero(d) : hn::Mul(weight, LoadFloat(d, values + v * kLanes)));
            } else if (!outside) {
              sums[v] = FusedMulAdd(weight, LoadFloat(d, values + v * kLanes), sums[v]);
            }
          }
        }
#pragma GCC unroll 4
        for (int v = 0; v < kCount && !corners; ++v) best[v] = Larger(best[v], sums[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) hn::StoreU(best[v], d, to + v * kLanes);
  }

  // The larger one; NaN counts as larger than any number.
  static HWY_INLINE hn::Vec<D> Larger(hn::Vec<D> best, hn::Vec<D> value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, best), hn::IsNaN(value)), value, best);
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
