// SPDX-License-Identifier: Apache-2.0
// Gathers, and the selection of elements by a mask.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
