// SPDX-License-Identifier: Apache-2.0
// Rounds to an integral value, toward zero.
#pragma once

#include "sim_rounding.h"

SIM_ROUNDING(Trunc, CAST_TRUNC)
