// SPDX-License-Identifier: Apache-2.0
#include "core.h"

#include <cstdio>
#include <cstdlib>

#include "core_state.h"
#include "current_core.h"
#include "scheduler.h"

namespace sim {
namespace {
thread_local Core *current_core = nullptr;
}

void SetCurrentCore(Core *core) { current_core = core; }
bool InKernel() { return current_core != nullptr; }

Core &Core::Current() {
  if (current_core == nullptr) {
    std::fprintf(
        stderr, "ascendc: an AscendC function was called outside a kernel; start kernels with sim::Launch\n");
    std::abort();
  }
  return *current_core;
}

void Core::Issue(const Instruction &instruction) { state_->Issue(instruction); }
std::byte *Core::Memory(Space space, uint64_t address) { return state_->Memory(space, address); }
void Core::ReadRegisters(const char *instruction, Where where, uint64_t registers, uint64_t bytes) {
  state_->values.ReadRegisters(instruction, where, {kRegisterFile, registers, bytes});
}
void Core::StoreRegisters(Space space, uint64_t address, uint64_t registers, uint64_t bytes) {
  if (state_->skipping()) return;
  state_->values.Store({space, address, bytes}, {kRegisterFile, registers, bytes});
}
Core::Holder Core::HolderOf(uint64_t address, uint64_t bytes, uint64_t start) {
  return state_->HolderOf(address, bytes, start);
}
bool Core::InGlobalMemory(uint64_t address) const {
  return state_->memory->Contains(reinterpret_cast<const void *>(address));
}
bool Core::Reported(FaultKind kind, const char *instruction, Where where) {
  return state_->Reported(kind, instruction, where);
}
void Core::Report(FaultKind kind, const char *instruction, Where where, const std::string &text) {
  state_->Report(kind, instruction, where, text);
}
void Core::Fail(FaultKind kind, const char *instruction, Where where, const std::string &text) {
  state_->Fail(kind, instruction, where, text);
}

void Core::Print(const std::string &text) { state_->printed.Add(text); }

void Core::SetFlag(Pipe from, Pipe to, int32_t id, Where where) {
  state_->flags.Set(from, to, id, "SetFlag", where);
}
void Core::WaitFlag(Pipe from, Pipe to, int32_t id, Where where) {
  state_->flags.Wait(from, to, id, "WaitFlag", where);
}
int32_t Core::FetchEventId(Pipe from, Pipe to, Where where) {
  return state_->flags.Fetch(from, to, "FetchEventID", where);
}
int32_t Core::AllocEventId(Pipe from, Pipe to, Where where) {
  return state_->flags.Alloc(from, to, "AllocEventID", where);
}
void Core::ReleaseEventId(Pipe from, Pipe to, int32_t id, Where where) {
  state_->flags.Release(from, to, id, "ReleaseEventID", where);
}
void Core::Barrier(Pipe pipe, Where where) { state_->Barrier(pipe, where); }
void Core::BarrierAll(Where where) { state_->BarrierAll(where); }

void Core::CleanDataCache(const char *instruction, bool all, uint64_t address, Where where) {
  state_->CleanDataCache(instruction, all, address, where);
}

void Core::CheckMayMeet(const char *instruction, Where where) {
  if (!registers.alone) return;
  Fail(FaultKind::kFlag, instruction, where,
       "cores of KERNEL_TYPE_AIV_ONLY and KERNEL_TYPE_AIC_ONLY run without the scheduler that lets them "
       "meet, so that the device would hang here: the type must be KERNEL_TYPE_MIX_AIV_1_0, "
       "KERNEL_TYPE_MIX_AIC_1_0 or a mixed one");
}

void Core::SyncAllBlocks(bool vector_only, Where where, uint32_t cores) {
  state_->scheduler->Meet(*state_, vector_only, cores, where);
}
void Core::CrossCoreSet(uint8_t mode, Pipe pipe, uint16_t flag, Where where) {
  state_->scheduler->CrossCoreSet(*state_, mode, pipe, flag, where);
}
void Core::CrossCoreWait(uint16_t flag, Where where) {
  state_->scheduler->CrossCoreWait(*state_, flag, where);
}

uint32_t Core::BlockIdx() const { return state_->id.block; }
uint32_t Core::BlockNum() const { return state_->id.blocks; }
uint32_t Core::SubBlockIdx() const { return state_->id.sub_block; }
uint32_t Core::SubBlockNum() const { return state_->id.sub_blocks; }
bool Core::IsCube() const { return state_->id.cube; }
uint64_t Core::TilingKey() const { return state_->tiling_key; }
uint64_t Core::ClockCycles() const { return static_cast<uint64_t>(state_->elapsed); }
uint64_t Core::BytesOf(Space space) const { return state_->model->bytes[static_cast<int>(space)]; }
bool Core::StaysInBuffer(const Operand &operand, uint64_t bytes) {
  return state_->queues.StaysInBuffer(operand, bytes);
}
std::string Core::OfBuffer(Space space, uint64_t address) { return state_->queues.OfBuffer(space, address); }
Queues &Core::queues() { return state_->queues; }

}  // namespace sim
