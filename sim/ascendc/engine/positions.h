// SPDX-License-Identifier: Apache-2.0
// Which memory a position of AscendC stands for.
#pragma once

#include "instruction.h"

namespace sim {

// The memory behind a logical position. P: the TPosition of this API, or of CANN's headers.
template <typename P>
constexpr Space SpaceOf(P position) {
  switch (position) {
    case P::GM:
    case P::CO2:
      return Space::GM;
    case P::A1:
    case P::B1:
    case P::C1:
    case P::SPM:
    case P::TSCM:
      return Space::L1;
    case P::A2:
      return Space::L0A;
    case P::B2:
      return Space::L0B;
    case P::C2:
      return Space::BT;
    case P::CO1:
      return Space::L0C;
    case P::C2PIPE2GM:
      return Space::FB;
    default:
      return Space::UB;
  }
}

}  // namespace sim
