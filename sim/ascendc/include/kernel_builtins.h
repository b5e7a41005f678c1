// SPDX-License-Identifier: Apache-2.0
// What the device compiler has built in: flags and barriers, bits of words, and facts about the core. These
// names lie outside of every namespace. Functions without a body here are those of compiler/intrinsics.
#pragma once

#include <assert.h>

#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_scalar_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "sim/c_library.h"  // after half

#ifndef SIM_HAS_INTRINSICS

// --- flags and barriers between pipes
inline void pipe_barrier(pipe_t pipe, sim::Where where = sim::Where::Here()) {
  sim::PassBarrier(pipe, where);
}
template <typename Id>
inline void set_flag(pipe_t from, pipe_t to, Id id, sim::Where where = sim::Where::Here()) {
  sim::Core::Current().SetFlag(sim::PipeOf(from), sim::PipeOf(to), static_cast<int32_t>(id), where);
}
template <typename Id>
inline void wait_flag(pipe_t from, pipe_t to, Id id, sim::Where where = sim::Where::Here()) {
  sim::Core::Current().WaitFlag(sim::PipeOf(from), sim::PipeOf(to), static_cast<int32_t>(id), where);
}
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config, sim::Where where = sim::Where::Here()) {
  // `config` has the mode in bits 4 and 5, the flag in bits 8 to 11.
  sim::Core::Current().CheckMayMeet("CrossCoreSetFlag", where);
  sim::Core::Current().CrossCoreSet(config >> 4 & 3, sim::PipeOf(pipe), config >> 8 & 15, where);
}
inline void wait_flag_dev(int64_t flag, sim::Where where = sim::Where::Here()) {
  sim::Core::Current().CrossCoreWait(static_cast<uint16_t>(flag), where);
}
inline void set_ffts_base_addr(uint64_t) {}

// --- the core. On vector cores of a mixed kernel block_idx counts blocks, GetBlockIdx vector cores.
int64_t get_block_idx();
int64_t get_block_num();
int64_t get_subblockid();
int64_t get_subblockdim();
int64_t get_sys_cnt();
inline int64_t get_coreid() { return get_block_idx(); }
[[noreturn]] inline void trap(sim::Where where = sim::Where::Here()) { AscendC::Trap(where); }

namespace sim {

// A variable whose value depends on the core that reads it.
template <int64_t (*Read)()>
struct CoreVariable {
  operator int64_t() const { return Read(); }
};

}  // namespace sim

inline constexpr sim::CoreVariable<get_block_idx> block_idx{};
inline constexpr sim::CoreVariable<get_block_num> block_num{};

// --- special registers
int64_t get_ctrl();
void set_ctrl(uint64_t value);
void set_mask_count();
void set_mask_norm();
void set_vector_mask(uint64_t high, uint64_t low);

// --- bits of a word
constexpr uint64_t sbitset0(uint64_t word, int64_t bit) { return word & ~(uint64_t{1} << bit); }
constexpr uint64_t sbitset1(uint64_t word, int64_t bit) { return word | uint64_t{1} << bit; }
inline int64_t sff0(uint64_t word) { return AscendC::ScalarGetSFFValue<0>(word); }
inline int64_t sff1(uint64_t word) { return AscendC::ScalarGetSFFValue<1>(word); }
inline int64_t bcnt0(uint64_t word) { return AscendC::ScalarGetCountOfValue<0>(word); }
inline int64_t bcnt1(uint64_t word) { return AscendC::ScalarGetCountOfValue<1>(word); }
inline int64_t clz(uint64_t word) { return AscendC::ScalarCountLeadingZero(word); }

#endif  // SIM_HAS_INTRINSICS
