// SPDX-License-Identifier: Apache-2.0
// The cube unit: fractals into L0A and L0B, products in L0C, and their way out.
#pragma once

#include "cube_copies.h"
#include "cube_fills.h"
#include "cube_images.h"
#include "cube_loads.h"
#include "cube_products.h"
#include "cube_results.h"
