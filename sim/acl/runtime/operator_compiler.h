// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl_base_rt.h"

namespace sim::runtime {

// Keeps the names in a warning of torch_npu's, such as
// "[PTA]:aclnnHistc or aclnnHistcGetWorkspaceSize not in libopapi.so, … Will call acl_op::histc(self, bins)".
void NoteMissingFunction(const std::string &warning);

// Refuses an operator of the calling thread, if it has described tensors for the operator compiler.
aclError RefuseOperatorCompiler(const char *call);

}  // namespace sim::runtime
