// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "op_cpu/pooling/windows.h"

namespace avo {

// Images, and for each window over them its maximum and the index of that in its plane.
struct IndexedWindows {
  Tensor in, out, indices;
  WindowAxis rows, columns;

  IndexedWindows Merged() const {
    IndexedWindows result = *this;
    MergeImages({&result.in, &result.out, &result.indices});
    return result;
  }

  // Whether each window has an element inside the image.
  bool HaveElements() const { return rows.HaveElements(out.shape[2]) && columns.HaveElements(out.shape[3]); }
  // Whether one of them has.
  bool HasElement(int64_t row, int64_t column) const {
    return rows.FirstTap(row) < rows.EndTap(row) && columns.FirstTap(column) < columns.EndTap(column);
  }
};

}  // namespace avo
