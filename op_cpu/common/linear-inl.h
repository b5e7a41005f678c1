// SPDX-License-Identifier: Apache-2.0
// Linear resampling of rows of neighbours in memory. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_LINEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LINEAR_INL_H_
#undef AVO_OP_CPU_COMMON_LINEAR_INL_H_
#else
#define AVO_OP_CPU_COMMON_LINEAR_INL_H_
#endif

#include <array>
#include <numeric>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/linear.h"
#include "op_cpu/common/rows.h"
#include "op_cpu/common/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Outputs [begin, end) of any samples and strides.
template <typename T>
void SampleOneByOne(const Row<const T> &in, const LinearSamples<Compute<T>> &samples, int64_t begin,
                    int64_t end, const Row<T> &out) {
  for (int64_t i = begin; i < end; ++i) {
    const Compute<T> left = Widen(in[samples.left[i]]), right = Widen(in[samples.right[i]]);
    out[i] = Narrow<T>(samples.left_weight[i] * left + samples.right_weight[i] * right);
  }
}

// Rows that are resampled side by side.
template <typename T, size_t kCount>
using LinearRows = std::array<T *, kCount>;

// What a vector of outputs is made of is the same for all rows.
template <typename T>
class LinearVectors {
  using F32 = hn::ScalableTag<float>;
  using I32 = hn::RebindToSigned<F32>;

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(F32());

  // Outputs of at least a vector; the last one overlaps the one before it.
  LinearVectors(int64_t length, int64_t out_length, bool align_corners, double scales)
      : length_(length), out_length_(out_length), whole_(out_length / kLanes) {
    const auto sample = [&](int64_t begin, int64_t end) {
      return SampleLinear<float>(length_, out_length_, align_corners, scales, begin, end);
    };
    // Ratios of small integers repeat within a few vectors: what they are made of is computed once, and stays
    // in the first cache. 1.4 x for 80 rows of 3000.
    const auto ratio = RatioOf(length_, out_length_, align_corners, scales);
    int64_t period = whole_, shift = 0;  // in vectors, and of inputs meanwhile
    if (ratio && out_length_ >= length_ && length_ >= kLanes) {
      const int64_t common = std::gcd(ratio->step, ratio->denominator), outputs = ratio->denominator / common;
      period = outputs / std::gcd(outputs, kLanes);
      shift = period * kLanes / outputs * (ratio->step / common);
    }
    const bool repeats = 2 * period <= whole_;
    if (!repeats) samples_ = sample(0, out_length_);
    for (int64_t i = 0; i + kLanes <= out_length_; i += kLanes) {
      const int64_t before = i - period * kLanes;
      if (repeats && before >= 0 && ratio->first + before * ratio->step >= 0) {
        Place place = places_[places_.size() - period];
        if (place.left + shift + kLanes < length_) {
          for (int32_t *window : {&place.left, &place.right}) *window += static_cast<int32_t>(shift);
          place.out = static_cast<int32_t>(i);
          places_.push_back(place);
          continue;
        }
      }
      places_.push_back(repeats ? PlaceOf(sample(i, i + kLanes), 0, i) : PlaceOf(samples_, i, i));
    }
    if (out_length_ % kLanes == 0) return;
    const int64_t last = out_length_ - kLanes;
    places_.push_back(repeats ? PlaceOf(sample(last, out_length_), 0, last) : PlaceOf(samples_, last, last));
  }

  // With kStream, results go past the caches. Others are fetched ahead: 1.2 to 1.4 x for rows of float32 at
  // AVX-512.
  template <bool kStream, size_t kCount>
  void Resample(LinearRows<const T, kCount> in, LinearRows<T, kCount> out) const {
    // Locals, which no result can overwrite.
    const Place *const places = places_.data();
    const Mixture *const mixtures = mixtures_.data();
    const int64_t whole = whole_;
    constexpr size_t kAhead = 512;
    int64_t v = 0;
    for (; v + 2 <= whole; v += 2) {
      const Place first = places[v], second = places[v + 1];
      if (first.mixture < 0 || second.mixture < 0) {
        FromAnywhere(in, first.out, out);
        FromAnywhere(in, second.out, out);
        continue;
      }
      const Mixed a(mixtures[first.mixture]), b(mixtures[second.mixture]);
#pragma GCC unroll 4
      for (size_t r = 0; r < kCount; ++r) {
        T *const to = out[r] + first.out;
        for (size_t byte = 0; !kStream && sizeof(T) == 4 && byte < 2 * kLanes * sizeof(T); byte += 64)
          hwy::Prefetch(reinterpret_cast<const char *>(to) + kAhead + byte);
        StorePair<kStream>(a.Of(in[r], first), b.Of(in[r], second), to);
      }
    }
    for (const Place *place = places + v, *end = places + places_.size(); place < end; ++place) {
      if (place->mixture < 0) {
        FromAnywhere(in, place->out, out);
        continue;
      }
      const Mixed mixed(mixtures[place->mixture]);
      for (size_t r = 0; r < kCount; ++r) StoreFloat(mixed.Of(in[r], *place), F32(), out[r] + place->out);
    }
  }

