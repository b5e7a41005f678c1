// SPDX-License-Identifier: Apache-2.0
// Sample positions of linear resampling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace avo {

// Output i is (1 - right_weight) * input[left] + right_weight * input[right].
struct LinearSample {
  int64_t left;
  int64_t right;
  float left_weight;
  float right_weight;
};

// Positions in float64; `scales` <= 0 means not given.
inline std::vector<LinearSample> LinearSamples(int64_t length, int64_t out_length, bool align_corners, double scales) {
  std::vector<LinearSample> samples(out_length);
  const double corner_step = out_length > 1 ? static_cast<double>(length - 1) / (out_length - 1) : 0.0;
  const double step = scales > 0 ? 1.0 / scales : static_cast<double>(length) / out_length;
  for (int64_t i = 0; i < out_length; ++i) {
    const double position = align_corners ? i * corner_step : std::max(0.0, (i + 0.5) * step - 0.5);
    const int64_t left = std::min(static_cast<int64_t>(position), length - 1);
    const double weight = std::clamp(position - left, 0.0, 1.0);
    samples[i] = {left, std::min(left + 1, length - 1), static_cast<float>(1.0 - weight), static_cast<float>(weight)};
  }
  return samples;
}

}  // namespace avo
