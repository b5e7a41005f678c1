// SPDX-License-Identifier: Apache-2.0
// Cumulative maximum and its indices. It is bound by memory. scan_layout.h has drawings.
//   columns  along any dimension but the last: a step is one maximum of contiguous elements
//   rows     along the last dimension: rows are transposed to lanes; then a step is the same
// Few long lines are cut into parts, which are scanned side by side on all cores.
#pragma once

#include "cummax_tiling.h"
#include "running_scan.h"

template <typename T, typename I, uint32_t KEY>
class Cummax : public avo::RunningScan<avo::Larger, T, I, KEY == 1> {};
