// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "running_scan_tiling.h"

using CornerPoolTiling = avo::RunningScanTiling;
