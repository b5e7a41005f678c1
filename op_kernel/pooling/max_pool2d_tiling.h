// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pool_tiling.h"

using MaxPool2dTiling = avo::PoolTiling;
