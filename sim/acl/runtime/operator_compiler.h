// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl_base_rt.h"

namespace sim::runtime {

// Keeps the names in a warning of torch_npu's, such as
// "[PTA]:aclnnHistc or aclnnHistcGetWorkspaceSize not in libopapi.so, … Will call acl_op::histc(self, bins)".
void NoteMissingFunction(const std::string &warning);

// Ends the description of the calling thread's operator. Returns an error if no operator of the device fits
// it.
aclError FindDescribedOperator(const char *call);

}  // namespace sim::runtime
