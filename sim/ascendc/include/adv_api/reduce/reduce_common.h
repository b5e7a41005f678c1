// SPDX-License-Identifier: Apache-2.0
// Which axes are reduced, R, and which stay, A. On Atlas A2 there are AR, the last axis of a matrix, and RA, its
// first one.
#pragma once

#include <cstdint>

namespace AscendC {

// Headers for the host have it too.
#ifndef ASCC_ENUM_REDUCEPATTERN
#define ASCC_ENUM_REDUCEPATTERN
enum class ReducePattern : uint32_t {
  AR = 0,
  RA = 1,
  R,
  ARA,
  ARAR,
  ARARA,
  ARARAR,
  ARARARA,
  ARARARAR,
  ARARARARA,
  RAR,
  RARA,
  RARAR,
  RARARA,
  RARARAR,
  RARARARA,
};
#endif

}  // namespace AscendC

namespace AscendC::Pattern::Reduce {

struct AR {};
struct RA {};

}  // namespace AscendC::Pattern::Reduce
