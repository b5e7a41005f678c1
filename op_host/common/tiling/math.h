// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace avo {

template <typename T>
constexpr T CeilDiv(T a, T b) {
  return (a + b - 1) / b;
}

template <typename T>
constexpr T AlignUp(T a, T b) {
  return CeilDiv(a, b) * b;
}

template <typename T>
constexpr T AlignDown(T a, T b) {
  return a / b * b;
}

}  // namespace avo
