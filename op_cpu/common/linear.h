// SPDX-License-Identifier: Apache-2.0
// Sample positions of linear resampling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avo {

// Output i is left_weight[i] * input[left[i]] + right_weight[i] * input[right[i]]; lengths are below 2^31.
// Arrays of each, so that vectors of neighbours can be loaded.
template <typename Weight>
struct LinearSamples {
  std::vector<int32_t> left, right;
  std::vector<Weight> left_weight, right_weight;
};

// Positions that follow from the lengths are ratios of integers, exact up to 2^31 - 1; those of `scales` > 0
// are float64.
template <typename Weight>
LinearSamples<Weight> SampleLinear(int64_t length, int64_t out_length, bool align_corners, double scales) {
  LinearSamples<Weight> samples;
  for (auto *indices : {&samples.left, &samples.right}) indices->resize(out_length);
  for (auto *weights : {&samples.left_weight, &samples.right_weight}) weights->resize(out_length);
  const auto place = [&](int64_t i, int64_t left, double weight) {
    if (left >= length) weight = 1.0;
    left = std::min(left, length - 1);
    samples.left[i] = static_cast<int32_t>(left);
    samples.right[i] = static_cast<int32_t>(std::min(left + 1, length - 1));
    samples.left_weight[i] = static_cast<Weight>(1.0 - weight);
    samples.right_weight[i] = static_cast<Weight>(weight);
  };
  if (!align_corners && scales > 0) {
    for (int64_t i = 0; i < out_length; ++i) {
      const double position = std::max(0.0, (static_cast<double>(i) + 0.5) * (1.0 / scales) - 0.5);
      const auto left = static_cast<int64_t>(position);
      place(i, left, position - static_cast<double>(left));
    }
    return samples;
  }
  // Position i is (first + i * step) / denominator; quotient and remainder are carried along, since a
  // division of integers for each takes longer than a few dozen rows.
  const int64_t denominator = align_corners ? std::max<int64_t>(out_length - 1, 1) : 2 * out_length;
  const int64_t first = align_corners ? 0 : length - out_length;
  const int64_t step = align_corners ? length - 1 : 2 * length;
  const int64_t whole = step / denominator, part = step % denominator;
  int64_t i = 0;
  for (; i < out_length && first + i * step < 0; ++i) place(i, 0, 0.0);
  int64_t left = (first + i * step) / denominator, rest = (first + i * step) % denominator;
  for (; i < out_length; ++i) {
    place(i, left, static_cast<double>(rest) / static_cast<double>(denominator));
    rest += part;
    const bool carry = rest >= denominator;
    rest -= carry ? denominator : 0;
    left += whole + carry;
  }
  return samples;
}

}  // namespace avo
