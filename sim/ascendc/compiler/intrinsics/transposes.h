// SPDX-License-Identifier: Apache-2.0
// Transpositions.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// Sets a register of eight addresses in UB: from an array of the scalar unit, or from the first (L128) or
// last (H128) eight of sixteen addresses in UB.
void set_va_reg_sb(ub_addr8_t registers, uint64_t *addresses);
void vld_va_reg(ub_addr8_t registers, __ubuf__ uint64_t *addresses, vpart_t part);

// Reads 16 data blocks as rows and writes them as columns. `dst` and `src` are the first of the two registers
// that hold the addresses of the 16 blocks. Strides from repeat to repeat count data blocks. Of 8-bit
// elements only one half of each block takes part.
void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                          uint16_t srcStride, bool dstHighHalf, bool srcHighHalf);
void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                           uint16_t srcStride);
void scatter_vnchwconv_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                           uint16_t srcStride);

// Transposes a matrix of 16 x 16.
template <typename T>
void vtranspose(__ubuf__ T *dst, __ubuf__ T *src);
