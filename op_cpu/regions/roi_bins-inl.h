// SPDX-License-Identifier: Apache-2.0
// Pooling of regions with few bins, bin by bin, right from the feature maps. What the samples of a region
// read is kept for this region only, so that a small region costs little besides its elements.
#if defined(AVO_OP_CPU_REGIONS_ROI_BINS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_BINS_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_BINS_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_BINS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/regions/roi.h"
#include "op_cpu/regions/roi_maximum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The feature map that a region reads, and where its results go. Strides are those of channels, rows and
// columns.
template <typename T>
struct RoiMap {
  const T *from;
  const int64_t *strides;
  T *to;
  const int64_t *to_strides;
};

// Each thread owns one; its buffers serve one region after the other, also those of later calls.
template <typename T>
class RoiBins {
 public:
  using Value = Compute<T>;

  // Computes the means of region `k` in `channels` channels.
  void Mean(const RoiCall &call, int64_t k, const RoiPlace<Value> &place, const RoiMap<T> &map,
            int64_t channels) {
    rows_.Make(place.y, call.bins[0], call.size[0], map.strides[1]);
    columns_.Make(place.x, call.bins[1], call.size[1], map.strides[2]);
    ForBins(call, map, [&](int64_t p, int64_t q, T *to) {
      const Taps rows = rows_.Bin(p), columns = columns_.Bin(q);
      bool finite = true;
      ForChannels(map, channels, [&](auto d, auto count, const T *from, int64_t step, int64_t channel) {
        constexpr int kCount = decltype(count)::value;
        hn::Vec<decltype(d)> sums[kCount];
        SumOf<kCount>(d, rows, columns, from, step, sums);
        finite &= Store<kCount>(d, sums, to + channel * map.to_strides[0], map.to_strides[0]);
      });
      if (HWY_UNLIKELY(!finite)) Recompute(call, k, place, map, channels, p, q, to);
    });
  }

  // Computes the maximum of the samples of each bin; with `corners` that of their weighted corners.
  void Largest(const RoiCall &call, const RoiPlace<Value> &place, const RoiMap<T> &map, int64_t channels,
               bool corners) {
    const int64_t rows = place.y.grid, columns = place.x.grid;
    y_.Make(place.y, call.bins[0], call.size[0], map.strides[1]);
    x_.Make(place.x, call.bins[1], call.size[1], map.strides[2]);
    samples_.resize(std::max<size_t>(samples_.size(), rows * columns));
    ForBins(call, map, [&](int64_t p, int64_t q, T *to) {
      BilinearSample<Value> *next = samples_.data();
      for (int64_t i = p * rows; i < (p + 1) * rows; ++i) {
        if (y_.samples[i].Empty()) continue;
        for (int64_t j = q * columns; j < (q + 1) * columns; ++j) {
          if (x_.samples[j].Empty()) continue;
          *next++ = Corners(y_.samples[i], x_.samples[j], 1, 1);
        }
      }
      const int64_t found = next - samples_.data();
      const bool all = found > 0 && found == rows * columns;
      ForChannels(map, channels, [&](auto d, auto count, const T *from, int64_t step, int64_t channel) {
        constexpr int kCount = decltype(count)::value;
        hn::Vec<decltype(d)> best[kCount];
        RoiMaximum<kCount>(d, samples_.data(), found, from, step, corners, all, best);
        Store<kCount>(d, best, to + channel * map.to_strides[0], map.to_strides[0]);
      });
    });
  }

 private:
  using One = hn::CappedTag<Value, 1>;
  using Many = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(Many());

  // An element along an axis that the samples of a bin read, and its weight in the mean.
  struct Tap {
    int64_t offset;
    Value weight;
  };

  using Taps = std::pair<const Tap *, const Tap *>;  // of a bin: the first, and the end

  // The taps of all bins along an axis.
  struct Line {
    std::vector<Tap> taps;
    std::vector<int32_t> ends;  // of each bin

    Taps Bin(int64_t b) const { return {taps.data() + (b == 0 ? 0 : ends[b - 1]), taps.data() + ends[b]}; }

