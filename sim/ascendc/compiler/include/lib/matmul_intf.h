// SPDX-License-Identifier: Apache-2.0
// CANN's header of Matmul. An installed toolkit links this name to a file that lies elsewhere in CANN's
// sources, and such links are missing where a toolkit was unpacked without them.
#pragma once

// What our kernel_operator.h does before CANN's headers holds where a source includes this header first.
#include <kernel_operator.h>

#if __has_include_next("lib/matmul_intf.h")
#include_next "lib/matmul_intf.h"
#elif __has_include("lib/matmul/matmul_intf.h")
#include "lib/matmul/matmul_intf.h"  // 8.1
#else
#include "matmul/matmul_intf.h"  // 9.x
#endif
