// SPDX-License-Identifier: Apache-2.0
// What the calls of intrinsics have in common. The numbers of a case are: low and high word of the mask,
// repeat, and the strides in the order of the intrinsic's parameters.
#pragma once

#include "call.h"
#include "compiler/intrinsics.h"

template <typename T>
T *Ub(const Case &c, size_t buffer) {
  return reinterpret_cast<T *>(c.buffers.at(buffer).address);
}

// Form 2: counting mode, the low word is the count. Form 1: bits of lanes.
inline void SetMasks(const Case &c) {
  if (c.form == 2) {
    set_mask_count();
  } else {
    set_mask_norm();
  }
  set_vector_mask(c.Int(1), c.Int(0));
}

// repeat and the strides of two or three operands: all block strides, then all repeat strides.
#define STRIDES2 c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6)
#define STRIDES3 c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6), c.Int(7), c.Int(8)
