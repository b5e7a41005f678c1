// SPDX-License-Identifier: Apache-2.0
// Linear resampling of rows whose elements are contiguous. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_LINEAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LINEAR_INL_H_
#undef AVO_OP_CPU_COMMON_LINEAR_INL_H_
#else
#define AVO_OP_CPU_COMMON_LINEAR_INL_H_
#endif

#include <algorithm>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/memory/prefetch.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/common/vectors/store_pair-inl.h"
#include "op_cpu/resample/linear_mixtures-inl.h"
#include "op_cpu/resample/linear_outputs-inl.h"
#include "op_cpu/resample/linear_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Resamples rows by vectors. The constructor finds the mixtures, which are the same for all rows.
template <typename T>
class LinearVectors {
  using F32 = hn::ScalableTag<float>;
  using I32 = hn::RebindToSigned<F32>;
  using U32 = hn::RebindToUnsigned<F32>;

 public:
  static constexpr int64_t kLanes = LinearMixtures::kLanes;

  // Computes vectors [begin, end) of outputs of a row, at least one; `end` may lie behind the last vector.
  LinearVectors(int64_t length, int64_t out_length, bool align_corners, double scales, int64_t begin,
                int64_t end)
      : length_(length),
        out_length_(out_length),
        whole_(std::min(out_length / kLanes, end) - begin),
        of_(length, out_length, align_corners, scales, kWide, kWidest, begin, end) {}

  // Resamples rows `in` to rows `out`. With kStream, stores past the caches. `next` and `ahead` are input and
  // result rows of later calls, which are fetched, or the same rows. Where both windows of all vectors are
  // the same, each window is loaded and converted once: 1.2 x for half types at AVX-512, 1.1 x for float32.
  template <bool kStream, size_t kCount>
  void Resample(LinearRows<const T, kCount> in, LinearRows<T, kCount> out, LinearRows<const T, kCount> next,
                LinearRows<T, kCount> ahead) const {
    // Of long rows, what comes soon is further on in the same row.
    if (out_length_ * static_cast<int64_t>(sizeof(T)) > kLongRow) {
      for (size_t r = 0; r < kCount; ++r) ahead[r] = out[r] + kAhead / sizeof(T);
    }
    if (length_ < kLanes) {
      ResampleShort<kStream>(in, out, ahead);
    } else if (of_.one_window()) {
      ResampleFrom<kStream, true>(in, out, next, ahead);
    } else {
      ResampleFrom<kStream, false>(in, out, next, ahead);
    }
  }

 private:
  using Place = LinearMixtures::Place;
  // Inputs of a wide window: AVX-512 finds half types in two vectors of them. SSE2 has no lookup.
  static constexpr int64_t kVectorOf = HWY_TARGET <= HWY_AVX3 ? sizeof(float) / sizeof(T) : 1;
  static constexpr int64_t kWide = HWY_TARGET == HWY_SSE2 ? 0 : 2 * kVectorOf * kLanes;
  // AVX-512 finds float32 in four vectors as fast as half types in two.
  static constexpr int64_t kWidest = HWY_TARGET <= HWY_AVX3 ? 4 * kLanes : kWide;

  template <bool kStream, bool kOneWindow, size_t kCount>
  void ResampleFrom(LinearRows<const T, kCount> in, LinearRows<T, kCount> out,
                    LinearRows<const T, kCount> next, LinearRows<T, kCount> ahead) const {
    // Copies in local variables: the compiler knows that no store to a result changes them.
    const Place *place = of_.places().data(), *const end = place + of_.places().size();
    const LinearMixtures::Mixture *const mixtures = of_.mixtures();
    for (const Place *const last = place + whole_ / 2 * 2; place < last; place += 2) {
      const Place first = place[0], second = place[1];
      if (!kOneWindow && !(first.Usual() && second.Usual())) {
        FromFarApart(in, first, out, next);
        FromFarApart(in, second, out, next);
        continue;
      }
      const Mixed a(mixtures[first.mixture]), b(mixtures[second.mixture]);
#pragma GCC unroll 4
      for (size_t r = 0; r < kCount; ++r) {
        T *const to = out[r] + first.out;
        FetchAhead<kStream>(next[r] + first.left, ahead[r] + first.out);
        StorePair<kStream>(a.template Of<kOneWindow>(in[r], first), b.template Of<kOneWindow>(in[r], second),
                           F32(), to);
      }
    }
    for (; place < end; ++place) {
      if (!kOneWindow && !place->Usual()) {
        FromFarApart(in, *place, out, next);
      } else {
        FromWindows<kOneWindow>(in, *place, out);
      }
    }
  }

