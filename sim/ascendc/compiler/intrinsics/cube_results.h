// SPDX-License-Identifier: Apache-2.0
// Fixpipe: copies results out of L0C, converted or quantised.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// Copies NSize columns of MSize rows. srcStride counts rows of 16 values, dstStride 32 bytes, or elements
// with NZ2ND_EN.
#define SIM_RESULTS(name, to)                                                                                \
  template <typename T, typename U>                                                                          \
  void name(to T *dst, __cc__ U *src, uint8_t sid, uint16_t NSize, uint16_t MSize, uint32_t dstStride_dst_D, \
            uint16_t srcStride, uint8_t UnitFlagMode, QuantMode_t QuantPRE, uint8_t ReLUPRE,                 \
            bool channelSplit, bool NZ2ND_EN);
SIM_RESULTS(copy_matrix_cc_to_gm, __gm__)
SIM_RESULTS(copy_matrix_cc_to_cbuf, __cbuf__)
#undef SIM_RESULTS

// For NZ2ND_EN: number of matrices in bits 0 to 15, strides of source and destination in 16 to 31 and 32
// to 47.
void set_nd_para(uint64_t word);
// The word by which values of all columns are quantised (include/sim/fixpipe_quant.h).
void set_quant_pre(uint64_t word);
// Bits 8 to 15: where the words of columns lie, in 128 bytes. Bit 63: makes all unit flags 0.
void set_fpc(uint64_t word);
