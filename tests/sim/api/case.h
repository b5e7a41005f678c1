// SPDX-License-Identifier: Apache-2.0
// One call of one API function.
#pragma once

#include "kernel_operator.h"

#include "call.h"
