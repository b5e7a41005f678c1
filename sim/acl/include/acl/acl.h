// SPDX-License-Identifier: Apache-2.0
// All that an ACL program needs: the runtime, the types of single operators, and captured graphs.
#pragma once

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"
