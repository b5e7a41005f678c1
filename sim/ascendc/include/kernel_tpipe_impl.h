// SPDX-License-Identifier: Apache-2.0
// A name by which kernels include the API.
#pragma once

#include "kernel_operator.h"
