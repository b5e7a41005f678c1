// SPDX-License-Identifier: Apache-2.0
// What the ways to decide which boxes are kept are planned for.
#pragma once

#include <cstdint>

#include "op_host/boxes/sort_tiling.h"

namespace avo {

constexpr int64_t kBlock = 32;     // bytes of a data block
constexpr int64_t kLanes = 64;     // boxes of a word
constexpr int64_t kGroupRows = 8;  // rows that one repeat of Brcb spreads

// Boxes of a suppression.
struct BoxesProblem {
  int64_t boxes, item;  // item: bytes of a score or corner
  bool classes;
  bool sorts;  // whether the kernel sorts and fetches boxes: there are some, and some are wanted
  int64_t cores;

  SortProblem Sort() const { return {boxes, item}; }
};

}  // namespace avo