    // Sums up the weights of an element in the order in which RoiAxis does, so that the means are equal.
    // Which elements two samples share is random, so there is no branch for it: a sample adds to the last two
    // taps, behind which it appends none, one or two.
    void Make(const RoiSpan<Value> &span, int64_t bins, int64_t size, int64_t stride) {
      const size_t most = 2 * span.grid * bins + 2;
      if (taps.size() < most) taps.resize(most);
      if (ends.size() < static_cast<size_t>(bins)) ends.resize(bins);
      const double grid = static_cast<double>(span.grid), inverse = 1 / grid;
      const bool exact = (span.grid & (span.grid - 1)) == 0;  // the inverse of a power of 2
      const auto share = [&](Value weight) {
        return static_cast<Value>(exact ? weight * inverse : weight / grid);
      };
      Tap *next = taps.data();
      for (int64_t b = 0; b < bins; ++b) {
        const Value origin = span.Origin(b);
        int64_t latest = -3;  // the element of the last tap of the bin
        for (int64_t i = 0; i < span.grid; ++i) {
          const AxisSample<Value> sample = ClampedAxis<Value>(span.Position(origin, i), size);
          const int64_t low = sample.index[0], high = sample.index[1];
          if (low == kOutside) continue;
          if (HWY_UNLIKELY(high == kOutside)) {
            if (latest != low) *next++ = {low * stride, 0};
            next[-1].weight += share(sample.weight[0]);
            latest = low;
            continue;
          }
          next[0].weight = next[1].weight = 0;
          next += std::min<int64_t>(high - latest, 2);
          next[-2].offset = low * stride;
          next[-2].weight += share(sample.weight[0]);
          next[-1].offset = high * stride;
          next[-1].weight += share(sample.weight[1]);
          latest = high;
        }
        ends[b] = static_cast<int32_t>(next - taps.data());
      }
    }
  };

  // The samples of all bins along an axis, bin by bin, with offsets as indices.
  struct Positions {
    std::vector<AxisSample<Value>> samples;

    void Make(const RoiSpan<Value> &span, int64_t bins, int64_t size, int64_t stride) {
      samples.resize(std::max<size_t>(samples.size(), bins * span.grid));
      AxisSample<Value> *next = samples.data();
      for (int64_t b = 0; b < bins; ++b) {
        const Value origin = span.Origin(b);
        for (int64_t i = 0; i < span.grid; ++i, ++next) {
          *next = ClampedAxis<Value>(span.Position(origin, i), size);
          for (int64_t &index : next->index) index = index == kOutside ? kOutside : index * stride;
        }
      }
    }
  };

  // Calls body(p, q, where the result of channel 0 goes) for each bin.
  template <typename Body>
  static void ForBins(const RoiCall &call, const RoiMap<T> &map, const Body &body) {
    for (int64_t p = 0; p < call.bins[0]; ++p) {
      for (int64_t q = 0; q < call.bins[1]; ++q)
        body(p, q, map.to + p * map.to_strides[1] + q * map.to_strides[2]);
    }
  }

  // Calls body(tag, count, where to read, step, channel) until all channels are computed: `count` vectors of
  // channels that are neighbours in memory, or else as many single channels, which lie a step apart.
  template <typename Body>
  static HWY_INLINE void ForChannels(const RoiMap<T> &map, int64_t channels, const Body &body) {
    const bool vectors = map.strides[0] == 1 && channels >= kLanes;
    if (vectors) {
      Blocks(Many(), channels / kLanes, map.strides[0] * kLanes, kLanes, map.from, body);
      // The last vector overlaps the one before it.
      const int64_t at = channels - kLanes;
      if (channels % kLanes != 0) body(Many(), std::integral_constant<int, 1>(), map.from + at, kLanes, at);
    } else {
      Blocks(One(), channels, map.strides[0], 1, map.from, body);
    }
  }

