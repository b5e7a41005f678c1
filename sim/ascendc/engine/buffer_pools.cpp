// SPDX-License-Identifier: Apache-2.0
// The part of Queues that serves TBufPool: memory in one piece, which the kernel hands out itself.
#include "core_state.h"
#include "queues.h"

namespace sim {

Queues::Pool &Queues::CheckedPool(int32_t pool, const char *instruction, Where where) {
  if (pool < 0 || static_cast<size_t>(pool) >= pools_.size()) {
    core_->Fail(FaultKind::kUbCapacity, instruction, where,
                "the TBufPool has no memory: missing TPipe::InitBufPool");
  }
  return pools_[pool];
}

int32_t Queues::InitPool(AscendC::TPosition position, uint32_t bytes, Where where) {
  Pool pool;
  pool.space = SpaceOf(position);
  pool.position = position;
  pool.bytes = (uint64_t{bytes} + 31) / 32 * 32;
  pool.address = Take(pool.space, pool.bytes, core_->SiteAt("InitBufPool", where), where);
  pools_.push_back(pool);
  return static_cast<int32_t>(pools_.size() - 1);
}

int32_t Queues::InitSharedPool(int32_t shared, uint32_t bytes, Where where) {
  Pool pool = CheckedPool(shared, "InitBufPool", where);
  const uint64_t size = (uint64_t{bytes} + 31) / 32 * 32;
  if (size > pool.bytes) {
    core_->Fail(FaultKind::kUbCapacity, "InitBufPool", where,
                "a pool of " + std::to_string(size) + " bytes cannot share the memory of one that has " +
                    std::to_string(pool.bytes) + " bytes");
  }
  pool.bytes = size;
  pool.taken = 0;
  pool.buffers = 0;
  pools_.push_back(pool);
  return static_cast<int32_t>(pools_.size() - 1);
}

int32_t Queues::StartQueue(const QueueKind &kind) {
  queues_.push_back({kind, {}, {}});
  return static_cast<int32_t>(queues_.size() - 1);
}

int32_t Queues::PlaceBuffer(int32_t queue, AscendC::TPosition position, int32_t pool, uint64_t address,
                            uint32_t bytes, Where where) {
  constexpr const char *kName = "InitBufHandle";
  Buffer buffer = NewBuffer(position, queue, bytes, kName, where);
  const Pool &used = CheckedPool(pool, kName, where);
  if (buffer.space != used.space || address < used.address ||
      address + buffer.bytes > used.address + used.bytes) {
    core_->Fail(
        FaultKind::kUbCapacity, kName, where,
        "a buffer must lie in the memory of its pool, " +
            Range(used.space, static_cast<int64_t>(used.address),
                  static_cast<int64_t>(used.address + used.bytes)) +
            ", got " +
            Range(buffer.space, static_cast<int64_t>(address), static_cast<int64_t>(address + buffer.bytes)));
  }
  buffer.pool = pool;
  buffer.address = address;
  buffers_.push_back(buffer);
  const auto id = static_cast<int32_t>(buffers_.size() - 1);
  if (queue >= 0) queues_[queue].buffers.push_back(id);
  return id;
}

Queues::InPool::InPool(Queues &queues, int32_t pool, uint32_t buffers, uint32_t most, Where where)
    : queues_(queues), outer_(queues.pool_) {
  Pool &used = queues.CheckedPool(pool, "InitBuffer", where);
  if (used.buffers + buffers > most) {
    queues.core_->Fail(FaultKind::kUbCapacity, "InitBuffer", where,
                       "the TBufPool may have " + std::to_string(most) +
                           " buffers, as its template parameter bufIDSize says; this call makes " +
                           std::to_string(used.buffers + buffers));
  }
  used.buffers += buffers;
  queues.pool_ = pool;
}

void Queues::WaitForEmpty(Buffer *buffer, Where where) {
  if (buffer->emptied == kNoEvent) return;
  const QueueKind &kind = queues_[buffer->queue].kind;
  core_->flags.Wait(kind.consumer, kind.producer, buffer->emptied, "WaitFlag", where);
  core_->flags.Release(kind.consumer, kind.producer, buffer->emptied, "WaitFlag", where);
  buffer->emptied = kNoEvent;
}

void Queues::FreeEvents(int32_t queue, Where where) {
  for (const int32_t buffer : Checked(queue, "FreeAllEvent", where).buffers) {
    WaitForEmpty(&buffers_[buffer], where);
  }
}

void Queues::ReleasePool(int32_t pool, Where where) {
  Pool &released = CheckedPool(pool, "TBufPool::Reset", where);
  ReportLeftover("TBufPool::Reset", pool);
  for (Buffer &buffer : buffers_) {
    if (buffer.pool != pool) continue;
    WaitForEmpty(&buffer, where);
    if (buffer.queue >= 0) {
      queues_[buffer.queue].buffers.clear();
      queues_[buffer.queue].queued.clear();
    }
    // Its tensors are stale from here on, and no address is in it.
    buffer.state = BufferState::kIdle;
    buffer.bytes = 0;
    ++buffer.generation;
  }
  released.taken = 0;
  released.buffers = 0;
}

}  // namespace sim
