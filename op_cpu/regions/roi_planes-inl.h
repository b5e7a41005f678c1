// SPDX-License-Identifier: Apache-2.0
// Means of regions of feature maps in which the elements of a row are neighbours in memory. The rows of a bin
// are summed first, with columns as lanes. The sums are then multiplied with the weights of columns, with
// bins as lanes (roi_band-inl.h):
//
//   elements of the region      sums of a row of bins       means
//   . . . . . . .   weight .4
//   . . . . . . .   weight .6   s s s s s s s               m0 m1 m2
//
// Short vectors multiply elements that a bin does not read by 0. So a mean that is not finite must be
// computed again by the definition.
#if defined(AVO_OP_CPU_REGIONS_ROI_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_PLANES_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_PLANES_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_PLANES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_band-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sums the rows of bin row `bin`, weighted, for `kChannels` planes. It takes `kVectors` vectors of columns of
// each plane; the second one begins `second` columns behind the first.
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
        sums[c][v] = FusedMulAdd(weight, value, sums[c][v]);
      }
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < kChannels; ++c) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[c][v], d, to + c * to_stride + v * second);
  }
}

// Each thread owns one; its buffers serve one region after the other.
class RoiPlanes {
 public:
  // Computes the means of a region in `kChannels` planes. Rows have at least `columns` elements, and at least
  // a vector. The result is [kChannels][bin rows][bin columns]. Calls ahead(p) before it computes row p of
  // bins.
  template <int kChannels, typename T, typename Ahead>
  const float *Mean(const RoiRegion<float> &region, const RoiBand &band, const int64_t (&bins)[2],
                    const T *planes, int64_t channel_stride, int64_t row_stride, int64_t columns,
                    const Ahead &ahead) {
    const RoiAxis<float> &y = region.y, &x = region.x;
    const int64_t lanes = hn::Lanes(hn::ScalableTag<float>());
    const int64_t plane = bins[0] * bins[1];
    pooled_.resize(kChannels * plane);
    if (y.grid == 0 || x.elements.empty()) {
      std::fill(pooled_.begin(), pooled_.end(), 0.0f);
      return pooled_.data();
    }
    const int64_t width = std::max<int64_t>(x.elements.back() - x.elements.front() + 1, lanes);
    const int64_t first = std::min<int64_t>(x.elements.front(), columns - width);
    shift_ = x.elements.front() - first;
    blended_.resize(std::max<size_t>(blended_.size(), kBinRows * kChannels * width + RoiBand::kWindow));
    for (int64_t p = 0; p < bins[0]; p += kBinRows) {
      const int64_t rows = std::min(kBinRows, bins[0] - p);
      for (int64_t i = 0; i < rows; ++i) {
        ahead(p + i);
        Blend<kChannels>(y, p + i, planes + first, channel_stride, row_stride, width,
                         blended_.data() + i * kChannels * width);
      }
      const auto to = [&](int64_t row) {
        return pooled_.data() + row % kChannels * plane + (p + row / kChannels) * bins[1];
      };
      int64_t row = 0;
      for (; row + 8 <= rows * kChannels; row += 8) Project<8>(band, row, width, bins[1], to);
      for (; row + 4 <= rows * kChannels; row += 4) Project<4>(band, row, width, bins[1], to);
      for (; row < rows * kChannels; ++row) Project<1>(band, row, width, bins[1], to);
    }
    return pooled_.data();
  }

 private:
  static constexpr int64_t kBinRows = 8;  // rows of bins whose sums stay in the first cache

  // Sums the rows of bin row `bin`, weighted, for `width` columns of all channels.
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

  // Multiplies kRows rows of sums with the band. to(row) is where the results of a row go.
  template <int kRows, class To>
  HWY_INLINE void Project(const RoiBand &band, int64_t row, int64_t width, int64_t bins, const To &to) {
    const hn::ScalableTag<float> d;
    const float *rows = blended_.data() + row * width + shift_;
    int32_t i = 0;
    for (size_t k = 0; k < band.ends.size(); ++k) {
      hn::Vec<decltype(d)> sums[kRows];
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sums[r] = hn::Zero(d);
      for (; i < band.ends[k]; ++i) {
        const RoiBand::Term &term = band.terms[i];
        const float *values = rows + term.column;
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) sums[r] = RoiBand::Add(term, values + r * width, sums[r]);
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        hn::StoreN(sums[r], d, to(row + r) + k * hn::Lanes(d), bins - k * hn::Lanes(d));
      }
    }
  }

  std::vector<float> blended_;  // [bin rows][channels][columns]
  std::vector<float> pooled_;   // [channels][bin rows][bin columns]
  int64_t shift_ = 0;           // columns that are read before the region's first one
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
