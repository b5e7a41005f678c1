// SPDX-License-Identifier: Apache-2.0
// The intrinsics of dav_c220 (Atlas A2) that are modelled. Names, parameters and their order are those of
// CANN's device compiler. Pointers into on-chip memories count from 0, pointers into global memory are device
// addresses.
//
// An intrinsic is declared as a template for all element types and defined for those that the hardware has; a
// call with another one does not link.
#pragma once

// include/kernel_builtins.h leaves its names to these headers where they come first.
#define SIM_HAS_INTRINSICS

#include "intrinsics/arithmetic.h"
#include "intrinsics/comparisons.h"
#include "intrinsics/conversions.h"
#include "intrinsics/copies.h"
#include "intrinsics/cube.h"
#include "intrinsics/gathers.h"
#include "intrinsics/reductions.h"
#include "intrinsics/scalar.h"
#include "intrinsics/sorts.h"
#include "intrinsics/synchronisation.h"
#include "intrinsics/transposes.h"
