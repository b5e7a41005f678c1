// SPDX-License-Identifier: Apache-2.0
// Directional scans along one axis of tensors of any strides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "op_cpu/common/element.h"
#include "op_cpu/common/parallel.h"
#include "op_host/common/tensor.h"

namespace avo {

constexpr int64_t kLineBlock = 64;  // lines that are walked side by side

// Calls body(offsets, steps, count, length) for blocks of neighbouring lines along `axis`: line j of a block
// starts at offsets[t] + j * steps[t] in tensor t. Lines of a block are walked side by side where neighbours
// lie closer in memory than the elements of a line.
template <size_t N, typename Body>
void ForLines(const std::array<const Tensor *, N> &tensors, int64_t axis, const ParallelFor &parallel_for,
              const Body &body) {
  constexpr int64_t kGrainElements = 16384;  // below this many a thread costs more than it computes
  const Tensor &in = *tensors[0];
  const int64_t rank = in.rank();
  // The neighbour direction is the last other axis.
  int64_t beside = rank - 1 == axis ? rank - 2 : rank - 1;
  const int64_t length = rank == 0 ? 1 : in.shape[axis];
  const int64_t across = beside < 0 ? 1 : in.shape[beside];
  const bool side_by_side = beside >= 0 && std::abs(in.strides[beside]) < std::abs(in.strides[axis]);
  const int64_t block = side_by_side ? std::min(across, kLineBlock) : 1;
  const int64_t blocks = (across + block - 1) / block;
  int64_t others = 1;
  for (int64_t d = 0; d < rank; ++d) others *= d == axis || d == beside ? 1 : in.shape[d];

  parallel_for(others * blocks, std::max<int64_t>(1, kGrainElements / std::max<int64_t>(1, length * block)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   const int64_t first = item % blocks * block;
                   std::array<int64_t, N> offsets{}, steps{};
                   int64_t rest = item / blocks;
                   for (int64_t d = rank - 1; d >= 0; --d) {
                     const bool other = d != axis && d != beside;
                     const int64_t index = other ? rest % in.shape[d] : d == beside ? first : 0;
                     if (other) rest /= in.shape[d];
                     for (size_t t = 0; t < N; ++t) offsets[t] += index * tensors[t]->strides[d];
                   }
                   for (size_t t = 0; t < N; ++t) steps[t] = beside < 0 ? 0 : tensors[t]->strides[beside];
                   body(offsets, steps, std::min(block, across - first), length);
                 }
               });
}

// The best value so far along `axis`, and its index where `indices` is not null. An element takes the lead
// where it is NaN or not_worse(element, best); so ties go to the latest, and NaN stays until the next NaN.
template <typename T, typename I, typename NotWorse>
void ScanBest(const Tensor &in, const Tensor &out, const Tensor *indices, int64_t axis, bool reverse,
              const ParallelFor &parallel_for, const NotWorse &not_worse) {
  using Key = Compute<T>;
  const auto body = [&](const auto &offsets, const auto &steps, int64_t lines, int64_t length) {
    const T *from = static_cast<const T *>(in.data) + offsets[0];
    T *to = static_cast<T *>(out.data) + offsets[1];
    const auto stride = [axis](const Tensor &tensor) {
      return tensor.rank() == 0 ? 0 : tensor.strides[axis];
    };
    Key best[kLineBlock];
    T value[kLineBlock];
    I at[kLineBlock] = {};
    for (int64_t k = 0; k < length; ++k) {
      const int64_t i = reverse ? length - 1 - k : k;
      const T *element = from + i * stride(in);
      T *result = to + i * stride(out);
      for (int64_t j = 0; j < lines; ++j) {
        const T candidate = element[j * steps[0]];
        const Key key = Widen(candidate);
        const bool leads = k == 0 || key != key || not_worse(key, best[j]);
        best[j] = leads ? key : best[j];
        value[j] = leads ? candidate : value[j];
        at[j] = leads ? static_cast<I>(i) : at[j];
        result[j * steps[1]] = value[j];
      }
      if (indices != nullptr) {
        I *index = static_cast<I *>(indices->data) + offsets[2] + i * stride(*indices);
        for (int64_t j = 0; j < lines; ++j) index[j * steps[2]] = at[j];
      }
    }
  };
  // Without indices the third tensor is never touched.
  ForLines<3>({&in, &out, indices != nullptr ? indices : &out}, axis, parallel_for, body);
}

// ScanBest of every dtype, with indices of int64 or int32; dim in [-rank, rank).
template <typename NotWorse>
void ScanWithIndices(const Tensor &in, const Tensor &out, const Tensor &indices, int64_t dim,
                     const ParallelFor &parallel_for, const NotWorse &not_worse) {
  const int64_t axis = dim < 0 ? dim + std::max<int64_t>(in.rank(), 1) : dim;
  DispatchElement(in.dtype, [&](auto element) {
    using T = decltype(element);
    if (indices.dtype == DType::kInt32) {
      ScanBest<T, int32_t>(in, out, &indices, axis, false, parallel_for, not_worse);
    } else {
      ScanBest<T, int64_t>(in, out, &indices, axis, false, parallel_for, not_worse);
    }
  });
}

}  // namespace avo