 private:
  // A vector of outputs from two of the row, whose elements permutations bring to their lanes.
  struct alignas(64) Mixture {
    int32_t left_lanes[kLanes], right_lanes[kLanes];
    float left_weights[kLanes], right_weights[kLanes];
  };
  // Where outputs and both vectors begin, and the index of the mixture: -1 where samples are farther apart.
  struct Place {
    int32_t out, left, right, mixture;
  };

  struct Mixed {
    explicit HWY_INLINE Mixed(const Mixture &mixture)
        : left_lanes(hn::IndicesFromVec(F32(), hn::Load(I32(), mixture.left_lanes))),
          right_lanes(hn::IndicesFromVec(F32(), hn::Load(I32(), mixture.right_lanes))),
          left_weights(hn::Load(F32(), mixture.left_weights)),
          right_weights(hn::Load(F32(), mixture.right_weights)) {}

    HWY_INLINE hn::Vec<F32> Of(const T *row, const Place &place) const {
      const auto left = hn::TableLookupLanes(LoadFloat(F32(), row + place.left), left_lanes);
      const auto right = hn::TableLookupLanes(LoadFloat(F32(), row + place.right), right_lanes);
      return hn::MulAdd(left_weights, left, hn::Mul(right_weights, right));
    }

    decltype(hn::IndicesFromVec(F32(), hn::Zero(I32()))) left_lanes, right_lanes;
    hn::Vec<F32> left_weights, right_weights;
  };

  // Two vectors of neighbours; halves are stored as one vector.
  template <bool kStream>
  static HWY_INLINE void StorePair(hn::Vec<F32> a, hn::Vec<F32> b, T *to) {
    const F32 d;
    const hn::Repartition<uint16_t, F32> halves;
    const auto store = [&](auto value) HWY_ATTR {
      const auto bits = hn::BitCast(halves, value);
      if constexpr (kStream) {
        hn::Stream(bits, halves, reinterpret_cast<uint16_t *>(to));
      } else {
        hn::StoreU(bits, halves, reinterpret_cast<uint16_t *>(to));
      }
    };
    if constexpr (std::is_same_v<T, BFloat16>) {
      store(hn::OrderedDemote2To(hn::Repartition<hwy::bfloat16_t, F32>(), a, b));
#if HWY_TARGET != HWY_SSE2
    } else if constexpr (std::is_same_v<T, Float16>) {
      const hn::Repartition<hwy::float16_t, F32> d16;
      const hn::Half<decltype(d16)> half;
      store(hn::Combine(d16, hn::DemoteTo(half, b), hn::DemoteTo(half, a)));
#endif
    } else if constexpr (kStream) {
      StreamFloat(a, d, to);
      StreamFloat(b, d, to + kLanes);
    } else {
      StoreFloat(a, d, to);
      StoreFloat(b, d, to + kLanes);
    }
  }

  // Of the vector of outputs at i, whose samples are at `begin`.
  Place PlaceOf(const LinearSamples<float> &samples, int64_t begin, int64_t i) {
    const auto out = static_cast<int32_t>(i), end = static_cast<int32_t>(length_ - kLanes);
    const int32_t left = std::min(samples.left[begin], end), right = std::min(samples.right[begin], end);
    Mixture mixture;
    bool inside = end >= 0;
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      mixture.left_lanes[lane] = samples.left[begin + lane] - left;
      mixture.right_lanes[lane] = samples.right[begin + lane] - right;
      mixture.left_weights[lane] = samples.left_weight[begin + lane];
      mixture.right_weights[lane] = samples.right_weight[begin + lane];
      inside &= mixture.left_lanes[lane] < kLanes && mixture.right_lanes[lane] < kLanes;
    }
    if (!inside) return {out, left, right, -1};
    mixtures_.push_back(mixture);
    return {out, left, right, static_cast<int32_t>(mixtures_.size()) - 1};
  }

  // Outputs i, i + 1, … of any samples: two gathers, which there are for float32.
  template <size_t kCount>
  HWY_NOINLINE void FromAnywhere(LinearRows<const T, kCount> in, int64_t i, LinearRows<T, kCount> out) const {
    for (size_t r = 0; r < kCount; ++r) {
      if constexpr (std::is_same_v<T, float>) {
        const F32 d;
        const auto left = hn::GatherIndex(d, in[r], hn::LoadU(I32(), &samples_.left[i]));
        const auto right = hn::GatherIndex(d, in[r], hn::LoadU(I32(), &samples_.right[i]));
        const auto sum = hn::Mul(hn::LoadU(d, &samples_.right_weight[i]), right);
        hn::StoreU(hn::MulAdd(hn::LoadU(d, &samples_.left_weight[i]), left, sum), d, out[r] + i);
      } else {
        SampleOneByOne<T>({in[r], 1}, samples_, i, i + kLanes, {out[r], 1});
      }
    }
  }

  const int64_t length_, out_length_, whole_;  // vectors that do not overlap
  LinearSamples<float> samples_;               // of all outputs, where some are farther apart
  std::vector<Place> places_;
  std::vector<Mixture> mixtures_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
