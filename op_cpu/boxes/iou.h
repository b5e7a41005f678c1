// SPDX-License-Identifier: Apache-2.0
// Areas of boxes and their overlap, intersection over union (IoU), in float32. The reference and the device
// compute them in the same order of operations, so that a threshold decides the same everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// A box with corners (x1, y1) and (x2, y2). Widths and heights have an `offset`: 1 counts both border pixels,
// 0 takes corners as points.
struct Box {
  float x1, y1, x2, y2, area;
};

inline float BoxArea(float x1, float y1, float x2, float y2, float offset) {
  return (x2 - x1 + offset) * (y2 - y1 + offset);
}

// Returns row i of dense boxes (N, 4).
inline Box BoxAt(const float *boxes, int64_t i, float offset) {
  const float *row = boxes + 4 * i;
  return {row[0], row[1], row[2], row[3], BoxArea(row[0], row[1], row[2], row[3], offset)};
}

// Returns the overlap of two boxes; NaN where it is 0/0 or where a corner is NaN. A NaN corner makes the area
// NaN, so that minima and maxima need not pass NaN on.
inline float Iou(const Box &a, const Box &b, float offset) {
  const float width = std::max(0.0f, std::min(a.x2, b.x2) - std::max(a.x1, b.x1) + offset);
  const float height = std::max(0.0f, std::min(a.y2, b.y2) - std::max(a.y1, b.y1) + offset);
  const float inter = width * height;
  return inter / (a.area + b.area - inter);
}

// Boxes with an array for each coordinate, so that vector instructions compare one box with many.
struct Boxes {
  std::vector<float> x1, y1, x2, y2, area;

  explicit Boxes(int64_t count = 0) : x1(count), y1(count), x2(count), y2(count), area(count) {}

  int64_t size() const { return static_cast<int64_t>(x1.size()); }
  Box operator[](int64_t i) const { return {x1[i], y1[i], x2[i], y2[i], area[i]}; }
  void Set(int64_t i, const Box &box) {
    x1[i] = box.x1;
    y1[i] = box.y1;
    x2[i] = box.x2;
    y2[i] = box.y2;
    area[i] = box.area;
  }
};

// Returns row i of a tensor (N, 4) of any strides.
template <typename T>
inline Box LoadBox(const Tensor &boxes, int64_t i, float offset) {
  const T *row = static_cast<const T *>(boxes.data) + i * boxes.strides[0];
  const int64_t step = boxes.strides[1];
  const float x1 = ToFloat(row[0]), y1 = ToFloat(row[step]);
  const float x2 = ToFloat(row[2 * step]), y2 = ToFloat(row[3 * step]);
  return {x1, y1, x2, y2, BoxArea(x1, y1, x2, y2, offset)};
}

}  // namespace avo
