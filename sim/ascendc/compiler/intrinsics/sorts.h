// SPDX-License-Identifier: Apache-2.0
// Sorts of pairs (score, index) of 8 bytes, the largest score first.
#pragma once

#include "../element_types.h"
#include "../enumerations.h"
#include "../keywords.h"

// Sorts each of `repeat` groups of 32 scores with their indices.
template <typename T>
void vbitsort(__ubuf__ T *dst, __ubuf__ T *scores, __ubuf__ uint32_t *indices, uint64_t repeat);

// Merges up to four sorted lists. `lengths` has 16 bits for each list. `config`: repeats in bits 0 to 7, the
// lists that take part in 8 to 11, and in 12 whether to stop when one of them is used up. get_vms4_sr tells
// how many pairs each gave.
template <typename T>
void vmrgsort4(__ubuf__ T *dst, __ubuf__ T **lists, uint64_t lengths, uint64_t config);
// The same with each of them in words of its own.
template <typename T>
void vmrgsort4(__ubuf__ T *dst, __ubuf__ T **lists, uint8_t repeat, uint16_t length0, uint16_t length1,
               uint16_t length2, uint16_t length3, bool stopsEarly, uint8_t taken) {
  const uint64_t lengths =
      uint64_t{length0} | uint64_t{length1} << 16 | uint64_t{length2} << 32 | uint64_t{length3} << 48;
  vmrgsort4(dst, lists, lengths, uint64_t{repeat} | uint64_t{taken} << 8 | uint64_t{stopsEarly} << 12);
}
