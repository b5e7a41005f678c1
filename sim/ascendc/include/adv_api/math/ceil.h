// SPDX-License-Identifier: Apache-2.0
// Rounds to an integral value, upwards.
#pragma once

#include "sim_rounding.h"

SIM_ROUNDING(Ceil, CAST_CEIL)
