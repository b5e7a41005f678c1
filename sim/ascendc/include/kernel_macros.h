// SPDX-License-Identifier: Apache-2.0
// The keywords that AscendC adds to C++, as far as a host compiler needs them.
#pragma once

#include <cstdint>

#define __aicore__
#define __gm__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#ifndef SIM_PROGRAM  // the translation of a program reads these words and removes them
#define __ubuf__
#define __global__
#define __cube__
#define __vector__
#define __mix__(...)
#endif
#define __BLOCK_LOCAL__ thread_local
#define __WORKGROUP_LOCAL__ thread_local
#define __kfc_workspace__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
#define __host__
#define __inout_pipe__(...)
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __simd_callee__
#define __simd_vf__

#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

// This is a macro, as on the device. So only the first of `GM_ADDR a, b;` is an address.
#define GM_ADDR __gm__ uint8_t *
