// SPDX-License-Identifier: Apache-2.0
// Means of regions of feature maps whose rows are runs: columns are lanes. Rows are weighed first, then columns,
// as a product with a band matrix that has the bins as lanes. Weights of 0 fill its band: where one meets an
// infinity the NaN that comes of it shows, and the region is pooled again without them.
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
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) sums[c][v] = hn::Zero(d);
  }
  for (int32_t i = y.first_tap[bin]; i < y.first_tap[bin + 1]; ++i) {
    const T *row = from + y.elements[y.taps[i].slot] * row_stride;
    const auto weight = hn::Set(d, y.taps[i].weight);
    for (int c = 0; c < kChannels; ++c) {
      for (int v = 0; v < kVectors; ++v) {
        const auto value = LoadFloat(d, row + c * channel_stride + v * second);
        sums[c][v] = hn::MulAdd(weight, value, sums[c][v]);
      }
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[c][v], d, to + c * to_stride + v * second);
  }
}

// The columns that each vector of bins reads, and their weights for its lanes.
class RoiBand {
 public:
  void Make(const RoiAxis<float> &x, int64_t bins, int64_t first_column) {
    const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
    parts_.clear();
    int64_t size = 0;
    for (int64_t bin = 0; bin < bins; bin += lanes) {
      const int64_t end = std::min(bin + lanes, bins);
      Part part{bin, 0, 0, size};
      const int32_t first = x.first_tap[bin], last = x.first_tap[end];
      if (first < last) {
        part.begin = x.elements[x.taps[first].slot] - first_column;
        for (int32_t i = x.first_tap[end - 1]; i < last; ++i) part.Include(x, i, first_column);
        for (int32_t i = first; i < last; ++i) part.Include(x, i, first_column);
      }
      size += (part.end - part.begin) * lanes;
      parts_.push_back(part);
    }
    weights_.assign(size, 0.0f);
    for (const Part &part : parts_) {
      for (int64_t bin = part.bin; bin < std::min(part.bin + lanes, bins); ++bin) {
        for (int32_t i = x.first_tap[bin]; i < x.first_tap[bin + 1]; ++i) {
          const int64_t column = x.elements[x.taps[i].slot] - first_column;
          weights_[part.offset + (column - part.begin) * lanes + bin - part.bin] = x.taps[i].weight;
        }
      }
    }
  }

  // rows (kRows, stride) times the band: to(row, first bin) gives where a vector of bins goes.
  template <int kRows, class To>
  HWY_INLINE void Project(const float *rows, int64_t stride, const To &to) const {
    const hn::ScalableTag<float> d;
    // Backwards: lanes beyond the last bin are written over by the bins that belong there.
    for (size_t k = parts_.size(); k-- > 0;) {
      const Part &part = parts_[k];
      hn::Vec<decltype(d)> sums[kRows];
      for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
      const float *weights = weights_.data() + part.offset;
      for (int64_t x = part.begin; x < part.end; ++x, weights += hn::Lanes(d)) {
        const auto weight = hn::LoadU(d, weights);
        for (int r = 0; r < kRows; ++r) {
          sums[r] = hn::MulAdd(hn::Set(d, rows[r * stride + x]), weight, sums[r]);
        }
      }
      for (int r = 0; r < kRows; ++r) hn::StoreU(sums[r], d, to(r) + part.bin);
    }
  }

 private:
  struct Part {
    int64_t bin, begin, end, offset;  // bins, columns, weights

    void Include(const RoiAxis<float> &x, int32_t tap, int64_t first_column) {
      const int64_t column = x.elements[x.taps[tap].slot] - first_column;
      begin = std::min(begin, column);
      end = std::max(end, column + 1);
    }
  };
  std::vector<Part> parts_;
  std::vector<float> weights_;
};

// Of one thread.
class RoiPlanes {
 public:
  // Means of `kChannels` planes from `planes`, whose rows have at least a vector of columns. Returns where
  // those of the first are; those of the next follow after `Stride()`.
  template <int kChannels, typename T>
  const float *Mean(const RoiRegion<float> &region, const int64_t (&bins)[2], const T *planes,
                    int64_t channel_stride, int64_t row_stride, int64_t columns) {
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
    band_.Make(x, bins[1], first);
    blended_.resize(kBinRows * kChannels * width);
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
      for (; row + 8 <= rows * kChannels; row += 8) Project<8>(row, width, to);
      for (; row + 4 <= rows * kChannels; row += 4) Project<4>(row, width, to);
      for (; row < rows * kChannels; ++row) Project<1>(row, width, to);
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

  template <int kRows, class To>
  void Project(int64_t row, int64_t width, const To &to) {
    band_.Project<kRows>(blended_.data() + row * width, width, [&](int64_t r) { return to(row + r); });
  }

  RoiBand band_;
  std::vector<float> blended_;  // rows of bins, channels, columns
  std::vector<float> pooled_;
  int64_t stride_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
