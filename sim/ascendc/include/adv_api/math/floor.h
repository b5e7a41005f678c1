// SPDX-License-Identifier: Apache-2.0
// Rounds to an integral value, downwards.
#pragma once

#include "sim_rounding.h"

SIM_ROUNDING(Floor, CAST_FLOOR)
