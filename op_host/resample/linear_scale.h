// SPDX-License-Identifier: Apache-2.0
// The mapping of linear resampling, x' = i * step + offset, exact for lengths up to 2^31 - 1.
#pragma once

#include <cstdint>

namespace avo {

// step = whole + high * 2^-32 + low * 2^-64; offset in units of 2^-32. With an index below 2^31 a position
// computed from these is off by less than 2^-30 of an element.
struct LinearSteps {
  int64_t whole = 0;
  int64_t high = 0;
  int64_t low = 0;
  int64_t offset = 0;
  float parts[3] = {};  // step as a sum of floats; the first two have 11 significant bits, so that products
                        // with indices below 2^13 are exact
};

struct LinearScale {
  bool identity = false;    // equal lengths: a copy, whatever `scales` says
  bool half_pixel = false;  // positions are those of pixel centres (not align_corners)
  bool rational = false;    // step is numerator / denominator, in lowest terms; otherwise it is `value`
  int64_t numerator = 0;
  int64_t denominator = 1;
  long double value = 0;
  int64_t in_length = 0;
  int64_t out_length = 0;

  // Input position of output i.
  LinearSteps Forward() const;
  // Of input x: the last output whose position is <= x - 1, as a real number; its floor + 1 is the first
  // output that x receives gradient from.
  LinearSteps Backward() const;
};

// `scales` <= 0 means not given, as in aclnn.
LinearScale MakeLinearScale(int64_t in_length, int64_t out_length, bool align_corners, double scales);

}  // namespace avo
