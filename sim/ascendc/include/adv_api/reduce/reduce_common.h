// SPDX-License-Identifier: Apache-2.0
// Which axes are reduced, R, and which stay, A. On Atlas A2 there are AR, the last axis of a matrix, and RA,
// its first one.
#pragma once

#include "../../kernel_tiling/sim_vector_settings.h"

namespace AscendC::Pattern::Reduce {

struct AR {};
struct RA {};

}  // namespace AscendC::Pattern::Reduce
