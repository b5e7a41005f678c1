// SPDX-License-Identifier: Apache-2.0
// Whether regions are pooled bin by bin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "op_cpu/regions/roi.h"

namespace avo {

// How a call can be computed.
struct RoiWays {
  int64_t lanes, channels;
  bool mean;
  bool channels_are_lanes;  // pixels are read in place
  bool columns_are_lanes;   // planes are read in place
};

struct RoiEstimate {
  double longer = 0;    // cycles that the call takes longer bin by bin
  double elements = 0;  // that all regions read of a channel, and their results
};

// Compares RoiBins with the other ways. RoiBins keeps nothing for a call, but reads an element again for each
// bin that needs it, and one channel at a time unless channels are neighbours in memory. The other ways take
// about 2500 cycles longer to begin a region, and 64 for each row and column of samples; then they work by
// vectors. The numbers were fitted to 500 calls at AVX-512. They decide about time only: all ways give the
// same bits. Regions with very many samples are for the other ways, which limit their number.
template <typename Real>
RoiEstimate EstimateBinByBin(const RoiCall &call, const std::vector<RoiPlace<Real>> &places,
                             const RoiWays &ways) {
  constexpr double kRegion = 2500, kLine = 64, kCorners = 4, kSample = 20;
  constexpr int64_t kMostExamined = 16;
  const double channels = static_cast<double>(ways.channels), lanes = static_cast<double>(ways.lanes);
  const double vectors = std::ceil(channels / lanes), reads = ways.channels_are_lanes ? vectors : channels;
  const bool copied = !ways.channels_are_lanes && !ways.columns_are_lanes;
  const int64_t count = static_cast<int64_t>(places.size()), step = count / kMostExamined + 1;
  // A copy of whole maps serves all regions.
  const double maps = static_cast<double>(call.images * call.size[0] * call.size[1]) /
                      static_cast<double>(std::max<int64_t>(count, 1));
  RoiEstimate estimate;
  bool ordinary = true;
  for (int64_t k = 0; k < count; ++k) {
    ordinary &= call.Ordinary(places[k]);
    if (k % step != 0) continue;
    const RoiExtent y(places[k].y, call.bins[0], call.size[0]), x(places[k].x, call.bins[1], call.size[1]);
    const double results = static_cast<double>(call.bins[0] * call.bins[1]);
    estimate.elements += (y.elements * x.elements + results) * static_cast<double>(step);
    estimate.longer -= kRegion + kLine * (y.samples + x.samples);
    if (!ways.mean) {
      estimate.longer += y.samples * x.samples * (kCorners * reads - kSample * vectors);
    } else if (ways.columns_are_lanes) {
      estimate.longer += reads * y.taps * x.taps - channels * y.taps * std::max(x.elements / lanes, 1.0);
    } else {
      estimate.longer += reads * y.taps * x.taps - vectors * y.taps * x.elements;
    }
    if (copied) estimate.longer -= channels * std::min(std::min(y.taps, y.elements) * x.elements, maps);
  }
  if (!ordinary) estimate.longer = 1;
  return estimate;
}

}  // namespace avo
