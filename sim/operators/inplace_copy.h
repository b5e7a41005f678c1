// SPDX-License-Identifier: Apache-2.0
// The one built-in operator of CANN's that custom operators call: it copies a tensor to a view.
#pragma once

#include <cstdint>

#include "aclnn/acl_meta.h"

namespace sim::operators {

// The first phase of a copy of `source` to `self`, which has the same shape and dtype. It asks for
// `workspace_bytes`, as CANN's may; RunPlan is the second phase.
aclnnStatus PlanInplaceCopy(aclTensor *self, const aclTensor *source, uint64_t workspace_bytes,
                            uint64_t *workspace_size, aclOpExecutor **executor);

}  // namespace sim::operators
