// SPDX-License-Identifier: Apache-2.0
// A rotated box as its overlap with others is computed from it.
#pragma once

#include <cmath>
#include <limits>

#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// half_width, half_height: not negative. area: NaN for a box that overlaps nothing, since NaN is above no
// threshold. radius: of the circle around the box.
struct RotatedBox {
  double x, y, half_width, half_height, cosine, sine, area, radius;
};

// Returns row i of a tensor (N, 5) of any strides: x, y, width, height, angle.
template <typename T>
inline RotatedBox LoadRotatedBox(const Tensor &boxes, int64_t i) {
  constexpr double kLeastArea = 1e-14;
  double values[5];
  bool proper = true;
  for (int64_t k = 0; k < 5; ++k) {
    values[k] = ToFloat(static_cast<const T *>(boxes.data)[i * boxes.strides[0] + k * boxes.strides[1]]);
    proper = proper && std::isfinite(values[k]);
  }
  const auto [x, y, width, height, angle] = values;
  const double half_width = std::abs(width) / 2, half_height = std::abs(height) / 2;
  const double area = width * height;
  proper = proper && area >= kLeastArea;
  return {x,
          y,
          half_width,
          half_height,
          std::cos(angle),
          std::sin(angle),
          proper ? area : std::numeric_limits<double>::quiet_NaN(),
          std::sqrt(half_width * half_width + half_height * half_height)};
}

}  // namespace avo
