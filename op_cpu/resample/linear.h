// SPDX-License-Identifier: Apache-2.0
// Sample positions of linear resampling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace avo {

// Output i is left_weight[i] * input[left[i]] + right_weight[i] * input[right[i]]. Lengths are below 2^31.
// Each member is an array, so that vectors of it can be loaded.
template <typename Weight>
struct LinearSamples {
  std::vector<int32_t> left, right;
  std::vector<Weight> left_weight, right_weight;
};

// Positions that are ratios of integers: position i is (first + i * step) / denominator.
struct LinearRatio {
  int64_t first, step, denominator;
};

// Returns the positions as ratios where they follow from the lengths; these are exact up to lengths of 2^31
// - 1. Returns nothing where `scales` > 0 defines positions in float64. Where `scales` is a power of two and
// the ratio of the lengths, both are the same, so this returns the ratios.
inline std::optional<LinearRatio> RatioOf(int64_t length, int64_t out_length, bool align_corners,
                                          double scales) {
  if (align_corners) return LinearRatio{0, length - 1, std::max<int64_t>(out_length - 1, 1)};
  int exponent = 0;
  const bool same = std::frexp(scales, &exponent) == 0.5 &&
                    scales * static_cast<double>(length) == static_cast<double>(out_length);
  if (scales > 0 && !same) return {};
  return LinearRatio{length - out_length, 2 * length, 2 * out_length};
}

// Returns the samples of outputs [begin, end).
template <typename Weight>
LinearSamples<Weight> SampleLinear(int64_t length, int64_t out_length, bool align_corners, double scales,
                                   int64_t begin, int64_t end) {
  LinearSamples<Weight> samples;
  for (auto *indices : {&samples.left, &samples.right}) indices->resize(end - begin);
  for (auto *weights : {&samples.left_weight, &samples.right_weight}) weights->resize(end - begin);
  const auto place = [&](int64_t i, int64_t left, double weight) {
    if (left >= length) weight = 1.0;
    left = std::min(left, length - 1);
    samples.left[i - begin] = static_cast<int32_t>(left);
    samples.right[i - begin] = static_cast<int32_t>(std::min(left + 1, length - 1));
    samples.left_weight[i - begin] = static_cast<Weight>(1.0 - weight);
    samples.right_weight[i - begin] = static_cast<Weight>(weight);
  };
  const auto ratio = RatioOf(length, out_length, align_corners, scales);
  if (!ratio) {
    for (int64_t i = begin; i < end; ++i) {
      const double position = std::max(0.0, (static_cast<double>(i) + 0.5) * (1.0 / scales) - 0.5);
      const auto left = static_cast<int64_t>(position);
      place(i, left, position - static_cast<double>(left));
    }
    return samples;
  }
  // Quotient and remainder are updated from output to output, as a division for each would take longer than
  // resampling a few dozen rows.
  const auto [first, step, denominator] = *ratio;
  const int64_t whole = step / denominator, fraction = step % denominator;
  int64_t i = begin;
  for (; i < end && first + i * step < 0; ++i) place(i, 0, 0.0);
  int64_t left = (first + i * step) / denominator, remainder = (first + i * step) % denominator;
  // A weight of float32 is rounded from a product with the inverse, because products take less time than
  // quotients. The error of the product is far smaller than that of the rounding.
  const bool rounded = sizeof(Weight) < sizeof(double);
  const auto whole_weight = static_cast<double>(denominator), unit = 1.0 / whole_weight;
  for (; i < end; ++i) {
    const auto part = static_cast<double>(remainder), weight = rounded ? part * unit : part / whole_weight;
    place(i, left, weight);
    remainder += fraction;
    const bool carry = remainder >= denominator;
    remainder -= carry ? denominator : 0;
    left += whole + carry;
  }
  return samples;
}

}  // namespace avo