  // Calls body as ForChannels does for `count` vectors of `lanes` channels. The last calls overlap the ones
  // before.
  template <class D, typename Body>
  static HWY_INLINE void Blocks(D d, int64_t count, int64_t step, int64_t lanes, const T *from,
                                const Body &body) {
    const auto at = [&](auto several, int64_t i) { body(d, several, from + i * step, step, i * lanes); };
    if (count == 1) return at(std::integral_constant<int, 1>(), 0);
    if (count == 2) return at(std::integral_constant<int, 2>(), 0);
    if (count == 3) return at(std::integral_constant<int, 3>(), 0);
    for (int64_t i = 0; i < count; i += 4) at(std::integral_constant<int, 4>(), std::min(i, count - 4));
  }

  // Sums the rows of each column, weighted, and then the columns.
  template <int kCount, class D>
  static HWY_INLINE void SumOf(D d, const Taps &rows, const Taps &columns, const T *from, int64_t step,
                               hn::Vec<D> (&sums)[kCount]) {
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) sums[v] = hn::Zero(d);
    for (const Tap *column = columns.first; column < columns.second; ++column) {
      hn::Vec<D> of_column[kCount];
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) of_column[v] = hn::Zero(d);
      for (const Tap *row = rows.first; row < rows.second; ++row) {
        const T *at = from + (row->offset + column->offset);
        const auto weight = hn::Set(d, row->weight);
#pragma GCC unroll 4
        for (int v = 0; v < kCount; ++v) {
          of_column[v] = FusedMulAdd(weight, LoadFloat(d, at + v * step), of_column[v]);
        }
      }
      const auto weight = hn::Set(d, column->weight);
#pragma GCC unroll 4
      for (int v = 0; v < kCount; ++v) sums[v] = FusedMulAdd(of_column[v], weight, sums[v]);
    }
  }

  // Looks through the means of bin (p, q), and computes those by the definition that may be wrong.
  HWY_NOINLINE void Recompute(const RoiCall &call, int64_t k, const RoiPlace<Value> &place,
                              const RoiMap<T> &map, int64_t channels, int64_t p, int64_t q, T *to) const {
    const Taps rows = rows_.Bin(p), columns = columns_.Bin(q);
    const RoiRegion<Value> region = call.Region(k, place);
    for (int64_t c = 0; c < channels; ++c) {
      T *result = to + c * map.to_strides[0];
      if (std::isfinite(Widen(*result))) continue;
      hn::Vec<One> sum[1];
      const T *from = map.from + c * map.strides[0];
      SumOf<1>(One(), rows, columns, from, 0, sum);
      // See RoiMean. A mean that is too large for T is right, and where the bin reads a NaN, so is NaN.
      const bool right = std::isfinite(hn::GetLane(sum[0])) || AnyNaN(rows, columns, from);
      if (!right) *result = Narrow<T>(RoiMean<T>(region, from, map.strides[1], map.strides[2], p, q));
    }
  }

  static bool AnyNaN(const Taps &rows, const Taps &columns, const T *from) {
    for (const Tap *row = rows.first; row < rows.second; ++row) {
      for (const Tap *column = columns.first; column < columns.second; ++column) {
        if (std::isnan(Widen(from[row->offset + column->offset]))) return true;
      }
    }
    return false;
  }

  // Rounds and stores results. Returns whether all are finite, or false where their sum is not.
  template <int kCount, class D>
  static HWY_INLINE bool Store(D d, const hn::Vec<D> (&values)[kCount], T *to, int64_t to_stride) {
    constexpr int64_t kStep = hn::MaxLanes(D());
    auto sum = values[0];  // not finite where a result is not
#pragma GCC unroll 4
    for (int v = 1; v < kCount; ++v) sum = hn::Add(sum, values[v]);
#pragma GCC unroll 4
    for (int v = 0; v < kCount; ++v) {
      if constexpr (kStep == 1) {
        StoreFloat(values[v], d, to + v * to_stride);
      } else {
        T lanes[kStep];
        StoreFloat(values[v], d, lanes);
        for (int64_t i = 0; i < kStep; ++i) to[(v * kStep + i) * to_stride] = lanes[i];
      }
    }
    return hn::AllFalse(d, hn::IsNaN(hn::Sub(sum, sum)));
  }

  Line rows_, columns_;
  Positions y_, x_;
  std::vector<BilinearSample<Value>> samples_;  // of a bin
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
