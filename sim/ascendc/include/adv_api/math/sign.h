// SPDX-License-Identifier: Apache-2.0
// -1, 0 or 1 by the sign of each element; 0 for a NaN, as the documentation's example has it.
#pragma once

#include "../sim_stage.h"

SIM_LANE_FUNCTION(Sign, 0, [](const Stage &v, const Floats &y, const Parts &, const Floats &x) {
  v.Sign(y, x);
  const auto whole = y.ReinterpretCast<int32_t>();
  v.Convert(whole, y, RoundMode::CAST_RINT);  // a NaN becomes 0
  v.Convert(y, whole, RoundMode::CAST_NONE);
})
