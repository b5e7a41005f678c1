// SPDX-License-Identifier: Apache-2.0
// Everything an ACL program needs: runtime, single-operator types and captured graphs.
#pragma once

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_rt.h"
