// SPDX-License-Identifier: Apache-2.0
// CANN's operator compiler, which is not simulated: how a program learns which operator is missing.
#pragma once

#include "acl/acl_base_rt.h"

// The calling thread describes tensors for the operator compiler. Its next aclSetCompileopt of
// ACL_OP_JIT_COMPILE fails, with a message that names the aclnn function that torch_npu looked for last and
// did not find.
extern "C" ACL_FUNC_VISIBILITY void simExpectOperatorCompiler();
