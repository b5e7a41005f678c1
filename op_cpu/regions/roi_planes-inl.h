// SPDX-License-Identifier: Apache-2.0
// Means of regions of feature maps whose rows are runs: columns are lanes. Rows are weighed first, then
// columns, as a product with a band matrix that has the bins as lanes. Short vectors multiply what fills its
// band by 0: results that are not finite are to be computed again, without it.
#if defined(AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#undef AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#else
#define AVO_OP_CPU_COMMON_ROI_PLANES_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/regions/roi.h"

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

// A region's columns and bins as a product with a band matrix, a vector of bins at a time: a sum of terms, of
// which each has an element and its weight for every bin.
struct RoiBand {
  using Sums = hn::Vec<hn::ScalableTag<float>>;
  static constexpr int32_t kLanes = hn::MaxLanes(hn::ScalableTag<float>());
  // Long vectors look elements up in a window of columns: at AVX-512 1.15 x for 14 x 14 bins. Short ones
  // would not gain: a term has the same element for all bins.
  static constexpr bool kLookUp = kLanes >= 16;
  static constexpr int32_t kWindow = kLookUp ? 2 * kLanes : 1;

  struct Term {
    int32_t column = 0;  // first of the window, from the region's first
    int32_t indices[kLookUp ? kLanes : 1] = {};
    float weights[kLanes] = {};
    uint8_t counted[8] = {};  // a bit for each bin that has the element
  };
  std::vector<Term> terms;
  std::vector<int32_t> ends;  // of the terms of each vector of bins

  explicit RoiBand(const RoiAxis<float> &x) {
    const int32_t bins = static_cast<int32_t>(x.first_tap.size()) - 1;
    for (int32_t bin = 0; bin < bins; bin += kLanes) {
      const int32_t count = std::min(kLanes, bins - bin);
      int32_t next[kLanes], column[kLanes];  // tap of each bin, and where it reads
      const auto read = [&](int32_t b, int32_t tap) {
        next[b] = tap;
        column[b] =
            tap == x.first_tap[bin + b + 1] ? kNone : x.elements[x.taps[tap].slot] - x.elements.front();
      };
      for (int32_t b = 0; b < count; ++b) read(b, x.first_tap[bin + b]);
      for (int32_t first; (first = *std::min_element(column, column + count)) != kNone;) {
        Term &term = terms.emplace_back();
        term.column = first;
        for (int32_t b = 0; b < count; ++b) {
          if (column[b] - first >= kWindow) continue;
          term.weights[b] = x.taps[next[b]].weight;
          term.counted[b / 8] |= 1 << b % 8;
          if constexpr (kLookUp) term.indices[b] = column[b] - first;
          read(b, next[b] + 1);
        }
      }
      ends.push_back(static_cast<int32_t>(terms.size()));
    }
  }

  // Adds a term to a row's sums; `term.column` of the row is at `from`.
  static HWY_INLINE Sums Add(const Term &term, const float *from, Sums sums) {
    const hn::ScalableTag<float> d;
    const auto weights = hn::LoadU(d, term.weights);
    if constexpr (kLookUp) {
      const auto indices = hn::SetTableIndices(d, term.indices);
      const auto elements =
          hn::TwoTablesLookupLanes(d, hn::LoadU(d, from), hn::LoadU(d, from + kLanes), indices);
      // Not to bins beside those, which a NaN would reach by weights of 0: 1.35 x where 1 % is NaN.
      return hn::MaskedMulAddOr(sums, hn::LoadMaskBits(d, term.counted), elements, weights, sums);
    } else {
      return hn::MulAdd(hn::Set(d, *from), weights, sums);
    }
  }

 private:
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();
};

// Stores results, around the caches with `stream`; false where one is not finite.
template <typename T>
bool StoreRun(const float *from, int64_t count, T *to, bool stream) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  if (count < lanes) {
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
      to[i] = Narrow<T>(from[i]);
      finite &= std::isfinite(from[i]);
    }
    return finite;
  }
  auto odd = hn::MaskFalse(d);
  // The last vector overlaps the one before it.
  for (int64_t next = 0; next < count; next += lanes) {
    const int64_t i = std::min(next, count - lanes);
    const auto value = hn::LoadU(d, from + i);
    odd = hn::Or(odd, hn::Not(hn::IsFinite(value)));
    if (stream && i == next) {
      StreamFloat(value, d, to + i);
    } else {
      StoreFloat(value, d, to + i);
    }
  }
  return hn::AllFalse(d, odd);
}

// Calls again(place) for those of a run that are not finite.
template <class Again>
void ForOdd(const float *from, int64_t count, const Again &again) {
  const hn::ScalableTag<float> d;
  for (int64_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto odd = hn::Not(hn::IsFinite(hn::LoadN(d, from + i, count - i)));
    ForLanes(d, odd, [&](int64_t lane) { again(i + lane); });
  }
}

// Whether an element that counts for the mean of a bin of a plane is NaN; rows are of at least a vector, and
// read as such: 1.35 x where 1 % is NaN.
template <typename T>
bool AnyNaN(const RoiRegion<float> &region, int64_t p, int64_t q, const T *plane, int64_t row_stride,
            int64_t columns) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = hn::Lanes(d);
  const RoiAxis<float> &y = region.y, &x = region.x;
  for (int32_t j = x.first_tap[q]; j < x.first_tap[q + 1];) {
    const auto column = [&] { return x.elements[x.taps[j].slot]; };
    const int64_t first = std::min<int64_t>(column(), columns - lanes);
    uint64_t counted = 0;
    for (; j < x.first_tap[q + 1] && column() < first + lanes; ++j)
      counted |= uint64_t{1} << (column() - first);
    auto found = hn::MaskFalse(d);
    for (int32_t i = y.first_tap[p]; i < y.first_tap[p + 1]; ++i) {
      const T *row = plane + y.elements[y.taps[i].slot] * row_stride;
      found = hn::Or(found, hn::IsNaN(LoadFloat(d, row + first)));
    }
    if (hn::BitsFromMask(d, found) & counted) return true;
  }
  return false;
}

// Of one thread.
class RoiPlanes {
 public:
  // Means of a region in `kChannels` planes of rows of at least a vector; those of a plane follow upon those
  // of the one before. Calls ahead(row of bins) before each of them.
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

  std::vector<float> blended_;  // rows of bins, channels, columns
  std::vector<float> pooled_;
  int64_t shift_ = 0;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
