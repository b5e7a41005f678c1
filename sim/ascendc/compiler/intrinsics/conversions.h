// SPDX-License-Identifier: Apache-2.0
// Conversions between element types.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
