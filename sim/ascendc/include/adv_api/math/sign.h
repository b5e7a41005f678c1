// SPDX-License-Identifier: Apache-2.0
// -1, 0 or 1 by the sign of each element; a NaN stays one.
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Sign, 0,
                  [](const Stage &v, const Floats &y, const Parts &, const Floats &x) { v.Sign(y, x); })
