// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace avo {

// The last position of an axis of `extent` elements as a float, which is not beyond it where it is rounded.
inline float LastPosition(int64_t extent) {
  const auto last = static_cast<float>(extent - 1);
  return static_cast<int64_t>(last) > extent - 1 ? std::nextafter(last, 0.0f) : last;
}

}  // namespace avo