  // Does the same for rows that are shorter than a vector: each is loaded once, for all of its outputs. It is
  // 4 x as fast, at AVX-512, as to take pairs of samples from memory.
  template <bool kStream, size_t kCount>
  void ResampleShort(LinearRows<const T, kCount> in, LinearRows<T, kCount> out,
                     LinearRows<T, kCount> ahead) const {
    const Place *place = of_.places().data(), *const end = place + of_.places().size();
    const LinearMixtures::Mixture *const mixtures = of_.mixtures();
    hn::Vec<F32> rows[kCount];
#pragma GCC unroll 4
    for (size_t r = 0; r < kCount; ++r) rows[r] = LoadFirst(F32(), in[r], length_);
    for (const Place *const last = place + whole_ / 2 * 2; place < last; place += 2) {
      const Mixed a(mixtures[place[0].mixture]), b(mixtures[place[1].mixture]);
#pragma GCC unroll 4
      for (size_t r = 0; r < kCount; ++r) {
        FetchAhead<kStream>(in[r], ahead[r] + place->out);
        StorePair<kStream>(a.Of(rows[r], rows[r]), b.Of(rows[r], rows[r]), F32(), out[r] + place->out);
      }
    }
    for (; place < end; ++place) {
      const Mixed mixed(mixtures[place->mixture]);
#pragma GCC unroll 4
      for (size_t r = 0; r < kCount; ++r) {
        StoreFloat(mixed.Of(rows[r], rows[r]), F32(), out[r] + place->out);
      }
    }
  }

  // Computes the vector of outputs of a place.
  template <bool kOneWindow, size_t kCount>
  HWY_INLINE void FromWindows(LinearRows<const T, kCount> in, const Place &place,
                              LinearRows<T, kCount> out) const {
    const Mixed mixed(of_.mixtures()[place.mixture]);
    for (size_t r = 0; r < kCount; ++r) {
      StoreFloat(mixed.template Of<kOneWindow>(in[r], place), F32(), out[r] + place.out);
    }
  }

  // The same where its samples may be too far apart for windows of a vector. Where they are too far apart for
  // wide windows too, processors fetch little ahead, so those of the next rows are fetched here: 2 to 3 x on
  // Zen 4 for rows of 1090 half types.
  template <size_t kCount>
  HWY_NOINLINE void FromFarApart(LinearRows<const T, kCount> in, const Place &place,
                                 LinearRows<T, kCount> out, LinearRows<const T, kCount> next) const {
    if (place.mixture < 0) {
      const int64_t first = place.out - of_.first();
      const int32_t left = of_.samples().left[first];
      const int32_t inputs = of_.samples().right[first + kLanes - 1] + 1 - left;
      if (next[0] != in[0]) {
        for (const T *row : next) PrefetchSpread(row + left, inputs);
      }
      return MixPairs(of_.samples(), first, in, place.out, out);
    }
    if (place.Usual()) return FromWindows<false>(in, place, out);
    if constexpr (kWide > 0) FromWideWindow(in, place, out);
  }

  // Where the second half of a wide window begins, which ends with the row where the row is shorter.
  int64_t SecondHalf(int64_t inputs) const { return inputs / 2 - std::max<int64_t>(inputs - length_, 0); }

