// SPDX-License-Identifier: Apache-2.0
// How the npu target reports errors: here as messages of the simulated runtime.
#pragma once

#include <cstdio>

#include "sim/op_plan.h"

#define OP_LOGE(code, ...)                               \
  do {                                                   \
    char text_[1024] = {};                               \
    std::snprintf(text_, sizeof(text_), __VA_ARGS__);    \
    sim::ReportError(static_cast<int32_t>(code), text_); \
  } while (false)
