// SPDX-License-Identifier: Apache-2.0
// What cases share that run with the least work memory which the host functions name. CANN's headers take
// more of a tiling than the shape, so that these cases are those of the hand-written API.
#pragma once

#include "adv_cases.h"

#ifndef SIM_CANN_HEADERS
#include "tiling/tiling_api.h"

// So many bytes at the beginning of the last buffer; int 7, where there is one, is another number of bytes.
inline AscendC::LocalTensor<uint8_t> LeastWork(const Case &c, uint32_t least) {
  const auto bytes = c.Int(7) > 0 ? static_cast<uint32_t>(c.Int(7)) : least;
  return LocalAt<uint8_t>(AscendC::TPosition::VECCALC, static_cast<uint32_t>(c.buffers.back().address),
                          bytes);
}
inline uint32_t Size(const Case &c, size_t i) { return static_cast<uint32_t>(c.Int(i)); }
#endif
