// SPDX-License-Identifier: Apache-2.0
// Cumulative minimum and its indices: memory-bound, without workspace.
//   columns  along any dimension but the last: a step is one minimum of contiguous elements
//   rows     along the last one: rows as lanes, then the same
#pragma once

#include "common/indexed_scan.h"
#include "cummin_tiling.h"

template <typename T, typename I, uint32_t KEY>
class Cummin : public avo::IndexedScan<avo::Smaller, T, I, KEY == 1> {};
