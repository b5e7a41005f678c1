// SPDX-License-Identifier: Apache-2.0
// Lines along one axis of tensors of any strides. Lines that are neighbours in memory are handed out
// together, as blocks.
//
//   tensor (3, 4, 5) along axis 1: 15 lines of 4 elements, in three blocks of 5 lines
//
//   block 0     a0 b0 c0 d0 e0      Lines a … e lie side by side: memory holds one element of each line, then
//               a1 b1 c1 d1 e1      the next element of each line. So a vector holds several lines.
//               a2 b2 c2 d2 e2
//               a3 b3 c3 d3 e3
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Throws std::invalid_argument where int32 does not hold the indices of so many elements of `name` along dim.
inline void CheckIndices(const char *name, int64_t length, DType indices) {
  constexpr int64_t kMost = int64_t{1} << 31;
  if (indices != DType::kInt32 || length <= kMost) return;
  throw std::invalid_argument(std::string(name) + ": expected at most " + std::to_string(kMost) +
                              " elements along dim for indices of int32, got " + std::to_string(length));
}

// Lines that are neighbours. Line j of a block starts at element offsets[t] + j * steps[t] of tensor t.
template <size_t N>
struct LineBlock {
  std::array<int64_t, N> offsets{}, steps{};
  int64_t lines = 1;
  bool side_by_side = false;  // two lines are nearer to each other than two elements of a line
};

// Calls body(block) for all lines along `axis`. A block has fewer than 2 * `widest` lines where they lie side
// by side. All tensors have the shape of the first one, and its strides say which lines are neighbours.
template <size_t N, typename Body>
void ForLines(const std::array<const Tensor *, N> &tensors, int64_t axis, int64_t widest,
              const ParallelFor &parallel_for, const Body &body) {
  struct Dimension {
    int64_t extent;
    std::array<int64_t, N> strides;
    // In a broadcast dimension all lines are the same line, which is nobody's neighbour.
    int64_t distance() const {
      return strides[0] == 0 ? std::numeric_limits<int64_t>::max() : std::abs(strides[0]);
    }
  };
  const Tensor &in = *tensors[0];
  if (in.numel() == 0) return;
  std::vector<Dimension> others;
  for (int64_t d = 0; d < in.rank(); ++d) {
    if (d == axis || in.shape[d] == 1) continue;
    others.push_back({in.shape[d], {}});
    for (size_t t = 0; t < N; ++t) others.back().strides[t] = tensors[t]->strides[d];
  }
  std::sort(others.begin(), others.end(),
            [](const Dimension &a, const Dimension &b) { return a.distance() < b.distance(); });
  // Two dimensions that are contiguous to each other in all tensors become one.
  std::vector<Dimension> dimensions(1, {1, {}});
  for (const Dimension &next : others) {
    Dimension &last = dimensions.back();
    bool follows = true;
    for (size_t t = 0; t < N; ++t) follows &= next.strides[t] == last.strides[t] * last.extent;
    if (last.extent == 1) {
      last = next;
    } else if (follows) {
      last.extent *= next.extent;
    } else {
      dimensions.push_back(next);
    }
  }

  const Dimension &beside = dimensions[0];
  const int64_t length = in.rank() == 0 ? 1 : in.shape[axis], across = beside.extent;
  LineBlock<N> block;
  block.side_by_side = across > 1 && length > 1 && beside.distance() < std::abs(in.strides[axis]);
  block.lines = std::min(across, block.side_by_side ? widest : GrainOf(length));
  block.steps = beside.strides;
  // Where lines lie side by side, the last block takes a remainder of fewer lines than a block, too, because
  // these may be fewer than a vector has lanes.
  const int64_t blocks = block.side_by_side ? across / block.lines : (across + block.lines - 1) / block.lines;
  int64_t items = blocks;
  for (size_t d = 1; d < dimensions.size(); ++d) items *= dimensions[d].extent;
  parallel_for(items, GrainOf(length * block.lines), [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const int64_t first = item % blocks * block.lines;
      int64_t outer = item / blocks;
      LineBlock<N> own = block;
      own.lines = item % blocks == blocks - 1 ? across - first : block.lines;
      for (size_t t = 0; t < N; ++t) own.offsets[t] = first * beside.strides[t];
      for (size_t d = 1; d < dimensions.size(); ++d) {
        const int64_t index = outer % dimensions[d].extent;
        outer /= dimensions[d].extent;
        for (size_t t = 0; t < N; ++t) own.offsets[t] += index * dimensions[d].strides[t];
      }
      body(own);
    }
  });
}

}  // namespace avo
