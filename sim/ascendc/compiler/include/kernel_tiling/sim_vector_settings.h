// SPDX-License-Identifier: Apache-2.0
// What host code shares with the high-level API, beside CANN's tiling structs.
#pragma once

#include "include/kernel_tiling/sim_vector_settings.h"
