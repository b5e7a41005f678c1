// SPDX-License-Identifier: Apache-2.0
// Types and error codes shared by all ACL headers.
#pragma once

#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"
