// SPDX-License-Identifier: Apache-2.0
// The product of L0A and L0B: C (m x n) += A (m x k) times B (k x n).
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// C starts from zero with cmatrixInitVal, else from the bias table with cmatrixSource, else from what it
// holds.
template <typename C, typename A, typename B>
void mad(__cc__ C *c, __ca__ A *a, __cb__ B *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,
         bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal);
// `bias`: where in the bias table.
template <typename C, typename A, typename B>
void mad(__cc__ C *c, __ca__ A *a, __cb__ B *b, uint64_t bias, uint16_t m, uint16_t k, uint16_t n,
         uint8_t unitFlag, bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal);

// The same for int4b_t, of which two lie in a byte.
void mad_s4(__cc__ int32_t *c, __ca__ void *a, __cb__ void *b, uint16_t m, uint16_t k, uint16_t n,
            uint8_t unitFlag, bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal);
// The forms that the C interface of 9.x calls: offsets of features and weights are those of other devices.
template <typename C, typename A, typename B>
void mad(__cc__ C *c, __ca__ A *a, __cb__ B *b, uint16_t m, uint16_t k, uint16_t n, uint8_t, uint8_t,
         uint8_t unitFlag, bool kDirectionAlign, bool, bool cmatrixSource, bool cmatrixInitVal) {
  mad(c, a, b, m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal);
}
inline void mad_s4(__cc__ int32_t *c, __ca__ void *a, __cb__ void *b, uint16_t m, uint16_t k, uint16_t n,
                   uint8_t, uint8_t, uint8_t unitFlag, bool kDirectionAlign, bool, bool cmatrixSource,
                   bool cmatrixInitVal) {
  mad_s4(c, a, b, m, k, n, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal);
}
// B holds two of four values along k, which the index of load_cbuf_to_cb_sp places.
void mad_sp(__cc__ int32_t *c, __ca__ int8_t *a, __cb__ int8_t *b, uint16_t m, uint16_t k, uint16_t n,
            uint8_t unitFlag, bool cmatrixSource, bool cmatrixInitVal);
