// SPDX-License-Identifier: Apache-2.0
// How the host code of operators reports errors.
#pragma once

#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Makes a text, with a format as for printf, the latest one of aclGetRecentErrMsg on this thread.
ACL_FUNC_VISIBILITY void simReportOpError(int32_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#define OP_LOGE(code, ...) simReportOpError(static_cast<int32_t>(code), __VA_ARGS__)
