// SPDX-License-Identifier: Apache-2.0
// The words that CANN's device compiler adds to C++, for a host compiler.
//
// Clang can tell the memories of a core apart: a pointer into the Unified Buffer has another type than one
// into global memory, and mixing the two is a compile error. g++ has one kind of pointer in C++, so that
// there the words are empty. In both cases a pointer's value is the address that the device would use:
// on-chip memories count from 0.
#pragma once

#define __aicore__
#define __host_aicore__
#define __gm__
#ifdef SIM_ADDRESS_SPACES
#define __ubuf__ __attribute__((address_space(256)))  // clang: counts from GS (scalar_access.h)
#define __cbuf__ __attribute__((address_space(11)))
#define __ca__ __attribute__((address_space(12)))
#define __cb__ __attribute__((address_space(13)))
#define __cc__ __attribute__((address_space(14)))
#define __fbuf__ __attribute__((address_space(15)))
#define __biasbuf__ __attribute__((address_space(16)))
#else
#ifndef SIM_PROGRAM  // as __global__ below
#define __ubuf__
#endif
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#endif
#define __ssbuf__
#ifndef SIM_PROGRAM  // the translation of a program reads these words and removes them
#define __global__
#define __cube__
#define __vector__
#define __mix__(...)
#endif
#define __sync_noalias__
#define __sync_alias__
#define __check_sync_alias__
#define __sync_in__
#define __sync_out__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __kfc_workspace__
#define __host__
#define __VEC_SCOPE__
#define __simd_callee__
#define __simd_vf__
#define __simt_callee__
#define __simt_vf__

// Vector registers and element types that later chips have: headers from 9.0 on name them for every chip.
struct hifloat8_t;
struct vector_bool;
struct vector_align;
struct vector_address;

// What a core has for itself. A core runs on a thread of its own.
#define __BLOCK_LOCAL__ thread_local
#define __WORKGROUP_LOCAL__ thread_local
