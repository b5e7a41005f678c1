// SPDX-License-Identifier: Apache-2.0
// Makes the launch that copies one strided view of device memory to another one of the same shape.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/launch.h"

namespace sim::opbase {

// Strides count elements. Those of the source may be 0; those of the destination only in dimensions of one
// element. The arguments of the kernel are the addresses of the first elements of both views, the source
// first.
runtime::Status PlanStridedCopy(const std::vector<int64_t> &shape, const std::vector<int64_t> &src_strides,
                                const std::vector<int64_t> &dst_strides, uint64_t item_bytes,
                                runtime::KernelLaunch *launch);

}  // namespace sim::opbase
