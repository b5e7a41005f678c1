// SPDX-License-Identifier: Apache-2.0
// The cube unit: fractals into L0A and L0B, products in L0C, and their way out.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"
