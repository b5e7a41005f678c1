// SPDX-License-Identifier: Apache-2.0
// Divisions that tilings need, under the names of CANN's op_common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace Ops::Base {

template <typename T>
constexpr T FloorDiv(T a, T b) {
  return b == 0 ? a : a / b;
}

template <typename T>
constexpr T FloorAlign(T a, T align) {
  return align == 0 ? 0 : a / align * align;
}

// Division by 0 gives the dividend.
template <typename T>
constexpr T CeilDiv(T a, T b) {
  if (b == 0) return a;
  const bool up = a % b != 0 && (a < 0) == (b < 0);
  return static_cast<T>(a / b + (up ? 1 : 0));
}

// The largest value of T where the result does not fit.
template <typename T>
constexpr T CeilAlign(T a, T align) {
  if (align == 0) return 0;
  const T parts = CeilDiv(a, align);
  return parts > std::numeric_limits<T>::max() / align ? std::numeric_limits<T>::max() : parts * align;
}

template <typename T>
bool IsFloatEqual(T a, T b) {
  if (std::isinf(a) || std::isinf(b)) return std::isinf(a) && std::isinf(b) && std::signbit(a) == std::signbit(b);
  return std::fabs(a - b) <= std::numeric_limits<T>::epsilon();
}

}  // namespace Ops::Base
