// SPDX-License-Identifier: Apache-2.0
// The scalar unit: special registers, bits of words, and what a core knows about itself.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

// --- the masks of vector instructions
void set_vector_mask(uint64_t high, uint64_t low);  // bits of lanes, or with set_mask_count `low` elements
void set_mask_norm();
void set_mask_count();

// --- what DataCopy to global memory does with the value that is there
void set_atomic_none();
void set_atomic_add();
void set_atomic_max();
void set_atomic_min();
void set_atomic_f32();
void set_atomic_f16();
void set_atomic_bf16();
void set_atomic_s32();
void set_atomic_s16();
void set_atomic_s8();

// --- other special registers
int64_t get_ctrl();
void set_ctrl(uint64_t value);
void set_mov_pad_val(uint64_t value);
void set_deqscale(half value);      // the factor of vconv_deq
void set_deqscale(uint64_t value);  // what conversions from int16_t to 8 bits read (conversions.h)
// A range of UB whose accesses stop the device: CheckLocalMemoryIA, an aid to find faults. Not watched here.
inline void set_data_exp_0(uint64_t) {}
inline void set_data_exp_1(uint64_t) {}
inline void set_data_exp_2(uint64_t) {}
inline void set_data_exp_3(uint64_t) {}
int64_t get_rsvd_cnt();     // elements that GatherMask kept
int64_t get_acc_val();      // sum of the last reduction
int64_t get_max_min_cnt();  // of the last vcmax or vcmin: the value in bits 0 to 31, its lane above them
int64_t get_vms4_sr();      // elements that MrgSort took of each list

int64_t get_condition_flag();
void set_condition_flag(uint64_t value);
int64_t get_lpcnt();
void set_lpcnt(uint64_t value);
// The atomic operation of the scalar unit's stores: its type in bits 0 to 2, the operation in bits 4 and 5.
int64_t get_st_atomic_cfg();
void set_st_atomic_cfg(uint64_t value);
void set_st_atomic_cfg(atomic_type_t type, atomic_op_t operation);
inline int64_t get_icache_prl_st() { return 0; }  // no instruction is still being loaded
inline int64_t get_status() { return 0; }         // no result overflowed
inline uint64_t get_overflow_status() { return 0; }

// --- conversions of one value
half conv_f322f16o(float value);     // to odd
int64_t conv_f322s32a(float value);  // to the nearest, ties away from zero
int64_t conv_f322s32c(float value);  // up
int64_t conv_f322s32f(float value);  // down
int64_t conv_f322s32r(float value);  // to the nearest, ties to even

// --- accesses to global memory that bypass the data cache. `offset` counts bytes
template <typename T>
uint64_t ld_dev(__gm__ T *src, int16_t offset);
template <typename T>
void st_dev(T value, __gm__ T *dst, int16_t offset);

// --- the core
int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblockdim();
int64_t get_sys_cnt();
inline int64_t get_coreid() { return get_block_idx(); }
// The place behind the call, in the code of the kernel on the host.
[[gnu::noinline]] inline int64_t get_pc() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
[[noreturn]] void trap();
// The addresses of on-chip memories count from 0.
inline uint64_t get_imm(uint64_t offset) { return offset; }
#define block_idx get_block_idx()
#define block_num get_block_num()

// --- bits of a word
inline uint64_t sbitset0(uint64_t word, int64_t bit) { return word & ~(uint64_t{1} << bit); }
inline uint64_t sbitset1(uint64_t word, int64_t bit) { return word | uint64_t{1} << bit; }
inline int64_t sff0(uint64_t word) {
  return ~word == 0 ? -1 : __builtin_ctzll(~word);
}  // the first 0; -1: none
inline int64_t sff1(uint64_t word) { return word == 0 ? -1 : __builtin_ctzll(word); }
inline int64_t bcnt0(uint64_t word) { return 64 - __builtin_popcountll(word); }
inline int64_t bcnt1(uint64_t word) { return __builtin_popcountll(word); }
inline int64_t clz(uint64_t word) { return word == 0 ? 64 : __builtin_clzll(word); }
inline int64_t sflbits(int64_t word) { return word == 0 || word == -1 ? -1 : __builtin_clrsbll(word); }

// --- caches
// Writes lines of the scalar unit's data cache back to `memory` and forgets them. CANN's headers pass
// integers too.
void dcci(uint64_t address, cache_line_t lines, dcci_dst_t memory);
template <typename Address, typename Lines, typename Memory = dcci_dst_t>
inline void dcci(Address *address, Lines lines, Memory memory = CACHELINE_ALL) {
  dcci(reinterpret_cast<uint64_t>(address), static_cast<cache_line_t>(lines),
       static_cast<dcci_dst_t>(memory));
}
// What only takes time: nothing depends on it.
template <typename... Arguments>
inline void dc_preload(Arguments...) {}
template <typename... Arguments>
inline void preload(Arguments...) {}
