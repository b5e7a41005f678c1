// SPDX-License-Identifier: Apache-2.0
// Masks of dropout: a bit for each element in uint8 words, the lowest bit first; 1 keeps the element.
#pragma once

#include <ATen/ATen.h>

namespace sim::builtin {

// The first `count` bits as a tensor [count] of 0 and 1.
inline at::Tensor KeptBits(const at::Tensor &mask, int64_t count) {
  const at::Tensor bits = mask.view({-1, 1}).bitwise_right_shift(at::arange(8, at::kByte)).bitwise_and(1);
  return bits.view(-1).slice(0, 0, count);
}

}  // namespace sim::builtin
