// SPDX-License-Identifier: Apache-2.0
// The tiling API of the high-level functions: what host code asks about tilings and temporary tensors.
#pragma once

#include "matmul/matmul_tiling.h"
