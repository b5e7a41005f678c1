// SPDX-License-Identifier: Apache-2.0
// Flags, barriers and the meeting of cores.
#pragma once

#include "../enumerations.h"
#include "../keywords.h"

void set_flag(pipe_t from, pipe_t to, event_t id);
void wait_flag(pipe_t from, pipe_t to, event_t id);
inline void set_flag(pipe_t from, pipe_t to, uint64_t id) { set_flag(from, to, static_cast<event_t>(id)); }
inline void wait_flag(pipe_t from, pipe_t to, uint64_t id) { wait_flag(from, to, static_cast<event_t>(id)); }
// Flags of the pipes between which data pass through `memory`; they order as set_flag and wait_flag do.
template <typename Id>
inline void hset_flag(pipe_t from, pipe_t to, Id id, mem_t, bool) {
  set_flag(from, to, static_cast<event_t>(id));
}
template <typename Id>
inline void hwait_flag(pipe_t from, pipe_t to, Id id, mem_t, bool) {
  wait_flag(from, to, static_cast<event_t>(id));
}
void pipe_barrier(pipe_t pipe);
// Waits until what dcci writes back is in memory. Nothing to do here: it is there at once.
inline void dsb(mem_dsb_t) {}

// Sets a flag between cores when all earlier work of `pipe` is done. `config`: mode in bits 4 and 5, flag in
// 8 to 11.
void ffts_cross_core_sync(pipe_t pipe, uint64_t config);
void wait_flag_dev(int64_t flag);
// The address of the unit that carries flags between cores, which the simulated device does not need.
inline void set_ffts_base_addr(uint64_t) {}
inline int64_t get_ffts_base_addr() { return 0; }

// Stand before and after the code by which CANN's headers order cores through words in global memory: SyncAll
// with workspaces, IBSet and IBWait.
void __sync_all_stub(int32_t cores, bool vectorCores);
void __ib_set_stub(int32_t block, int32_t event, bool vectorCores);
void __ib_wait_stub(int32_t block, int32_t event, bool vectorCores);
