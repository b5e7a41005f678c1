// SPDX-License-Identifier: Apache-2.0
// assert and ascendc_assert of kernels.
#pragma once

#include <cassert>

#include "../../kernel_operator.h"
