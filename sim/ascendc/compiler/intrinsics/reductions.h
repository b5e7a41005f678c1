// SPDX-License-Identifier: Apache-2.0
// Reductions of repeats, of data blocks and of pairs. The mask registers say which lanes take part.
// srcBlockStride and srcRepeatStride count data blocks of 32 bytes; dstRepeatStride counts the results of a
// repeat.
#pragma once

#include "../element_types.h"
#include "../enumerations.h"
#include "../keywords.h"

// Writes the sum of each repeat. With `total` it adds the sums of all repeats, writes that one element, and
// keeps it for get_acc_val.
template <typename T>
void vcadd(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstRepeatStride,
           uint16_t srcBlockStride, uint16_t srcRepeatStride, bool total);

// Writes the extreme of each repeat, its lane, or both as a pair; keeps those of the last repeat for
// get_max_min_cnt.
#define SIM_EXTREME(name)                                                               \
  template <typename T>                                                                 \
  void name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstRepeatStride, \
            uint16_t srcBlockStride, uint16_t srcRepeatStride, Order_t order);
SIM_EXTREME(vcmax)
SIM_EXTREME(vcmin)
#undef SIM_EXTREME

// A result for each data block (vcg…), or for each pair of neighbours.
#define SIM_REDUCTION(name)                                                             \
  template <typename T>                                                                 \
  void name(__ubuf__ T *dst, __ubuf__ T *src, uint8_t repeat, uint16_t dstRepeatStride, \
            uint16_t srcBlockStride, uint16_t srcRepeatStride);
SIM_REDUCTION(vcgadd)
SIM_REDUCTION(vcgmax)
SIM_REDUCTION(vcgmin)
SIM_REDUCTION(vcpadd)
#undef SIM_REDUCTION
