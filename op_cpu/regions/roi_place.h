// SPDX-License-Identifier: Apache-2.0
// Where regions lie, and about how much they read.
#pragma once

#include <algorithm>
#include <cstdint>

namespace avo {

// Where the samples of a region lie along an axis: each bin has `grid` of them.
template <typename Real>
struct RoiSpan {
  Real start = 0, bin = 0;  // of the region; size of a bin
  int64_t grid = 0;         // 0 where the region has no samples

  Real Origin(int64_t b) const { return start + static_cast<Real>(b) * bin; }
  // The position of sample `i` of the bin that begins at `origin`.
  Real Position(Real origin, int64_t i) const {
    return origin + (static_cast<Real>(i) + Real{0.5}) * bin / static_cast<Real>(grid);
  }
};

// About how much a region reads along an axis of a feature map of `size` elements. Samples outside read
// nothing.
struct RoiExtent {
  double samples, elements, taps;  // elements are counted once, taps once for each bin that reads them

  template <typename Real>
  RoiExtent(const RoiSpan<Real> &span, int64_t bins, int64_t size) {
    const double count = static_cast<double>(bins), most = static_cast<double>(size), start = span.start;
    const double length = count * span.bin, inside = std::min(start + length, most) - std::max(start, -1.0);
    const double share = length > 0 ? std::clamp(inside / length, 0.0, 1.0) : 1.0;
    samples = share * count * static_cast<double>(span.grid);
    elements = std::min(share * length + 2, most);
    taps = std::min({2 * samples, share * length + 2 * count, share * count * most});
  }
};

template <typename Real>
struct RoiPlace {
  int64_t image = 0;
  RoiSpan<Real> y, x;  // both without samples where one is
};

}  // namespace avo
