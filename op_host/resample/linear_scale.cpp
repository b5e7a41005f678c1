// SPDX-License-Identifier: Apache-2.0
#include "op_host/resample/linear_scale.h"

#include <cmath>
#include <numeric>

namespace avo {
namespace {

__extension__ using Wide = __int128;

constexpr int kPartBits = 11;  // significant bits of the first two floats of a step

int64_t FloorDiv(Wide a, Wide b) {
  const Wide quotient = a / b;
  return static_cast<int64_t>(quotient - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0));
}

// Returns a value cut to its first kPartBits significant bits.
float LeadingBits(long double value) {
  if (value == 0) return 0;
  int exponent = 0;
  std::frexp(value, &exponent);
  const long double unit = std::ldexp(1.0L, exponent - kPartBits);
  return static_cast<float>(std::trunc(value / unit) * unit);
}

void FillParts(long double step, LinearSteps *steps) {
  steps->parts[0] = LeadingBits(step);
  steps->parts[1] = LeadingBits(step - steps->parts[0]);
  steps->parts[2] = static_cast<float>(step - steps->parts[0] - steps->parts[1]);
}

LinearSteps FromRatio(int64_t numerator, int64_t denominator, Wide offset_numerator,
                      Wide offset_denominator) {
  LinearSteps steps;
  steps.whole = numerator / denominator;
  Wide remainder = static_cast<Wide>(numerator % denominator) << 32;
  steps.high = static_cast<int64_t>(remainder / denominator);
  remainder = (remainder % denominator) << 32;
  steps.low = static_cast<int64_t>(remainder / denominator);
  steps.offset = FloorDiv(offset_numerator * (Wide{1} << 32), offset_denominator);
  FillParts(static_cast<long double>(numerator) / denominator, &steps);
  return steps;
}

LinearSteps FromReal(long double step, long double offset) {
  LinearSteps steps;
  steps.whole = static_cast<int64_t>(std::floor(step));
  const long double fraction = std::ldexp(step - steps.whole, 32);
  steps.high = static_cast<int64_t>(std::floor(fraction));
  steps.low = static_cast<int64_t>(std::floor(std::ldexp(fraction - steps.high, 32)));
  steps.offset = static_cast<int64_t>(std::floor(std::ldexp(offset, 32)));
  FillParts(step, &steps);
  return steps;
}

}  // namespace

LinearScale MakeLinearScale(int64_t in_length, int64_t out_length, bool align_corners, double scales) {
  LinearScale scale;
  scale.in_length = in_length;
  scale.out_length = out_length;
  scale.identity = in_length == out_length;
  scale.half_pixel = !align_corners;
  scale.rational = true;
  if (align_corners) {
    scale.numerator = out_length > 1 ? in_length - 1 : 0;
    scale.denominator = out_length > 1 ? out_length - 1 : 1;
  } else {
    scale.numerator = in_length;
    scale.denominator = out_length;
    const double given = scales > 0 ? 1.0 / scales : 0.0;
    // Where `scales` is the ratio of the two lengths, the exact ratio takes its place.
    scale.rational = scales <= 0 || given == static_cast<double>(in_length) / static_cast<double>(out_length);
    scale.value = given;
  }
  if (scale.rational) {
    const int64_t divisor = std::gcd(scale.numerator, scale.denominator);
    scale.numerator /= divisor;
    scale.denominator /= divisor;
    scale.value = static_cast<long double>(scale.numerator) / scale.denominator;
  }
  return scale;
}

LinearSteps LinearScale::Forward() const {
  if (!rational) return FromReal(value, (value - 1) / 2);
  const Wide p = numerator, q = denominator;
  return half_pixel ? FromRatio(numerator, denominator, p - q, 2 * q)
                    : FromRatio(numerator, denominator, 0, 1);
}

LinearSteps LinearScale::Backward() const {
  // x' = i s + c  =>  i = (x - 1 - c) / s for x' = x - 1. A zero step puts every output on input 0.
  if (value == 0) return {};
  if (!rational) return FromReal(1 / value, -(value + 1) / (2 * value));
  const Wide p = numerator, q = denominator;
  return half_pixel ? FromRatio(denominator, numerator, -(p + q), 2 * p)
                    : FromRatio(denominator, numerator, -q, p);
}

}  // namespace avo
