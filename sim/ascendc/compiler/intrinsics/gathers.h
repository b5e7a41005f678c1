// SPDX-License-Identifier: Apache-2.0
// Gathers, the selection of elements by a mask, and copies of elements within UB. Strides count data blocks
// of 32 bytes.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// Reads the element at base + offsets[lane] for each lane that the mask registers choose; both count bytes.
template <typename T>
void vgather(__ubuf__ T *dst, __ubuf__ uint32_t *offsets, uint32_t base, uint16_t dstRepeatStride,
             uint8_t repeat);
// Reads eight data blocks in a repeat, at base + offsets[block].
template <typename T>
void vgatherb(__ubuf__ T *dst, __ubuf__ uint32_t *offsets, uint32_t base, uint16_t dstRepeatStride,
              uint8_t dstBlockStride, uint8_t repeat);

// Packs the elements that a pattern of 1 to 7 chooses, or with pattern 0 those whose bit in src1 is 1. A
// repeat has 256 bytes, or with set_mask_count as many elements as the mask register says. get_rsvd_cnt tells
// how many were packed.
template <typename T>
void vreducev2(__ubuf__ T *dst, __ubuf__ T *src0, __ubuf__ T *src1, uint16_t repeat, uint8_t src0BlockStride,
               uint8_t pattern, uint16_t src0RepeatStride, uint8_t src1RepeatStride);

// Fills a data block with each element; a repeat has eight.
template <typename T>
void vbrcb(__ubuf__ T *dst, __ubuf__ T *src, uint16_t dstBlockStride, uint16_t dstRepeatStride,
           uint8_t repeat);

// With set_mask_count the mask register counts the elements of one repeat, and `repeat` holds all the same.
template <typename T>
void vcopy(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride,
           uint16_t dstRepeatStride, uint16_t srcRepeatStride);
