// SPDX-License-Identifier: Apache-2.0
// Fills memories of the cube core with one value. `repeat`: repeats in bits 0 to 14, blocks of each in 16 to
// 30, blocks between two of them in 32 to 46. A block has 32 bytes in L1, 512 in L0A and L0B.
#pragma once

#include "../keywords.h"

#define SIM_FILL(name, to)                       \
  template <typename T, typename V>              \
  void name(to T *dst, int64_t repeat, V value); \
  template <typename T>                          \
  void name##_bf16(to T *dst, int64_t repeat, bfloat16_t value);
SIM_FILL(create_cbuf_matrix, __cbuf__)
SIM_FILL(create_ca_matrix, __ca__)
SIM_FILL(create_cb_matrix, __cb__)
#undef SIM_FILL
