// SPDX-License-Identifier: Apache-2.0
// The map of linear resampling from an index i to a position, i * step + offset, exact for lengths up to 2^31
// - 1.
#pragma once

#include <cstdint>

namespace avo {

// Such a map in numbers that a kernel computes with: step = whole + high * 2^-32 + low * 2^-64. A position
// that is computed from these, for an index below 2^31, is off by less than 2^-30 of an element.
struct LinearSteps {
  int64_t whole = 0;
  int64_t high = 0;
  int64_t low = 0;
  int64_t offset = 0;   // in units of 2^-32
  float parts[3] = {};  // the step as a sum of floats. The first two have 11 significant bits, so that their
                        // products with indices below 2^13 are exact.
};

struct LinearScale {
  bool identity = false;    // equal lengths: the result is a copy, whatever `scales` says
  bool half_pixel = false;  // positions are those of pixel centres (not align_corners)
  bool rational = false;    // the step is numerator / denominator, in lowest terms; otherwise it is `value`
  int64_t numerator = 0;
  int64_t denominator = 1;
  long double value = 0;  // the step
  int64_t in_length = 0;
  int64_t out_length = 0;

  // The map from an output to its position among the inputs.
  LinearSteps Forward() const;
  // The map from an input x to where output positions reach x - 1, among the outputs. It is a real number;
  // the first output that x receives gradient from is its floor + 1.
  LinearSteps Backward() const;
};

// The scale of a call. `scales` <= 0 means that it is not given, as in aclnn.
LinearScale MakeLinearScale(int64_t in_length, int64_t out_length, bool align_corners, double scales);

}  // namespace avo
