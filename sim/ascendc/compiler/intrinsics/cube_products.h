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
