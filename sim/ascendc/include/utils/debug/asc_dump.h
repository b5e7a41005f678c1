// SPDX-License-Identifier: Apache-2.0
// Dumps of memory by address. A pointer does not say here which memory it leads to, so that asc_dump, whose
// overloads differ in that alone, is not there.
#pragma once

#include "../../kernel_operator.h"
#include "../../sim/asc_dump.h"

using sim::asc_dump_cbuf;
using sim::asc_dump_gm;
using sim::asc_dump_l1buf;
using sim::asc_dump_ubuf;
