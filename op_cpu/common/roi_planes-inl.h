// SPDX-License-Identifier: Apache-2.0
// Means of regions of feature maps whose rows are runs: columns are lanes. Rows are weighed first, then
// columns, as a product with a band matrix that has the bins as lanes. Weights of 0 fill its band: results
// that are not finite are to be computed again, without them.
#if defined(AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#undef AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#else
#define AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/roi.h"
#include "op_cpu/common/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of `kChannels` planes, weighed and summed, `kVectors` of columns of each; the second at `second`.
template <int kChannels, int kVectors, typename T>
HWY_INLINE void BlendRows(const RoiAxis<float> &y, int64_t bin, const T *from, int64_t channel_stride,
                          int64_t row_stride, int64_t second, float *to, int64_t to_stride) {
  const hn::ScalableTag<float> d;
  hn::Vec<decltype(d)> sums[kChannels][kVectors];
#pragma GCC unroll 8
  for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[c][v] = hn::Zero(d);
  }
  for (int32_t i = y.first_tap[bin]; i < y.first_tap[bin + 1]; ++i) {
    const T *row = from + y.elements[y.taps[i].slot] * row_stride;
    const auto weight = hn::Set(d, y.taps[i].weight);
#pragma GCC unroll 8
    for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const auto value = LoadFloat(d, row + c * channel_stride + v * second);
        sums[c][v] = hn::MulAdd(weight, value, sums[c][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[c][v], d, to + c * to_stride + v * second);
  }
}

// A region's columns and bins as a product with a band matrix: rows of it are the elements that samples read,
// and its columns bins, a vector of them at a time.
struct RoiBand {
  struct Part {
    int32_t begin, end;  // elements that these bins read
    int32_t offset;      // of their weights
  };
  struct Entry {
    int32_t index;
    float weight;
  };
  std::vector<Part> parts;
  std::vector<Entry> entries;
  int32_t size = 0;

  explicit RoiBand(const RoiAxis<float> &x) {
    const int32_t lanes = hn::Lanes(hn::ScalableTag<float>()), bins = x.first_tap.size();
    for (int32_t bin = 0; bin + 1 < bins; bin += lanes) {
      const int32_t end_bin = std::min(bin + lanes, bins - 1);
      int32_t begin = x.elements.size(), end = 0;
      for (int32_t i = x.first_tap[bin]; i < x.first_tap[end_bin]; ++i) {
        begin = std::min(begin, x.taps[i].slot);
        end = std::max(end, x.taps[i].slot + 1);
      }
      parts.push_back({begin, std::max(begin, end), size});
      for (int32_t b = bin; b < end_bin; ++b) {
        for (int32_t i = x.first_tap[b]; i < x.first_tap[b + 1]; ++i) {
          entries.push_back({size + (x.taps[i].slot - begin) * lanes + b - bin, x.taps[i].weight});
        }
      }
      size += (parts.back().end - begin) * lanes;
    }
  }

  // Into `to`, of `size`.
  void Weights(float *to) const {
    const hn::ScalableTag<float> d;
    for (int32_t i = 0; i < size; i += hn::Lanes(d)) hn::StoreU(hn::Zero(d), d, to + i);
    for (const Entry &entry : entries) to[entry.index] = entry.weight;
  }
};

// Of one thread.
class RoiPlanes {
 public:
  // Means of a region in `kChannels` planes of rows of at least a vector. Returns where those of the first
  // are; those of the next follow after `Stride()`.
  template <int kChannels, typename T>
  const float *Mean(const RoiRegion<float> &region, const RoiBand &band, const int64_t (&bins)[2],
                    const T *planes, int64_t channel_stride, int64_t row_stride, int64_t columns) {
    const RoiAxis<float> &y = region.y, &x = region.x;
    const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
    stride_ = bins[0] * bins[1] + lanes;
    pooled_.resize(kChannels * stride_);
    if (y.grid == 0 || x.elements.empty()) {
      std::fill(pooled_.begin(), pooled_.end(), 0.0f);
      return pooled_.data();
    }
    const int64_t width = std::max<int64_t>(x.elements.back() - x.elements.front() + 1, lanes);
    const int64_t first = std::min<int64_t>(x.elements.front(), columns - width);
    weights_.resize(std::max<size_t>(weights_.size(), band.size));
    band.Weights(weights_.data());
    blended_.resize(std::max<size_t>(blended_.size(), kBinRows * kChannels * width));
    for (int64_t p = 0; p < bins[0]; p += kBinRows) {
      const int64_t rows = std::min(kBinRows, bins[0] - p);
      for (int64_t i = 0; i < rows; ++i) {
        Blend<kChannels>(y, p + i, planes + first, channel_stride, row_stride, width,
                         blended_.data() + i * kChannels * width);
      }
      const auto to = [&](int64_t row) {
        return pooled_.data() + row % kChannels * stride_ + (p + row / kChannels) * bins[1];
      };
      int64_t row = 0;
      for (; row + 8 <= rows * kChannels; row += 8) Project<8>(x, first, band, row, width, to);
      for (; row + 4 <= rows * kChannels; row += 4) Project<4>(x, first, band, row, width, to);
      for (; row < rows * kChannels; ++row) Project<1>(x, first, band, row, width, to);
    }
    return pooled_.data();
  }

  int64_t Stride() const { return stride_; }

 private:
  static constexpr int64_t kBinRows = 8;  // whose sums of rows stay in the first cache

  template <int kChannels, typename T>
  static void Blend(const RoiAxis<float> &y, int64_t bin, const T *from, int64_t channel_stride,
                    int64_t row_stride, int64_t width, float *to) {
    const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
    int64_t x = 0;
    // The last vector overlaps the one before it.
    for (; width - x > lanes; x += 2 * lanes) {
      const int64_t second = std::min(lanes, width - x - lanes);
      BlendRows<kChannels, 2>(y, bin, from + x, channel_stride, row_stride, second, to + x, width);
    }
    if (x < width) {
      x = width - lanes;
      BlendRows<kChannels, 1>(y, bin, from + x, channel_stride, row_stride, 0, to + x, width);
    }
  }

  // kRows rows of sums times the band; to(row) gives where those of a row go.
  template <int kRows, class To>
  HWY_INLINE void Project(const RoiAxis<float> &x, int64_t first, const RoiBand &band, int64_t row,
                          int64_t width, const To &to) {
    const hn::ScalableTag<float> d;
    const float *rows = blended_.data() + row * width - first;
    // Backwards: lanes beyond the last bin are written over by the bins that belong there.
    for (size_t k = band.parts.size(); k-- > 0;) {
      const RoiBand::Part &part = band.parts[k];
      hn::Vec<decltype(d)> sums[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
      const float *weights = weights_.data() + part.offset;
      const int32_t *end = x.elements.data() + part.end;
      for (const int32_t *i = x.elements.data() + part.begin; i < end; ++i, weights += hn::Lanes(d)) {
        const auto weight = hn::LoadU(d, weights);
        const float *values = rows + *i;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          sums[r] = hn::MulAdd(hn::Set(d, values[r * width]), weight, sums[r]);
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) hn::StoreU(sums[r], d, to(row + r) + k * hn::Lanes(d));
    }
  }

  std::vector<float> blended_;  // rows of bins, channels, columns
  std::vector<float> weights_, pooled_;
  int64_t stride_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
