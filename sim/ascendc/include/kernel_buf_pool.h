// SPDX-License-Identifier: Apache-2.0
// What a class needs to be a pool of buffers of its own (EXTERN_IMPL_BUFPOOL): TPipe::InitBufPool gives it
// memory, and it places the buffers of queues there with InitStartBufHandle and InitBufHandle.
#pragma once

#include <cstdint>

#include "../engine/queues.h"

namespace AscendC {

using TBufHandle = uint8_t *;

}  // namespace AscendC

namespace sim {

// The state of such a pool.
struct KernelPool {
  int32_t id = -1;  // of Queues
  uint32_t address = 0;
  uint8_t buffers = 0;

  void Begin(int32_t pool, Where where) {
    id = pool;
    address = static_cast<uint32_t>(Core::Current().queues().AddressOf(pool, where));
    buffers = 0;
  }
  void Reset(Where where) {
    Core::Current().queues().ReleasePool(id, where);
    Begin(id, where);
  }
  static void CheckHandle(uint32_t offset, uint32_t size, Where where) {
    if (offset < size) return;
    Core::Current().Fail(FaultKind::kUbCapacity, "GetBufHandle", where,
                         "offset must be below " + std::to_string(size) +
                             ", as EXTERN_IMPL_BUFPOOL says, got " + std::to_string(offset));
  }
};

}  // namespace sim

// Handles tell the buffers apart and hold nothing.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                              \
 public:                                                                                    \
  static constexpr AscendC::TPosition poolPos = POSITION;                                   \
  sim::KernelPool simPool;                                                                  \
  void Init() { simPool = {}; }                                                             \
  void Reset(sim::Where where = sim::Where::Here()) { simPool.Reset(where); }               \
  AscendC::TBufHandle GetBufHandle(uint8_t offset, sim::Where where = sim::Where::Here()) { \
    sim::KernelPool::CheckHandle(offset, BUFID_SIZE, where);                                \
    return simHandles + offset;                                                             \
  }                                                                                         \
  void SetCurAddr(uint32_t curAddr) { simPool.address = curAddr; }                          \
  uint32_t GetCurAddr() const { return simPool.address; }                                   \
  void SetCurBufSize(uint8_t curBufSize) { simPool.buffers = curBufSize; }                  \
  uint8_t GetCurBufSize() const { return simPool.buffers; }                                 \
  uint8_t simHandles[BUFID_SIZE] = {}
