// SPDX-License-Identifier: Apache-2.0
// Element-wise reductions.
#pragma once

#include <cstddef>

#include "hccl/hccl_types.h"

namespace sim::hccl {

// Says whether values of a type can be reduced. 8-bit floats and int128 can only be moved.
bool Reducible(HcclDataType type);

// into[i] = into[i] op from[i]. Each result is rounded to the type, integers wrap around, and the maximum and
// the minimum of a NaN and a number are NaN.
void Reduce(HcclDataType type, HcclReduceOp op, void *into, const void *from, size_t count);

}  // namespace sim::hccl
