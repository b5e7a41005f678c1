// SPDX-License-Identifier: Apache-2.0
// The order in which non-maximum suppression visits boxes: by descending score.
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

// Returns a number that ascends where scores descend. NaN has the smallest; zeros of both signs have the
// same.
inline uint32_t Rank(float score) {
  if (std::isnan(score)) return 0;
  const uint32_t bits = BitCast<uint32_t>(score + 0.0f);
  return (bits >> 31) != 0 ? bits : 0x7fffffffu - bits;
}

// Returns the indices of the boxes to visit, in order; of equal scores the lowest index comes first. Where
// score_threshold is above 0, boxes whose score is not above it are left out.
//
// A key has the rank in its upper half and the index in its lower half. Many keys are sorted digit by digit,
// which takes a third of the time of comparisons. Few keys are sorted by comparisons, since the table of
// digits costs more than they do: a whole call is 1.7 times as fast for 10 boxes and 1.3 times for 100.
template <typename T>
std::vector<int32_t> ByScore(const Tensor &scores, double score_threshold) {
  constexpr int64_t kFew = 200;
  constexpr int kBits = 11, kDigits = 3;  // of a digit; digits of a rank
  constexpr uint64_t kMask = (1 << kBits) - 1;
  const auto digit_of = [](uint64_t key, int digit) { return key >> (32 + digit * kBits) & kMask; };
  const auto least = static_cast<float>(score_threshold);
  const bool all = !(score_threshold > 0);
  const int64_t most = scores.shape[0];
  const std::unique_ptr<uint64_t[]> memory(new uint64_t[2 * most]);  // make_unique would clear it
  uint64_t *keys = memory.get(), *other = keys + most;
  int64_t count = 0;
  for (int64_t i = 0; i < most; ++i) {
    const float score = ToFloat(static_cast<const T *>(scores.data)[i * scores.strides[0]]);
    if (!all && !(score > least)) continue;
    keys[count++] = static_cast<uint64_t>(Rank(score)) << 32 | static_cast<uint64_t>(i);
  }
  if (count <= kFew) {
    std::sort(keys, keys + count);
    return {keys, keys + count};  // the conversion to int32 keeps the lower half, the index
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
