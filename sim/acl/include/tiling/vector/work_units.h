// SPDX-License-Identifier: Apache-2.0
// How much work memory functions of the high-level API take. A unit is as many bytes as the source has, and
// at least 256. The numbers are CANN's, so that a buffer of the documented host functions is large enough
// here; the bodies here must do with one unit of 256 bytes each, and work in pieces of what there is.
#pragma once

#include <cstdint>

namespace sim {

struct WorkUnits {
  uint32_t half_units;
  uint32_t float_units;
  uint32_t reuse_units;  // of float, where the source may be overwritten

  constexpr uint32_t Of(uint32_t element_bytes, bool reuse = false) const {
    return element_bytes == 2 ? half_units : reuse ? reuse_units : float_units;
  }
};

constexpr WorkUnits kAcosUnits{6, 2, 2};
constexpr WorkUnits kAcoshUnits{2, 1, 1};
constexpr WorkUnits kAsinUnits{6, 2, 2};
constexpr WorkUnits kAsinhUnits{3, 3, 3};
constexpr WorkUnits kAtanUnits{12, 5, 5};
constexpr WorkUnits kAtanhUnits{4, 1, 1};
constexpr WorkUnits kAxpyUnits{4, 0, 0};
constexpr WorkUnits kCeilUnits{2, 1, 1};
constexpr WorkUnits kCosUnits{8, 3, 2};
constexpr WorkUnits kCoshUnits{6, 2, 2};
constexpr WorkUnits kDigammaUnits{16, 7, 6};
constexpr WorkUnits kErfUnits{8, 3, 3};
constexpr WorkUnits kErfcUnits{16, 7, 7};
constexpr WorkUnits kExpUnits{8, 3, 2};
constexpr WorkUnits kFloorUnits{2, 1, 1};
constexpr WorkUnits kFmodUnits{8, 1, 1};
constexpr WorkUnits kFracUnits{4, 0, 0};
constexpr WorkUnits kLgammaUnits{26, 8, 7};
constexpr WorkUnits kLogUnits{0, 0, 0};
constexpr WorkUnits kLog10Units{0, 0, 0};
constexpr WorkUnits kLog2Units{2, 0, 0};
constexpr WorkUnits kRoundUnits{1, 1, 1};
constexpr WorkUnits kSignUnits{3, 3, 3};
constexpr WorkUnits kSinUnits{8, 3, 2};
constexpr WorkUnits kSinhUnits{4, 1, 1};
constexpr WorkUnits kTanUnits{10, 4, 4};
constexpr WorkUnits kTanhUnits{4, 1, 1};
constexpr WorkUnits kTruncUnits{2, 1, 1};

constexpr WorkUnits kGeGLUUnits{4, 0, 0};
constexpr WorkUnits kSwiGLUUnits{6, 0, 0};
constexpr WorkUnits kXorUnits{1, 1, 1};

}  // namespace sim
