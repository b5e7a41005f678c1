// SPDX-License-Identifier: Apache-2.0
// Sums, maxima and minima of the lanes of a block, a pair or a repeat.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
