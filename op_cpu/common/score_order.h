// SPDX-License-Identifier: Apache-2.0
// The order in which boxes are visited: by descending score.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "op_cpu/common/element.h"
#include "op_host/common/tensor.h"

namespace avo {

// Ascending where scores descend: NaN first, zeros of both signs equal.
inline uint32_t Rank(float score) {
  if (std::isnan(score)) return 0;
  const uint32_t bits = BitCast<uint32_t>(score + 0.0f);
  return (bits >> 31) != 0 ? bits : 0x7fffffffu - bits;
}

// Sorts by the upper 32 bits, equal ones as they come. Digit by digit: a third of what comparisons take.
inline void SortByHighHalf(std::vector<uint64_t> *keys) {
  constexpr int kBits = 11, kDigits = 3;
  constexpr uint64_t kMask = (1 << kBits) - 1;
  std::array<std::array<uint32_t, 1 << kBits>, kDigits> starts{};
  for (const uint64_t key : *keys) {
    for (int digit = 0; digit < kDigits; ++digit) ++starts[digit][key >> (32 + digit * kBits) & kMask];
  }
  std::vector<uint64_t> other(keys->size());
  for (int digit = 0; digit < kDigits; ++digit) {
    uint32_t before = 0;
    for (uint32_t &count : starts[digit]) before += std::exchange(count, before);
    for (const uint64_t key : *keys) other[starts[digit][key >> (32 + digit * kBits) & kMask]++] = key;
    keys->swap(other);
  }
}

// Indices of the boxes to visit, in order: keys of rank and index, which all differ.
template <typename T>
std::vector<uint64_t> ByScore(const Tensor &scores, double score_threshold) {
  const float least = static_cast<float>(score_threshold);
  std::vector<uint64_t> keys;
  keys.reserve(scores.shape[0]);
  for (int64_t i = 0; i < scores.shape[0]; ++i) {
    const float score = ToFloat(static_cast<const T *>(scores.data)[i * scores.strides[0]]);
    if (score_threshold > 0 && !(score > least)) continue;
    keys.push_back(static_cast<uint64_t>(Rank(score)) << 32 | static_cast<uint64_t>(i));
  }
  SortByHighHalf(&keys);
  for (uint64_t &key : keys) key &= 0xffffffffu;
  return keys;
}

}  // namespace avo
