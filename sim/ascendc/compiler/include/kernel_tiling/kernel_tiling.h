// SPDX-License-Identifier: Apache-2.0
// CANN's tiling structs, and for the host's tiling API (sim/acl/include/tiling) the lists of their fields.
#pragma once

#include_next "kernel_tiling/kernel_tiling.h"

#include "include/kernel_tiling/sim_cube_tiling_fields.h"
#include "include/kernel_tiling/sim_vector_tiling_fields.h"
