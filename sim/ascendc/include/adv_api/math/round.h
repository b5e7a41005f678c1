// SPDX-License-Identifier: Apache-2.0
// Rounds to an integral value, to the nearest, ties to even.
#pragma once

#include "sim_rounding.h"

SIM_ROUNDING(Round, CAST_RINT)
