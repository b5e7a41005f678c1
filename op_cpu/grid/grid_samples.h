// SPDX-License-Identifier: Apache-2.0
// Finds the neighbours of one sample of a grid, with weights and derivatives, for all modes of interpolation
// and padding. Positions are float64, so that the nearest neighbour is that of the definition.
#pragma once

#include <cmath>
#include <cstdint>

#include "op_cpu/common/sampling/bilinear.h"
#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Values are those of torch's arguments.
enum class Interpolation : int64_t { kBilinear, kNearest, kBicubic };
enum class Padding : int64_t { kZeros, kBorder, kReflection };

struct GridRules {
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
};

template <class Args>
GridRules RulesOf(const Args &args) {
  return {static_cast<Interpolation>(args.interpolation_mode), static_cast<Padding>(args.padding_mode),
          args.align_corners};
}

// A number and its derivative: a position by the coordinate, or a weight by the distance.
struct GridPosition {
  double value;
  double slope;
};

// The neighbours of a sample along one axis.
template <typename Weight>
struct GridAxis {
  int taps = 0;      // how many
  int64_t index[4];  // kOutside where a neighbour is not in the image
  Weight weight[4];
  Weight slope[4];  // derivatives of the weights by the coordinate

  void Add(int64_t at, double tap_weight, double tap_slope) {
    index[taps] = at;
    weight[taps] = static_cast<Weight>(tap_weight);
    slope[taps++] = static_cast<Weight>(tap_slope);
  }
};

// The position in pixels of a coordinate in [-1, 1].
inline GridPosition Unnormalize(double coordinate, int64_t size, bool align_corners) {
  const double extent = static_cast<double>(size);
  if (align_corners) return {(coordinate + 1) / 2 * (extent - 1), (extent - 1) / 2};
  return {((coordinate + 1) * extent - 1) / 2, extent / 2};
}

// Mirrors a position at -0.5 and size - 0.5, or with align_corners at 0 and size - 1.
inline GridPosition Reflect(GridPosition at, int64_t size, bool align_corners) {
  const double low = align_corners ? 0 : -0.5, span = static_cast<double>(align_corners ? size - 1 : size);
  if (span == 0) return {0, 0};
  const double distance = std::abs(at.value - low), flips = std::floor(distance / span);
  const double extra = distance - flips * span;
  const bool mirrored = std::fmod(flips, 2) != 0;
  return {(mirrored ? span - extra : extra) + low, (at.value < low) != mirrored ? -at.slope : at.slope};
}

// Moves a position as the padding says. A position that moves to the border has derivative 0. With a border
// or a reflection NaN becomes 0.
inline GridPosition Pad(GridPosition at, int64_t size, const GridRules &rules) {
  if (rules.padding == Padding::kZeros) return at;
  if (rules.padding == Padding::kReflection) at = Reflect(at, size, rules.align_corners);
  const double last = static_cast<double>(size - 1);
  if (!(at.value > 0)) return {0, 0};
  return at.value < last ? at : GridPosition{last, 0};
}

// A whole number as an index; kOutside if that pixel is not in the image.
inline int64_t OrOutside(double index, int64_t size) {
  return index >= 0 && index < static_cast<double>(size) ? static_cast<int64_t>(index) : kOutside;
}

