// SPDX-License-Identifier: Apache-2.0
#include "strided_copy.h"

namespace sim::opbase {

runtime::Status PlanStridedCopy(const std::vector<int64_t> &, const std::vector<int64_t> &,
                                const std::vector<int64_t> &, uint64_t, runtime::KernelLaunch *) {
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "views that are not dense are not supported yet"};
}

}  // namespace sim::opbase
