// SPDX-License-Identifier: Apache-2.0
// Bilinear samples of an image (H, W). Along each axis, a position has two neighbours and their weights. A
// neighbour that does not count has the index kOutside and is not read, so that 0 x infinity never enters a
// sum. Two rules:
//   ZeroPaddedAxis  Zeros lie beyond the image (grid_sampler, deformable convolution). A position that is not
//                   finite has no neighbours, and its weights are NaN.
//   ClampedAxis     As in RoIAlign, positions in [-1, 0] read the first element, and positions in
//                   [size - 1, size] read the last one. A position beyond does not count.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace avo {

constexpr int64_t kOutside = std::numeric_limits<int64_t>::min();

// The two neighbours of a position. The type of positions does not depend on that of weights.
template <typename Weight>
struct AxisSample {
  int64_t index[2] = {kOutside, kOutside};
  Weight weight[2] = {0, 0};

  bool Empty() const { return index[0] == kOutside && index[1] == kOutside; }
};

template <typename Weight, typename Position>
AxisSample<Weight> ZeroPaddedAxis(Position position, int64_t size) {
  AxisSample<Weight> axis;
  const Position below = std::floor(position);
  axis.weight[1] = static_cast<Weight>(position - below);
  axis.weight[0] = static_cast<Weight>(1 - (position - below));
  // Compare before converting, as NaN and huge positions have no integer.
  if (!(below >= -1 && below < static_cast<Position>(size))) return axis;
  const int64_t low = static_cast<int64_t>(below);
  if (low >= 0) axis.index[0] = low;
  if (low + 1 < size) axis.index[1] = low + 1;
  return axis;
}

// The word inline is needed, here and below: without it GCC calls the function for each sample.
template <typename Weight, typename Position>
inline AxisSample<Weight> ClampedAxis(Position position, int64_t size) {
  if (!(position >= -1 && position <= static_cast<Position>(size))) return {};
  if (position <= 0) position = 0;
  const int64_t low = static_cast<int64_t>(position);
  if (low >= size - 1) return {{size - 1, kOutside}, {1, 0}};
  const Position fraction = position - static_cast<Position>(low);
  return {{low, low + 1}, {static_cast<Weight>(1 - fraction), static_cast<Weight>(fraction)}};
}

// The four corners of a sample: (y0, x0), (y0, x1), (y1, x0), (y1, x1).
template <typename Weight>
struct BilinearSample {
  int64_t offset[4];  // in elements, from the start of the image; kOutside where the corner does not count
  Weight weight[4];
};

template <typename Weight>
inline BilinearSample<Weight> Corners(const AxisSample<Weight> &y, const AxisSample<Weight> &x,
                                      int64_t row_stride, int64_t column_stride) {
  BilinearSample<Weight> sample;
  for (int i = 0; i < 4; ++i) {
    const int64_t row = y.index[i / 2], column = x.index[i % 2];
    const bool outside = row == kOutside || column == kOutside;
    sample.offset[i] = outside ? kOutside : row * row_stride + column * column_stride;
    sample.weight[i] = y.weight[i / 2] * x.weight[i % 2];
  }
  return sample;
}

// Returns the weighted sum of the corners of one channel; `value(offset)` reads a corner.
template <typename Weight, typename Value>
Weight Interpolate(const BilinearSample<Weight> &sample, const Value &value) {
  Weight sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (sample.offset[i] != kOutside) sum += sample.weight[i] * value(sample.offset[i]);
  }
  return sum;
}

}  // namespace avo