// The bicubic weight of a neighbour at `distance` in [0, 2], and its derivative by the distance, with A =
// -0.75.
inline GridPosition Cubic(double distance) {
  constexpr double kA = -0.75;
  const double d = distance;
  if (d <= 1) return {((kA + 2) * d - (kA + 3)) * d * d + 1, (3 * (kA + 2) * d - 2 * (kA + 3)) * d};
  return {((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA, (3 * kA * d - 10 * kA) * d + 8 * kA};
}

// The pixel along an axis that is nearest to a coordinate; kOutside if that pixel is not in the image.
inline int64_t NearestIndex(double coordinate, int64_t size, const GridRules &rules) {
  const GridPosition at = Pad(Unnormalize(coordinate, size, rules.align_corners), size, rules);
  // Adding kWhole and subtracting it again rounds to a whole number. It is not exact for larger values, but
  // these lie outside any image.
  constexpr double kWhole = 0x1.8p52;
  return std::abs(at.value) < 0x1p51 ? OrOutside(at.value + kWhole - kWhole, size) : kOutside;
}

// Finds the neighbours of a coordinate along an axis of `size` pixels, bilinear or bicubic.
template <typename Weight>
GridAxis<Weight> SampleAxis(double coordinate, int64_t size, const GridRules &rules) {
  GridAxis<Weight> axis;
  GridPosition at = Unnormalize(coordinate, size, rules.align_corners);
  if (rules.interpolation == Interpolation::kBicubic) {
    // Padding moves each neighbour, not the position.
    const double low = std::floor(at.value), offset = at.value - low;
    for (int k = 0; k < 4; ++k) {
      const GridPosition weight = Cubic(std::abs(offset + 1 - k));
      const double index = Pad({low - 1 + k, 1}, size, rules).value;
      axis.Add(OrOutside(index, size), weight.value, (k < 2 ? 1 : -1) * weight.slope * at.slope);
    }
    return axis;
  }
  at = Pad(at, size, rules);
  const auto pair = ZeroPaddedAxis<Weight>(at.value, size);
  axis.Add(pair.index[0], pair.weight[0], -at.slope);
  axis.Add(pair.index[1], pair.weight[1], at.slope);
  return axis;
}

// The neighbours of one sample that lie in the image. `by_y` and `by_x` are the derivatives of their weights
// by the coordinates.
template <typename Weight>
struct GridSample {
  int taps = 0;  // how many
  // What neighbours outside the image add to the sample and to its derivatives: 0, or NaN if their weight is
  // NaN.
  Weight outside = 0, outside_by_y = 0, outside_by_x = 0;
  int64_t pixel[16];  // row * W + column
  Weight weight[16], by_y[16], by_x[16];
};

// Sample number `position`, counted row by row, of the grid of image n, bilinear or bicubic.
template <typename T>
GridSample<Compute<T>> SampleAt(const Tensor &grid, int64_t n, int64_t position, int64_t height,
                                int64_t width, const GridRules &rules) {
  using Weight = Compute<T>;
  const int64_t row = position / grid.shape[2], column = position % grid.shape[2];
  const T *at = static_cast<const T *>(grid.data) + n * grid.strides[0] + row * grid.strides[1] +
                column * grid.strides[2];
  const auto x = SampleAxis<Weight>(Widen(at[0]), width, rules);
  const auto y = SampleAxis<Weight>(Widen(at[grid.strides[3]]), height, rules);
  GridSample<Weight> sample;
  for (int i = 0; i < y.taps; ++i) {
    for (int j = 0; j < x.taps; ++j) {
      const Weight weight = y.weight[i] * x.weight[j];
      const Weight by_y = y.slope[i] * x.weight[j], by_x = y.weight[i] * x.slope[j];
      if (y.index[i] == kOutside || x.index[j] == kOutside) {
        sample.outside += 0 * weight;
        sample.outside_by_y += 0 * by_y;
        sample.outside_by_x += 0 * by_x;
        continue;
      }
      sample.pixel[sample.taps] = y.index[i] * width + x.index[j];
      sample.weight[sample.taps] = weight;
      sample.by_y[sample.taps] = by_y;
      sample.by_x[sample.taps++] = by_x;
    }
  }
  return sample;
}

// The pixel that is nearest to a sample, row * W + column; kOutside if that pixel is not in the image.
template <typename T>
int64_t NearestAt(const Tensor &grid, int64_t n, int64_t position, int64_t height, int64_t width,
                  const GridRules &rules) {
  const T *at = static_cast<const T *>(grid.data) + n * grid.strides[0] +
                position / grid.shape[2] * grid.strides[1] + position % grid.shape[2] * grid.strides[2];
  const int64_t row = NearestIndex(Widen(at[grid.strides[3]]), height, rules);
  const int64_t column = NearestIndex(Widen(at[0]), width, rules);
  return row == kOutside || column == kOutside ? kOutside : row * width + column;
}

}  // namespace avo
