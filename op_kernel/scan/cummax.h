// SPDX-License-Identifier: Apache-2.0
// Cumulative maximum and its indices. It is bound by memory. scan_layout.h has drawings.
//   columns  along any dimension but the last: a step is one maximum of contiguous elements
//   rows     along the last dimension: rows are transposed to lanes; then a step is the same
//   indexed_rows  the same for whole rows whose indices fit 16 bits, in fewer instructions (indexed_rows.h)
// Few long lines are cut into parts, which are scanned side by side on all cores.
#pragma once

#include "cummax_tiling.h"
#include "indexed_rows.h"
#include "running_scan.h"

template <typename T, typename I, uint32_t KEY>
class Cummax
    : public std::conditional_t<KEY == 2 && sizeof(T) < sizeof(int64_t), avo::IndexedRows<avo::Larger, T, I>,
                                avo::RunningScan<avo::Larger, T, I, KEY != 0>> {};
