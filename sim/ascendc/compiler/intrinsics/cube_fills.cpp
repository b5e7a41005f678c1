// SPDX-License-Identifier: Apache-2.0
#include "../intrinsic.h"

#include "cube_fills.h"

#include "../../include/sim/fill.h"

using namespace sim;

namespace {

template <typename T, typename V>
void Fill(Space space, T *dst, int64_t repeat, V value) {
  const auto word = static_cast<uint64_t>(repeat);
  FillBlocks(Side("dst", OnChip<V>(space, dst)), &value,
             {static_cast<uint16_t>(word & 0x7FFF), static_cast<uint16_t>(word >> 16 & 0x7FFF),
              static_cast<uint16_t>(word >> 32 & 0x7FFF)},
             Unplaced());
}

}  // namespace

#define SIM_FILL(name, space, T, V)            \
  template <>                                  \
  void name(T *dst, int64_t repeat, V value) { \
    Fill(space, dst, repeat, value);           \
  }
#define SIM_FILLS(name, space)              \
  SIM_FILL(name, space, half, half)         \
  SIM_FILL(name, space, int16_t, half)      \
  SIM_FILL(name, space, uint16_t, half)     \
  SIM_FILL(name, space, float, uint32_t)    \
  SIM_FILL(name, space, int32_t, uint32_t)  \
  SIM_FILL(name, space, uint32_t, uint32_t) \
  SIM_FILL(name, space, uint32_t, int)      \
  SIM_FILL(name##_bf16, space, bfloat16_t, bfloat16_t)
SIM_FILLS(create_cbuf_matrix, Space::L1)
SIM_FILLS(create_ca_matrix, Space::L0A)
SIM_FILLS(create_cb_matrix, Space::L0B)
