// SPDX-License-Identifier: Apache-2.0
// Comparisons and selections.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
