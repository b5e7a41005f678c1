// SPDX-License-Identifier: Apache-2.0
// The runs of bytes that an operand touches. Rows that follow each other without a gap are one run; lanes
// that the mask turns off are left out.
#pragma once

#include <cstdint>

#include "byte_map.h"
#include "instruction.h"

namespace sim {

struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;
};

// Returns the smallest range that holds all bytes of an operand, those of lanes that are off too.
inline ByteRange Extent(const Operand &operand) {
  if (operand.rows == 0 || operand.groups == 0 || operand.row_bytes == 0) return {};
  const int64_t rows = (static_cast<int64_t>(operand.rows) - 1) * operand.row_stride;
  const int64_t groups = (static_cast<int64_t>(operand.groups) - 1) * operand.group_stride;
  const auto start = static_cast<int64_t>(operand.address);
  const int64_t low = (rows < 0 ? rows : 0) + (groups < 0 ? groups : 0);
  const int64_t high = (rows > 0 ? rows : 0) + (groups > 0 ? groups : 0);
  return {start + low, start + high + operand.row_bytes};
}

inline uint64_t BytesOf(const Operand &operand) {
  return static_cast<uint64_t>(operand.row_bytes) * operand.rows * operand.groups;
}

// Calls visit(begin, bytes) for each run of a group of which some lanes are off.
template <typename Visit>
void ForEachLaneRun(const Operand &operand, uint64_t group_address, Visit &&visit) {
  const uint32_t width = operand.element_bytes;
  const uint64_t lanes = static_cast<uint64_t>(operand.rows) * operand.row_bytes / width;
  for (uint64_t lane = 0; lane < lanes && lane < 256;) {
    if (((operand.lanes[lane / 64] >> (lane % 64)) & 1U) == 0) {
      ++lane;
      continue;
    }
    const uint64_t row = lane * width / operand.row_bytes;
    const uint64_t first = lane;
    while (lane < lanes && lane < 256 && lane * width / operand.row_bytes == row &&
           ((operand.lanes[lane / 64] >> (lane % 64)) & 1U) != 0) {
      ++lane;
    }
    visit(group_address + static_cast<uint64_t>(static_cast<int64_t>(row) * operand.row_stride) +
              first * width - row * operand.row_bytes,
          (lane - first) * width);
  }
}

// Calls visit(begin, bytes) for each run of elements of a group that the operand's map marks.
template <typename Visit>
void ForEachElementRun(const Operand &operand, uint64_t group_address, Visit &&visit) {
  const uint64_t width = operand.element_bytes;
  const uint64_t count = operand.row_bytes / width;
  for (uint64_t i = FirstBit(true, operand.elements, 0, count); i < count;) {
    const uint64_t run = FirstBit(false, operand.elements, i, count - i);
    visit(group_address + i * width, run * width);
    i += run;
    i += FirstBit(true, operand.elements, i, count - i);
  }
}

inline bool AllLanes(const Operand &operand) {
  if (operand.element_bytes == 0) return true;
  const uint64_t lanes = static_cast<uint64_t>(operand.rows) * operand.row_bytes / operand.element_bytes;
  for (uint64_t lane = 0; lane < lanes && lane < 256; lane += 64) {
    const uint64_t wanted = lanes - lane >= 64 ? ~uint64_t{0} : (uint64_t{1} << (lanes - lane)) - 1;
    if ((operand.lanes[lane / 64] & wanted) != wanted) return false;
  }
  return true;
}

// Calls visit(begin, bytes) for each run of bytes that the operand touches.
template <typename Visit>
void ForEachRun(const Operand &operand, Visit &&visit) {
  if (operand.row_bytes == 0 || operand.rows == 0) return;
  if (operand.elements != nullptr) {
    for (uint32_t group = 0; group < operand.groups; ++group) {
      ForEachElementRun(operand, operand.address + static_cast<uint64_t>(group * operand.group_stride),
                        visit);
    }
    return;
  }
  const bool all_lanes = AllLanes(operand);
  const bool dense_group = operand.rows == 1 || operand.row_stride == operand.row_bytes;
  const uint64_t group_bytes = static_cast<uint64_t>(operand.rows) * operand.row_bytes;
  if (all_lanes && dense_group &&
      (operand.groups == 1 || operand.group_stride == static_cast<int64_t>(group_bytes))) {
    visit(operand.address, group_bytes * operand.groups);
    return;
  }
  for (uint32_t group = 0; group < operand.groups; ++group) {
    const uint64_t start = operand.address + static_cast<uint64_t>(group * operand.group_stride);
    if (!all_lanes) {
      ForEachLaneRun(operand, start, visit);
    } else if (dense_group) {
      visit(start, group_bytes);
    } else {
      for (uint32_t row = 0; row < operand.rows; ++row) {
        visit(start + static_cast<uint64_t>(row * operand.row_stride), uint64_t{operand.row_bytes});
      }
    }
  }
}

// The same for those who ask only which bytes are touched: rows or groups that lie on each other are one.
template <typename Visit>
void ForEachPlace(const Operand &operand, Visit &&visit) {
  const bool same_rows = operand.rows > 1 && operand.row_stride == 0 && operand.element_bytes == 0;
  const bool same_groups = operand.groups > 1 && operand.group_stride == 0;
  if (!same_rows && !same_groups) {
    ForEachRun(operand, visit);
    return;
  }
  Operand once = operand;
  if (same_rows) once.rows = 1;
  if (same_groups) once.groups = 1;
  ForEachRun(once, visit);
}

}  // namespace sim
