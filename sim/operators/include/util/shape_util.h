// SPDX-License-Identifier: Apache-2.0
// Shapes that a graph does not know yet, under the names of CANN's op_common.
#pragma once

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace Ops::Base {

// The number of dimensions is not known.
inline void SetUnknownRank(gert::Shape &shape) { shape = {ge::UNKNOWN_DIM_NUM}; }
inline bool IsUnknownRank(const gert::Shape &shape) {
  return shape.GetDimNum() == 1 && shape[0] == ge::UNKNOWN_DIM_NUM;
}
inline void SetUnknownShape(int64_t rank, gert::Shape &shape) {
  shape.SetDimNum(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) shape[static_cast<size_t>(i)] = ge::UNKNOWN_DIM;
}
inline bool IsUnknownShape(const gert::Shape &shape) {
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    if (shape[i] < 0) return true;
  }
  return false;
}

template <typename Rank, typename Axis>
bool CheckAxisBounds(Rank rank, Axis axis) {
  const auto size = static_cast<int64_t>(rank);
  const auto number = static_cast<int64_t>(axis);
  return size == 0 ? number == 0 : number >= -size && number < size;
}

}  // namespace Ops::Base
