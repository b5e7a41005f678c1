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

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_copy-inl.h"
#include "op_host/common/tiling/math.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of one thread. Results are (bin rows, bin columns, channels), pixels `Stride()` apart.
template <typename T>
class RoiPixels {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int kVectors = 4;  // of channels at a time
  // For means: columns at a time, and rows of bins whose sums stay in the first cache.
  static constexpr int64_t kColumns = 4, kBinRows = 7;

 public:
  int64_t Stride() const { return stride_; }

  const Value *Mean(const RoiRegion<Value> &region, const int64_t (&bins)[2], const PixelImage<T> &image,
                    int64_t channels) {
    const RoiAxis<Value> &y = region.y, &x = region.x;
    if (Prepare(region, bins, channels)) return pooled_.data();
    columns_ = AlignUp<int64_t>(x.Size(), kColumns);
    offsets_.resize(std::max<size_t>(offsets_.size(), columns_));
    // The last column is repeated.
    for (int64_t i = 0; i < columns_; ++i) {
      offsets_[i] = x.elements[std::min(i, x.Size() - 1)] * image.column_stride - image.origin;
    }
    // Pixels of many vectors are read as a whole, for a row of bins at a time.
    const int64_t most_rows = channels < kVectors * kLanes ? kBinRows : 1;
    sums_.resize(std::max<size_t>(sums_.size(), most_rows * columns_ * stride_));
    for (int64_t p = 0; p < bins[0]; p += most_rows) {
      const int64_t rows = std::min(most_rows, bins[0] - p);
      for (int64_t i = 0; i < rows; ++i)
        SumRows(y, p + i, image, channels, sums_.data() + i * columns_ * stride_);
      for (int64_t q = 0; q < bins[1]; ++q)
        SumColumns(x, q, rows, channels, Pooled(p * bins[1] + q), bins[1] * stride_);
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

  // Calls again(bin row, bin column, channel) for means that are not finite, but for those that an element
  // makes NaN: looked for in all channels at once, 2.3 to 4.5 x for maps of which 1 % is NaN.
  template <class Again>
  void ForOdd(const RoiRegion<Value> &region, const int64_t (&bins)[2], const PixelImage<T> &image,
              int64_t channels, const Again &again) {
    const D d;
    for (int64_t bin = 0; bin < bins[0] * bins[1]; ++bin) {
      for (int64_t c = 0; c < channels; c += kLanes) {
        const int64_t at = LastVector(c, channels), p = bin / bins[1], q = bin % bins[1];
        auto odd = hn::Not(hn::IsFinite(hn::LoadU(d, Pooled(bin) + at)));
        if (hn::AllFalse(d, odd)) continue;
        odd = hn::AndNot(AnyNaN(region, p, q, image, at), hn::And(odd, hn::FirstN(d, channels - at)));
        ForLanes(d, odd, [&](int64_t lane) { again(p, q, at + lane); });
      }
    }
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

  // The elements of a bin of rows, weighed and summed, for all columns that samples read.
  void SumRows(const RoiAxis<Value> &y, int64_t bin, const PixelImage<T> &image, int64_t channels,
               Value *to) const {
    int64_t column = 0;
    for (; channels == kLanes && column + 2 * kColumns <= columns_; column += 2 * kColumns) {
      SumRowsOf<2 * kColumns, 1>(y, bin, image, 0, column, to);
    }
    for (; column < columns_; column += kColumns) {
      int64_t c = 0;
      for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
        SumRowsOf<kColumns / 2, kVectors>(y, bin, image, c, column, to);
        SumRowsOf<kColumns / 2, kVectors>(y, bin, image, c, column + kColumns / 2, to);
      }
      for (; c < channels; c += kLanes) {
        SumRowsOf<kColumns, 1>(y, bin, image, LastVector(c, channels), column, to);
      }
    }
  }

  // These sums of rows of bins: those of a bin of columns, weighed and summed.
  void SumColumns(const RoiAxis<Value> &x, int64_t bin, int64_t rows, int64_t channels, Value *to,
                  int64_t to_stride) const {
    int64_t c = 0;
    for (; c + kVectors * kLanes <= channels; c += kVectors * kLanes) {
      SumColumnsOf<1, kVectors>(x, bin, 0, c, to, to_stride);
    }
    for (; c < channels; c += kLanes) {
      const int64_t at = LastVector(c, channels);
      int64_t i = 0;
      for (; i + kBinRows <= rows; i += kBinRows) SumColumnsOf<kBinRows, 1>(x, bin, i, at, to, to_stride);
      for (; i + 3 <= rows; i += 3) SumColumnsOf<3, 1>(x, bin, i, at, to, to_stride);
      for (; i < rows; ++i) SumColumnsOf<1, 1>(x, bin, i, at, to, to_stride);
    }
  }

  template <int kCount, int kVectors>
  HWY_INLINE void SumRowsOf(const RoiAxis<Value> &y, int64_t bin, const PixelImage<T> &image, int64_t channel,
                            int64_t column, Value *to) const {
    const D d;
    const T *from[kCount];
    hn::Vec<D> sums[kCount * kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) from[i] = image.first + offsets_[column + i] + channel;
#pragma GCC unroll 8
    for (int i = 0; i < kCount * kVectors; ++i) sums[i] = hn::Zero(d);
    const RoiTap<Value> *end = y.taps.data() + y.first_tap[bin + 1];
    for (const RoiTap<Value> *tap = y.taps.data() + y.first_tap[bin]; tap < end; ++tap) {
      const int64_t row = y.elements[tap->slot] * image.row_stride;
      const auto weight = hn::Set(d, tap->weight);
#pragma GCC unroll 8
      for (int i = 0; i < kCount * kVectors; ++i) {
        sums[i] = hn::MulAdd(weight, LoadFloat(d, from[i / kVectors] + row + i % kVectors * kLanes), sums[i]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kCount * kVectors; ++i) {
      hn::StoreU(sums[i], d, to + (column + i / kVectors) * stride_ + channel + i % kVectors * kLanes);
    }
  }

  template <int kRows, int kVectors>
  HWY_INLINE void SumColumnsOf(const RoiAxis<Value> &x, int64_t bin, int64_t row, int64_t channel, Value *to,
                               int64_t to_stride) const {
    const D d;
    hn::Vec<D> sums[kRows * kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kRows * kVectors; ++i) sums[i] = hn::Zero(d);
    const RoiTap<Value> *end = x.taps.data() + x.first_tap[bin + 1];
    for (const RoiTap<Value> *tap = x.taps.data() + x.first_tap[bin]; tap < end; ++tap) {
      const Value *from = sums_.data() + (row * columns_ + tap->slot) * stride_ + channel;
      const auto weight = hn::Set(d, tap->weight);
#pragma GCC unroll 8
      for (int i = 0; i < kRows * kVectors; ++i) {
        const int64_t at = i / kVectors * columns_ * stride_ + i % kVectors * kLanes;
        sums[i] = hn::MulAdd(weight, hn::LoadU(d, from + at), sums[i]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < kRows * kVectors; ++i) {
      hn::StoreU(sums[i], d, to + (row + i / kVectors) * to_stride + channel + i % kVectors * kLanes);
    }
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

  // Whether an element that counts for a mean is NaN.
  hn::Mask<D> AnyNaN(const RoiRegion<Value> &region, int64_t p, int64_t q, const PixelImage<T> &image,
                     int64_t channel) const {
    const RoiAxis<Value> &y = region.y, &x = region.x;
    auto found = hn::MaskFalse(D());
    for (int32_t i = y.first_tap[p]; i < y.first_tap[p + 1]; ++i) {
      const int64_t row = y.elements[y.taps[i].slot] * image.row_stride + channel;
      for (int32_t j = x.first_tap[q]; j < x.first_tap[q + 1]; ++j) {
        const auto value = LoadFloat(D(), image.first + (row + offsets_[x.taps[j].slot]));
        found = hn::Or(found, hn::IsNaN(value));
      }
    }
    return found;
  }

  static HWY_INLINE hn::Vec<D> Larger(hn::Vec<D> best, hn::Vec<D> value) {
    return hn::IfThenElse(hn::Or(hn::Gt(value, best), hn::IsNaN(value)), value, best);
  }

  hwy::AlignedVector<Value> sums_, pooled_;
  std::vector<int64_t> offsets_;  // of the columns that samples read
  int64_t stride_ = 0, columns_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
