// SPDX-License-Identifier: Apache-2.0
// Where the matrices of a batch lie. The tiling says their axes: b, s (rows), n, g, d (columns).
//
//   NORMAL, BNGS1S2   b n g s d   matrices one after the other
//   BSNGD             b s n g d   matrices of one b side by side: a row of all, then the next row
//   SBNGD             s b n g d   matrices of all b side by side
#pragma once

#include "matmul_settings.h"

namespace sim {

// Elements from a matrix to the next one, and from a row to the next one; 0: as in a matrix of its own.
struct BatchSteps {
  uint64_t matrix = 0;
  uint64_t row = 0;
};

struct BatchAxes {
  int32_t b, s, n, g, d;
};

inline BatchAxes AxesOfA(const TCubeTiling &t) {
  return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
}
inline BatchAxes AxesOfB(const TCubeTiling &t) {
  return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
}
inline BatchAxes AxesOfC(const TCubeTiling &t) {
  return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

// The first element of matrix `index`, which counts b, n and g.
template <LayoutMode layout>
uint64_t BatchStart(const BatchAxes &axes, uint64_t index) {
  const uint64_t side_by_side = uint64_t(axes.n) * axes.g;
  if (layout == LayoutMode::SBNGD || side_by_side == 0) return index * axes.d;
  if (layout == LayoutMode::BSNGD) {
    return (index / side_by_side * axes.s * side_by_side + index % side_by_side) * axes.d;
  }
  return index * axes.s * axes.d;
}
// Says whether the products of all g are to be added up to one matrix of C.
inline bool AddsGroups(const TCubeTiling &t) {
  return t.CLayoutInfoG == 1 && std::max(t.ALayoutInfoG, t.BLayoutInfoG) > 1;
}

template <LayoutMode layout>
BatchSteps StepsOf(const BatchAxes &axes, uint64_t alone, uint32_t given) {
  BatchSteps steps;
  if (layout == LayoutMode::BSNGD || layout == LayoutMode::SBNGD) {
    steps.matrix = axes.d;
    steps.row = uint64_t(axes.n) * axes.g * axes.d * (layout == LayoutMode::SBNGD ? axes.b : 1);
  } else {
    steps.matrix = alone;
  }
  if (given != 0) steps.matrix = given;
  return steps;
}

// Calls product(a, b, c, i) for each product of a batch, with the offsets of its matrices. The smaller one of
// the batches of A and B serves several products in a row.
template <class Product>
void ForEachProduct(uint32_t batch_a, uint32_t batch_b, const BatchSteps &a, const BatchSteps &b,
                    const BatchSteps &c, Product &&product) {
  const uint32_t batch = std::max(batch_a, batch_b);
  for (uint32_t i = 0; i < batch; ++i) {
    product(i / (batch / batch_a) * a.matrix, i / (batch / batch_b) * b.matrix, i * c.matrix, i);
  }
}

}  // namespace sim
