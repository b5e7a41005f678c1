// SPDX-License-Identifier: Apache-2.0
// Linear resampling of rows whose samples are far apart. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_RESAMPLE_LINEAR_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_LINEAR_PAIRS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_LINEAR_PAIRS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_LINEAR_PAIRS_INL_H_
#endif

#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/simd-inl.h"
#include "op_cpu/resample/linear.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows that are resampled together.
template <typename T, size_t kCount>
using LinearRows = std::array<T *, kCount>;

// Both products are rounded, as SampleOneByOne rounds them: so all instruction sets give the same bits.
template <class V>
HWY_INLINE V MixSamples(V left_weights, V left, V right_weights, V right) {
  return hn::Add(hn::Mul(left_weights, left), hn::Mul(right_weights, right));
}

// Loads pairs of samples, each of which begins at one of `lefts`. AVX-512 loads an element to a lane that a
// mask names: 1.3 x as fast as through memory, or by gathers.
template <size_t... kPair>
HWY_INLINE hn::Vec<hn::ScalableTag<float>> LoadPairs(const float *in, const int32_t *lefts,
                                                     std::index_sequence<kPair...>) {
  const hn::ScalableTag<double> pair;
  auto pairs = hn::Zero(pair);
  const auto load = [&](size_t i, const uint8_t (&bits)[8]) HWY_ATTR {
    double both;
    std::memcpy(&both, in + lefts[i], sizeof(both));
    pairs = hn::IfThenElse(hn::LoadMaskBits(pair, bits), hn::Set(pair, both), pairs);
  };
  (load(kPair, {static_cast<uint8_t>(1u << kPair)}), ...);
  return hn::BitCast(hn::ScalableTag<float>(), pairs);
}

// Computes the vector of outputs from output i on, whose samples are samples[first] and those behind it. It
// takes words of two elements, the left sample and the right one.
//
//   words          x1 x2 | x5 x6 | x9 x10 | x13 x14
//   left samples   x1 x5 x9 x13     right samples   x2 x6 x10 x14
template <typename T, size_t kCount>
void MixPairs(const LinearSamples<float> &samples, int64_t first, LinearRows<const T, kCount> in, int64_t i,
              LinearRows<T, kCount> out) {
  const hn::ScalableTag<float> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int32_t *const lefts = &samples.left[first], *const rights = &samples.right[first];
  const auto left_weights = hn::LoadU(d, &samples.left_weight[first]);
  const auto right_weights = hn::LoadU(d, &samples.right_weight[first]);
  // Nothing lies behind the last element of a row, so its right sample is the left one.
  const bool last = rights[kLanes - 1] == lefts[kLanes - 1];
  if constexpr (std::is_same_v<T, float> && HWY_TARGET <= HWY_AVX3) {
    constexpr auto kPairs = std::make_index_sequence<kLanes / 2>();
    for (size_t r = 0; !last && r < kCount; ++r) {
      const auto low = LoadPairs(in[r], lefts, kPairs), high = LoadPairs(in[r], lefts + kLanes / 2, kPairs);
      const auto left = hn::ConcatEven(d, high, low), right = hn::ConcatOdd(d, high, low);
      hn::StoreU(MixSamples(left_weights, left, right_weights, right), d, out[r] + i);
    }
    if (!last) return;
  }
  alignas(64) T pairs[kCount][2 * kLanes];
#pragma GCC unroll 16
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const int64_t at = lefts[lane], beside = rights[lane];
#pragma GCC unroll 4
    for (size_t r = 0; r < kCount; ++r) {
      if (last) {
        pairs[r][2 * lane] = in[r][at];
        pairs[r][2 * lane + 1] = in[r][beside];
      } else {
        std::memcpy(&pairs[r][2 * lane], in[r] + at, 2 * sizeof(T));
      }
    }
  }
  for (size_t r = 0; r < kCount; ++r) {
    hn::Vec<decltype(d)> left, right;
    if constexpr (std::is_same_v<T, float>) {
      hn::LoadInterleaved2(d, pairs[r], left, right);
    } else {
      const hn::RebindToUnsigned<decltype(d)> words;
      const auto both = hn::Load(words, reinterpret_cast<const uint32_t *>(pairs[r]));
      left = WidenBits(d, hn::And(both, hn::Set(words, 0xffff)), T{});
      right = WidenBits(d, hn::ShiftRight<16>(both), T{});
    }
    StoreFloat(MixSamples(left_weights, left, right_weights, right), d, out[r] + i);
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