  // The same from one window of several vectors: 1.1 x for signals of half the length, at AVX-512.
  template <size_t kCount>
  HWY_INLINE void FromWideWindow(LinearRows<const T, kCount> in, const Place &place,
                                 LinearRows<T, kCount> out) const {
    const F32 d;
    const LinearMixtures::Mixture &mixture = of_.mixtures()[place.mixture];
    const auto left_lanes = hn::Load(I32(), mixture.left_lanes);
    const auto right_lanes = hn::Load(I32(), mixture.right_lanes);
    const auto left_weights = hn::Load(d, mixture.left_weights),
               right_weights = hn::Load(d, mixture.right_weights);
    if constexpr (kVectorOf > 1) {
      // Left samples come to the lower half of a vector, right samples to its upper half.
      const hn::Repartition<uint16_t, F32> halves;
      const hn::Half<decltype(halves)> half;
      const auto lanes = hn::Combine(halves, hn::TruncateTo(half, hn::BitCast(U32(), right_lanes)),
                                     hn::TruncateTo(half, hn::BitCast(U32(), left_lanes)));
      const auto indices = hn::IndicesFromVec(halves, lanes);
      for (size_t r = 0; r < kCount; ++r) {
        const auto *from = reinterpret_cast<const uint16_t *>(in[r] + place.left);
        const auto both = hn::TwoTablesLookupLanes(halves, hn::LoadU(halves, from),
                                                   hn::LoadU(halves, from + SecondHalf(kWide)), indices);
        const auto left = WidenHalves(d, hn::LowerHalf(half, both), T{});
        const auto right = WidenHalves(d, hn::UpperHalf(half, both), T{});
        StoreFloat(MixSamples(left_weights, left, right_weights, right), d, out[r] + place.out);
      }
    } else {
      // The samples in the first two vectors, and those in the last two.
      const auto rest = hn::Set(I32(), kWide - 1), half = hn::Set(I32(), kWide);
      const auto left_behind = hn::RebindMask(d, hn::Ge(left_lanes, half));
      const auto right_behind = hn::RebindMask(d, hn::Ge(right_lanes, half));
      const int64_t second = place.right == LinearMixtures::kWidestWindow ? kLanes : SecondHalf(kWide);
      const auto lefts = hn::IndicesFromVec(d, hn::And(left_lanes, rest));
      const auto rights = hn::IndicesFromVec(d, hn::And(right_lanes, rest));
      for (size_t r = 0; r < kCount; ++r) {
        const auto low = LoadFloat(d, in[r] + place.left), high = LoadFloat(d, in[r] + place.left + second);
        auto left = hn::TwoTablesLookupLanes(d, low, high, lefts);
        auto right = hn::TwoTablesLookupLanes(d, low, high, rights);
        if (place.right == LinearMixtures::kWidestWindow) {
          const T *const behind = in[r] + place.left + SecondHalf(kWidest);
          const auto next = LoadFloat(d, behind), last = LoadFloat(d, behind + kLanes);
          left = hn::IfThenElse(left_behind, hn::TwoTablesLookupLanes(d, next, last, lefts), left);
          right = hn::IfThenElse(right_behind, hn::TwoTablesLookupLanes(d, next, last, rights), right);
        }
        StoreFloat(MixSamples(left_weights, left, right_weights, right), d, out[r] + place.out);
      }
    }
  }

  // A mixture in registers. Of computes its outputs from a row.
  struct Mixed {
    explicit HWY_INLINE Mixed(const LinearMixtures::Mixture &mixture)
        : left_lanes(hn::IndicesFromVec(F32(), hn::Load(I32(), mixture.left_lanes))),
          right_lanes(hn::IndicesFromVec(F32(), hn::Load(I32(), mixture.right_lanes))),
          left_weights(hn::Load(F32(), mixture.left_weights)),
          right_weights(hn::Load(F32(), mixture.right_weights)) {}

    template <bool kOneWindow>
    HWY_INLINE hn::Vec<F32> Of(const T *row, const Place &place) const {
      const auto left_window = LoadFloat(F32(), row + place.left);
      return Of(left_window, kOneWindow ? left_window : LoadFloat(F32(), row + place.right));
    }

    HWY_INLINE hn::Vec<F32> Of(hn::Vec<F32> left_window, hn::Vec<F32> right_window) const {
      const auto left = hn::TableLookupLanes(left_window, left_lanes);
      const auto right = hn::TableLookupLanes(right_window, right_lanes);
      return MixSamples(left_weights, left, right_weights, right);
    }

    decltype(hn::IndicesFromVec(F32(), hn::Zero(I32()))) left_lanes, right_lanes;
    hn::Vec<F32> left_weights, right_weights;
  };

  // Prefetches memory that is needed soon. Rows of float32 are bound by memory, so where results go through
  // the caches, their lines are fetched: 1.2 to 1.4 x for rows at AVX-512, 2 x for short rows of new memory.
  // Rows of half types wait for inputs where results go past the caches, so the inputs of the next rows are
  // fetched: 1.1 x where nothing is cached.
  template <bool kStream>
  static HWY_INLINE void FetchAhead([[maybe_unused]] const T *next, [[maybe_unused]] const T *to) {
    if constexpr (kStream) {
      if (sizeof(T) < sizeof(float)) hwy::Prefetch(next);
    } else if constexpr (sizeof(T) == sizeof(float)) {
      for (size_t byte = 0; byte < 2 * kLanes * sizeof(T); byte += 64)
        hwy::Prefetch(reinterpret_cast<const char *>(to) + byte);
    }
  }

  // Bytes of a result row that is long, and from a store to what is fetched in such a row.
  static constexpr int64_t kLongRow = 1 << 12, kAhead = 512;

  const int64_t length_, out_length_;
  const int64_t whole_;  // vectors that do not overlap another one
  const LinearMixtures of_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
