// SPDX-License-Identifier: Apache-2.0
// Sample positions of linear resampling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace avo {

// Output i is left_weight[i] * input[left[i]] + right_weight[i] * input[right[i]]; lengths are below 2^31.
// Arrays of each, so that vectors of neighbours can be loaded.
template <typename Weight>
struct LinearSamples {
  std::vector<int32_t> left, right;
  std::vector<Weight> left_weight, right_weight;
};

// Position i is (first + i * step) / denominator, exactly.
struct LinearRatio {
  int64_t first, step, denominator;
};

// Positions that follow from the lengths are ratios of integers, exact up to 2^31 - 1; none where `scales` >
// 0 makes them of float64, but for powers of two, where those are the same.
inline std::optional<LinearRatio> RatioOf(int64_t length, int64_t out_length, bool align_corners,
                                          double scales) {
  if (align_corners) return LinearRatio{0, length - 1, std::max<int64_t>(out_length - 1, 1)};
  int exponent = 0;
  const bool same = std::frexp(scales, &exponent) == 0.5 &&
                    scales * static_cast<double>(length) == static_cast<double>(out_length);
  if (scales > 0 && !same) return {};
  return LinearRatio{length - out_length, 2 * length, 2 * out_length};
}

// Samples of outputs [begin, end).
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
  // Quotient and remainder are carried along, since a division of integers for each takes longer than a few
  // dozen rows.
  const auto [first, step, denominator] = *ratio;
  const int64_t whole = step / denominator, part = step % denominator;
  int64_t i = begin;
  for (; i < end && first + i * step < 0; ++i) place(i, 0, 0.0);
  int64_t left = (first + i * step) / denominator, rest = (first + i * step) % denominator;
  for (; i < end; ++i) {
    place(i, left, static_cast<double>(rest) / static_cast<double>(denominator));
    rest += part;
    const bool carry = rest >= denominator;
    rest -= carry ? denominator : 0;
    left += whole + carry;
  }
  return samples;
}

}  // namespace avo
