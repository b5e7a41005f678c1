// SPDX-License-Identifier: Apache-2.0
// Transpositions, and data blocks that are spread over lanes.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
