// SPDX-License-Identifier: Apache-2.0
// Weighted sums of pixels: all channels are read at the same places with the same weights. Channels that are
// neighbours in memory are lanes. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_PIXEL_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_PIXEL_SUMS_INL_H_
#undef AVO_OP_CPU_COMMON_PIXEL_SUMS_INL_H_
#else
#define AVO_OP_CPU_COMMON_PIXEL_SUMS_INL_H_
#endif

#include <vector>

#include "hwy/highway.h"
#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A pixel that counts, and the factor that it counts with.
struct WeightedPixel {
  int64_t offset;  // in elements, from the first channel of the image
  float weight;
};

// Adds the corners of a sample that lie in the image to `pixels`.
inline void AddCorners(const BilinearSample<float> &sample, int64_t origin, float factor,
                       std::vector<WeightedPixel> *pixels) {
  for (int n = 0; n < 4; ++n) {
    if (sample.offset[n] != kOutside)
      pixels->push_back({origin + sample.offset[n], factor * sample.weight[n]});
  }
}

template <typename T>
float SumOfChannel(const T *first, const std::vector<WeightedPixel> &pixels) {
  float sum = 0;
  for (const WeightedPixel &pixel : pixels) sum += pixel.weight * Widen(first[pixel.offset]);
  return sum;
}

// Sums `kVectors` vectors of channels that lie side by side.
template <int kVectors, typename T, typename To>
HWY_INLINE void SumVectors(const T *first, const std::vector<WeightedPixel> &pixels, To *to) {
  const hn::ScalableTag<float> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  hn::Vec<decltype(d)> sums[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Zero(d);
  for (const WeightedPixel &pixel : pixels) {
    const auto weight = hn::Set(d, pixel.weight);
    const T *from = first + pixel.offset;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      sums[v] = hn::Add(sums[v], hn::Mul(weight, LoadFloat(d, from + v * kLanes)));
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) StoreFloat(sums[v], d, to + v * kLanes);
}

// Computes the sums of `channels` channels. They start `stride` elements apart in `first`, and lie side by
// side in `to`, whose elements are T or float32. No element beside those of the channels is read or written.
// The sums have the same bits with every instruction set, as each product and each sum is rounded.
template <typename T, typename To>
void SumPixels(const T *first, int64_t stride, const std::vector<WeightedPixel> &pixels, int64_t channels,
               To *to) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<float>());
  int64_t c = 0;
  if (stride == 1) {
    for (; c + 4 * kLanes <= channels; c += 4 * kLanes) SumVectors<4>(first + c, pixels, to + c);
    for (; c + 2 * kLanes <= channels; c += 2 * kLanes) SumVectors<2>(first + c, pixels, to + c);
    for (; c + kLanes <= channels; c += kLanes) SumVectors<1>(first + c, pixels, to + c);
  }
  for (; c < channels; ++c) to[c] = Narrow<To>(SumOfChannel(first + c * stride, pixels));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
