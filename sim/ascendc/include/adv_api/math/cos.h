// SPDX-License-Identifier: Apache-2.0
// The cosine of |x| <= 65504.
#pragma once

#include "sim_angle.h"

SIM_LANE_FUNCTION(Cos, 2, [](const auto &...a) { SineOfShifted(a..., 0.5F); })
