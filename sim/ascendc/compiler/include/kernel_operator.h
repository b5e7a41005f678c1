// SPDX-License-Identifier: Apache-2.0
// CANN's kernel_operator.h, and after it what CANN's build scripts put before the source of a kernel: tiling
// data, tiling keys and kernel types.
#pragma once

#if __has_include("impl/utils/debug/asc_aicore_dump_impl.h")
// Its overloads of asc_dump differ only in the memory that a pointer leads to. g++ has one kind of pointer,
// so that each gets a name of its own.
#define SIM_JOIN(a, b) a##b
#define SIM_NAME(a, b) SIM_JOIN(a, b)
#define asc_dump SIM_NAME(asc_dump_, __COUNTER__)
#include "impl/utils/debug/asc_aicore_dump_impl.h"
#undef asc_dump
#undef SIM_NAME
#undef SIM_JOIN
// A failed assertion of a kernel is one of the C library, whose function has the same name and parameters.
#define __assert_fail assert_fail_of_device
#include "impl/utils/debug/asc_aicore_assert_impl.h"
#undef __assert_fail
// Assembler text of these headers moves a special register, the counter of cycles, into a variable that holds
// 0. For the host the register is one that may take 0 and has no meaning, and the variable keeps its 0.
asm(".set SYS_CNT, %es");
#endif

#include_next <kernel_operator.h>

#undef inline  // CANN defines it: the standard library could not be included after it

#include "../kernel_scope.h"
