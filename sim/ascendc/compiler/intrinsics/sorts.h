// SPDX-License-Identifier: Apache-2.0
// Sorts of pairs of score and index.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
