// SPDX-License-Identifier: Apache-2.0
// The base of every LocalTensor: where it lies, and which buffer it belongs to.
#pragma once

#include <cstdint>

#include "../../engine/positions.h"

namespace AscendC {

// The positions that AscendC gives tensors, by the use it makes of them.
enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX,
};
using QuePosition = TPosition;

}  // namespace AscendC

namespace sim {

struct LocalTensorBase {
  uint64_t address = 0;  // byte offset in `space`
  uint64_t bytes = 0;    // of the view
  Space space = Space::UB;
  AscendC::TPosition position = AscendC::TPosition::VECCALC;
  int32_t buffer_id = -1;  // buffer of a TQue or TBuf, -1: none
  uint32_t generation =
      0;  // of that buffer: FreeTensor starts a new one, after which older tensors are stale
};

}  // namespace sim
