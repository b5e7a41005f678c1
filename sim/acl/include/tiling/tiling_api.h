// SPDX-License-Identifier: Apache-2.0
// The tiling API of the high-level functions: what host code asks about tilings and temporary tensors.
#pragma once

// Host code of samples expects these of it.
#include <iostream>
#include <string>
#include <vector>

#include "matmul/matmul_tiling.h"
#include "vector/lane_functions.h"
#include "vector/norm_functions.h"
#include "vector/row_functions.h"
#include "vector/softmax_functions.h"
#include "vector/tensor_functions.h"
