// SPDX-License-Identifier: Apache-2.0
// Planes of any strides as they are computed with. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_WIDEN_PLANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WIDEN_PLANE_INL_H_
#undef AVO_OP_CPU_COMMON_WIDEN_PLANE_INL_H_
#else
#define AVO_OP_CPU_COMMON_WIDEN_PLANE_INL_H_
#endif

#include <cstdint>

#include "op_cpu/common/vectors/partial_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {

// Converts a plane of (rows, columns), whose rows and columns lie `row` and `column` elements apart, to a
// run.
template <typename T>
void WidenPlane(const T *from, int64_t row, int64_t column, int64_t rows, int64_t columns, Compute<T> *to) {
  if (row == columns * column) {
    columns *= rows;
    rows = 1;
  }
  for (int64_t y = 0; y < rows; ++y, from += row, to += columns) {
    if (column == 1) {
      ConvertLine(from, columns, to);
    } else {
      for (int64_t x = 0; x < columns; ++x) to[x] = Widen(from[x * column]);
    }
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
