// SPDX-License-Identifier: Apache-2.0
// Pooling of regions of channels-last images: channels are lanes.
#if defined(AVO_OP_CPU_COMMON_ROI_PIXELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_ROI_PIXELS_INL_H_
#undef AVO_OP_CPU_COMMON_ROI_PIXELS_INL_H_
#else
#define AVO_OP_CPU_COMMON_ROI_PIXELS_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/roi.h"
#include "op_cpu/common/simd-inl.h"
#include "op_cpu/common/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pixels of neighbouring channels; a vector from each of them may be read if there are as many channels as
// lanes, and beyond the last pixel if there are less. (y, x) is at y * row_stride + x * column_stride -
// origin.
template <typename T>
struct PixelImage {
  const T *first;
  int64_t origin, row_stride, column_stride;
};

// What a region reads of `channels` planes, as pixels. `strides` are those of the planes, rows and columns.
template <typename T>
PixelImage<T> CopyPixels(const RoiRegion<Compute<T>> &region, const T *planes, const Shape &strides,
                         int64_t channels, std::vector<T> *copy) {
  const RoiAxis<Compute<T>> &y = region.y, &x = region.x;
  if (y.elements.empty() || x.elements.empty()) return {planes, 0, 0, 0};
  const int64_t width = x.elements.back() - x.elements.front() + 1;
  const int64_t height = y.elements.back() - y.elements.front() + 1;
  copy->resize(std::max<size_t>(copy->size(), height * width * channels + hn::MaxLanes(ComputeTag<T>())));
  for (const int32_t row : y.elements) {
    T *to = copy->data() + (row - y.elements.front()) * width * channels;
    const T *from = planes + row * strides[2] + x.elements.front() * strides[3];
    if (strides[3] == 1) {
      ToChannelsLast(from, strides[1], channels, width, to, channels);
      continue;
    }
    for (int64_t i = 0; i < width; ++i) {
      for (int64_t c = 0; c < channels; ++c) *to++ = from[i * strides[3] + c * strides[1]];
    }
  }
  const int64_t row_stride = width * channels;
  return {copy->data(), y.elements.front() * row_stride + x.elements.front() * channels, row_stride,
          channels};
}

// Of one thread. Results are (bin rows, bin columns, channels), pixels `Stride()` apart.
template <typename T>
class RoiPixels {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int kVectors = 4;  // of channels at a time

 public:
  int64_t Stride() const { return stride_; }

  const Value *Mean(const RoiRegion<Value> &region, const int64_t (&bins)[2], const PixelImage<T> &image,
                    int64_t channels) {
    const RoiAxis<Value> &y = region.y, &x = region.x;
    if (Prepare(region, bins, channels)) return pooled_.data();
    const int64_t columns = x.Size();
    sums_.resize(std::max<size_t>(sums_.size(), columns * stride_));
    slots_.resize(std::max<size_t>(slots_.size(), columns));
    for (int64_t i = 0; i < columns; ++i) slots_[i] = static_cast<int32_t>(i);
    for (int64_t p = 0; p < bins[0]; ++p) {
      for (int64_t i = 0; i < columns; ++i) {
        const int64_t origin = x.elements[i] * image.column_stride - image.origin;
        Weigh(y, p, image.first, origin, y.elements.data(), image.row_stride, channels,
              sums_.data() + i * stride_);
      }
      for (int64_t q = 0; q < bins[1]; ++q) {
        Weigh(x, q, sums_.data(), 0, slots_.data(), stride_, channels, Pooled(p * bins[1] + q));
      }
    }
    return pooled_.data();
  }

