// SPDX-License-Identifier: Apache-2.0
// What stands behind the decimal point: x - trunc(x). For float, which has no work memory, the result may not
// lie at the place of the source.
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Frac, (std::is_same_v<T, half> ? 1 : 0),
                  [](const Stage &v, const Floats &y, const Parts &work, const Floats &x) {
                    const Floats whole = std::is_same_v<T, half> ? work[0] : y;
                    v.Trunc(whole, x);
                    v.Sub(y, x, whole);
                  })
