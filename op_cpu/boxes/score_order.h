// SPDX-License-Identifier: Apache-2.0
// The order in which boxes are visited: by descending score.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "op_cpu/common/tensors/element.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

// Ascending where scores descend: NaN first, zeros of both signs equal.
inline uint32_t Rank(float score) {
  if (std::isnan(score)) return 0;
  const uint32_t bits = BitCast<uint32_t>(score + 0.0f);
  return (bits >> 31) != 0 ? bits : 0x7fffffffu - bits;
}

// Indices of the boxes to visit, in order; of equal scores the first comes first. Ranks of many are sorted
// digit by digit, a third of the time that comparisons take; of few, which fill a table of digits thinly, by
// comparisons: 1.7 x for a whole call of 10 boxes, 1.3 x for 100.
template <typename T>
std::vector<int32_t> ByScore(const Tensor &scores, double score_threshold) {
  constexpr int64_t kFew = 200;
  constexpr int kBits = 11, kDigits = 3;
  constexpr uint64_t kMask = (1 << kBits) - 1;
  const auto digit_of = [](uint64_t key, int digit) { return key >> (32 + digit * kBits) & kMask; };
  const auto least = static_cast<float>(score_threshold);
  const bool all = !(score_threshold > 0);
  const int64_t most = scores.shape[0];
  const std::unique_ptr<uint64_t[]> memory(new uint64_t[2 * most]);  // not cleared
  uint64_t *keys = memory.get(), *other = keys + most;
  int64_t count = 0;
  for (int64_t i = 0; i < most; ++i) {
    const float score = ToFloat(static_cast<const T *>(scores.data)[i * scores.strides[0]]);
    if (!all && !(score > least)) continue;
    keys[count++] = static_cast<uint64_t>(Rank(score)) << 32 | static_cast<uint64_t>(i);
  }
  if (count <= kFew) {
    std::sort(keys, keys + count);
    return {keys, keys + count};  // indices are the lower halves
  }
  std::array<std::array<uint32_t, 1 << kBits>, kDigits> starts{};
  for (int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 3
    for (int digit = 0; digit < kDigits; ++digit) ++starts[digit][digit_of(keys[i], digit)];
  }
  std::vector<int32_t> order(count);
#pragma GCC unroll 3
  for (int digit = 0; digit < kDigits; ++digit) {
    uint32_t before = 0;
    for (uint32_t &start : starts[digit]) before += std::exchange(start, before);
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t key = keys[i];
      const uint32_t place = starts[digit][digit_of(key, digit)]++;
      if (digit == kDigits - 1) {
        order[place] = static_cast<int32_t>(key);
      } else {
        other[place] = key;
      }
    }
    std::swap(keys, other);
  }
  return order;
}

}  // namespace avo