  // The largest sample, of which with `corners` the four weighted elements count and not their sum.
  const Value *Largest(const RoiRegion<Value> &region, const int64_t (&bins)[2], const PixelImage<T> &image,
                       int64_t channels, bool corners) {
    if (Prepare(region, bins, channels)) return pooled_.data();
    for (int64_t p = 0; p < bins[0]; ++p) {
      for (int64_t q = 0; q < bins[1]; ++q) {
        Value *to = Pooled(p * bins[1] + q);
        int64_t c = 0;
        for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
          LargestOf<kVectors>(region, p, q, image, c, corners, to + c);
        }
        for (; c < channels; c += kLanes) {
          const int64_t at = LastVector(c, channels);
          LargestOf<1>(region, p, q, image, at, corners, to + at);
        }
      }
    }
    return pooled_.data();
  }

  // Whether all results are finite.
  bool Finite(int64_t pixels, int64_t channels) const {
    const D d;
    auto odd = hn::MaskFalse(d);
    for (int64_t i = 0; i < pixels; ++i) {
      for (int64_t c = 0; c < channels; c += kLanes) {
        const auto value = hn::LoadU(d, pooled_.data() + i * stride_ + LastVector(c, channels));
        odd = hn::Or(odd, hn::Not(hn::IsFinite(value)));
      }
    }
    return hn::AllFalse(d, odd);
  }

 private:
  // The last vector overlaps the one before it.
  static int64_t LastVector(int64_t c, int64_t channels) {
    return std::min(c, std::max<int64_t>(channels - kLanes, 0));
  }

  // Whether there is nothing to sample; results are 0 then.
  bool Prepare(const RoiRegion<Value> &region, const int64_t (&bins)[2], int64_t channels) {
    stride_ = (channels + kLanes - 1) / kLanes * kLanes;
    const bool nothing = region.y.elements.empty() || region.x.elements.empty();
    pooled_.resize(std::max<size_t>(pooled_.size(), bins[0] * bins[1] * stride_));
    if (nothing) std::fill(pooled_.begin(), pooled_.end(), Value{0});
    return nothing;
  }

  Value *Pooled(int64_t bin) { return pooled_.data() + bin * stride_; }

  // The weighted sum of the elements of a bin, those of slot s at origin + places[s] * stride.
  template <typename From>
  static void Weigh(const RoiAxis<Value> &axis, int64_t bin, const From *from, int64_t origin,
                    const int32_t *places, int64_t stride, int64_t channels, Value *to) {
    int64_t c = 0;
    for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
      SumOf<kVectors>(axis, bin, from, origin + c, places, stride, to + c);
    }
    for (; c < channels; c += kLanes) {
      const int64_t at = LastVector(c, channels);
      SumOf<1>(axis, bin, from, origin + at, places, stride, to + at);
    }
  }

  template <int kCount, typename From>
  static HWY_INLINE void SumOf(const RoiAxis<Value> &axis, int64_t bin, const From *from, int64_t origin,
                               const int32_t *places, int64_t stride, Value *to) {
    const D d;
    hn::Vec<D> sums[kCount];
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) sums[v] = hn::Zero(d);
    const RoiTap<Value> *end = axis.taps.data() + axis.first_tap[bin + 1];
    for (const RoiTap<Value> *tap = axis.taps.data() + axis.first_tap[bin]; tap < end; ++tap) {
      const From *values = from + (origin + places[tap->slot] * stride);
      const auto weight = hn::Set(d, tap->weight);
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) {
        sums[v] = hn::MulAdd(weight, LoadFloat(d, values + v * kLanes), sums[v]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) hn::StoreU(sums[v], d, to + v * kLanes);
  }

  template <int kCount>
  static HWY_INLINE void LargestOf(const RoiRegion<Value> &region, int64_t p, int64_t q,
                                   const PixelImage<T> &image, int64_t channel, bool corners, Value *to) {
    const D d;
    const RoiAxis<Value> &y = region.y, &x = region.x;
    const int32_t rows = y.first_sample[p + 1], columns = x.first_sample[q + 1];
    // Samples beyond the feature map are 0.
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
              sums[v] = hn::MulAdd(weight, LoadFloat(d, values + v * kLanes), sums[v]);
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

  static HWY_INLINE hn::Vec<D> Larger(hn::Vec<D> best, hn::Vec<D> value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, best), hn::IsNaN(value)), value, best);
  }

  std::vector<Value> sums_, pooled_;
  std::vector<int32_t> slots_;
  int64_t stride_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
