// SPDX-License-Identifier: Apache-2.0
// The sine of |x| <= 65504.
#pragma once

#include "sim_angle.h"

SIM_LANE_FUNCTION(Sin, 2, [](const auto &...a) { SineOfShifted(a..., 0); })
