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

}  // namespace avo
