// SPDX-License-Identifier: Apache-2.0
#include "cube_service.h"

#include <algorithm>
#include <utility>

#include "scheduler.h"

namespace sim {
namespace {
constexpr const char *kServe = "REGIST_MATMUL_OBJ";
}

Scheduler::Letter Scheduler::Seal(CoreState &core, Pipe pipe, const char *name, Where where) {
  const uint32_t token = posts_++;
  core.AddEvent(Event::kPost, pipe, token, core.SiteOf(name, where));
  Letter letter{core.ReleaseGlobal(pipe), counters_.KnownTo(core.id.core),
                static_cast<uint32_t>(deliveries_.size())};
  deliveries_.push_back({token});
  return letter;
}

void Scheduler::Open(CoreState &core, const Letter &letter, const char *name, Where where) {
  core.AddEvent(Event::kTake, Pipe::S, letter.delivery, core.SiteOf(name, where));
  core.AcquireGlobal(letter.clock);
  Join(&counters_.KnownTo(core.id.core), letter.waits);
}

uint32_t Scheduler::CoresOf(uint32_t block, bool cube) const {
  return static_cast<uint32_t>(std::count_if(cores_.begin(), cores_.end(), [&](const CoreState *core) {
    return core->id.block == block && core->id.cube == cube;
  }));
}

void Scheduler::SendCall(CoreState &core, const CubeCallPtr &call, const char *name, Where where) {
  if (CoresOf(core.id.block, true) == 0) {
    core.Fail(FaultKind::kOther, name, where,
              "the kernel has no cube cores that could compute this: its type must be a mixed one, such as "
              "KERNEL_TYPE_MIX_AIC_1_2");
  }
  core.SettlePoll();
  std::unique_lock lock(mutex_);
  call->sent = Seal(core, Pipe::MTE3, name, where);
  desks_[core.id.block].calls.push_back(call);
  Released();
}

void Scheduler::LeaveService(CoreState &core) {
  std::unique_lock lock(mutex_);
  ++desks_[core.id.block].left;
  Released();
}

CubeCallPtr Scheduler::NextCall(CoreState &core, Where where) {
  const uint32_t senders = CoresOf(core.id.block, false);
  if (senders == 0) {
    core.Fail(FaultKind::kOther, kServe, where,
              "the kernel has no vector cores that could call Matmul: its type must be a mixed one, or the "
              "source must define ASCENDC_CUBE_ONLY before it includes lib/matmul_intf.h");
  }
  std::unique_lock lock(mutex_);
  Desk &desk = desks_[core.id.block];
  if (!WaitFor(&lock, [&] { return !desk.calls.empty() || desk.left == senders; })) {
    Stuck(
        &lock, core, kServe, where,
        "the cube core waits for " + std::to_string(senders - desk.left) +
            " vector cores of its block, which ended or wait elsewhere, so that the device would hang here: "
            "each of them must reach REGIST_MATMUL_OBJ");
  }
  if (desk.calls.empty()) return nullptr;
  const CubeCallPtr call = desk.calls.front();
  desk.calls.pop_front();
  Open(core, call->sent, kServe, where);
  return call;
}

void Scheduler::Reply(CoreState &core, CubeCall &call, const char *name, Where where) {
  core.SettlePoll();
  std::unique_lock lock(mutex_);
  call.replies.push_back(Seal(core, Pipe::FIX, name, where));
  Released();
}

void Scheduler::AwaitReply(CoreState &core, CubeCall &call, uint32_t number, const char *name, Where where) {
  std::unique_lock lock(mutex_);
  if (!WaitFor(&lock, [&] { return call.replies.size() > number; })) {
    Stuck(&lock, core, name, where,
          "the cube core does not answer, so that the device would hang here: it must reach "
          "REGIST_MATMUL_OBJ with the same objects");
  }
  Open(core, call.replies[number], name, where);
}

uint64_t Scheduler::LibraryMemory(CoreState &core, uint64_t bytes) {
  std::unique_lock lock(mutex_);
  void *memory = core.memory->Allocate(bytes);
  if (memory == nullptr) {
    core.Fail(FaultKind::kOther, "Matmul", Where{nullptr, 0},
              "the device has no " + std::to_string(bytes) +
                  " bytes left for operands in UB, which go through global memory");
  }
  library_memory_.emplace_back(core.memory, memory);
  return reinterpret_cast<uint64_t>(memory);
}

Scheduler::~Scheduler() {
  for (const auto &[memory, address] : library_memory_) memory->Free(address);
}

CubeCallPtr SendCall(Core &core, uint32_t object, CubeCallBody body, const char *name, Where where) {
  auto call = std::make_shared<CubeCall>();
  call->object = object;
  call->body = std::move(body);
  core.state().scheduler->SendCall(core.state(), call, name, where);
  return call;
}

void AwaitReply(Core &core, CubeCall &call, uint32_t number, const char *name, Where where) {
  core.state().scheduler->AwaitReply(core.state(), call, number, name, where);
}

void LeaveService(Core &core) { core.state().scheduler->LeaveService(core.state()); }

bool HasCubeCore(Core &core) { return core.state().scheduler->CoresOf(core.BlockIdx(), true) != 0; }

bool ServeCall(Core &core, const std::vector<void *> &objects, Where where) {
  const CubeCallPtr call = core.state().scheduler->NextCall(core.state(), where);
  if (call == nullptr) return false;
  if (call->object >= objects.size()) {
    core.Fail(FaultKind::kOther, kServe, where,
              "a vector core calls object " + std::to_string(call->object) + ", but the cube core has " +
                  std::to_string(objects.size()) + ": both must register the same objects");
  }
  call->body(objects[call->object], *call);
  return true;
}

void Reply(Core &core, CubeCall &call, const char *name, Where where) {
  core.state().scheduler->Reply(core.state(), call, name, where);
}

uint64_t LibraryMemory(Core &core, uint64_t bytes) {
  return core.state().scheduler->LibraryMemory(core.state(), bytes);
}

}  // namespace sim
