// SPDX-License-Identifier: Apache-2.0
// Fills GM. It uses the part of UB that the pipe has not given out.
#pragma once

#include "../../kernel_operator_data_copy_intf.h"
#include "../../kernel_operator_vec_duplicate_intf.h"
#include "../../kernel_tpipe.h"

namespace sim {

template <typename T>
void FillGlobal(const char *name, const AscendC::GlobalTensor<T> &gm, uint64_t size, T value, Where where) {
  Core &core = Core::Current();
  if (core.IsCube()) return;  // a cube core has no UB, and leaves it to vector cores
  AscendC::LocalTensor<T> stack;
  AscendC::PopStackBuffer<T, AscendC::TPosition::LCM>(stack, where);
  const uint64_t room = stack.bytes / kBlockBytes * kBlockBytes / sizeof(T);
  if (room == 0) {
    core.Fail(FaultKind::kUbCapacity, name, where,
              "the pipe must leave at least 32 bytes of UB, it leaves none");
  }
  const uint64_t chunk = std::min<uint64_t>({room, size, 16 * 1024 / sizeof(T)});
  if (chunk == 0) {
    return;
  }
  // No queue orders the stack buffer, so that earlier and later work must wait.
  core.BarrierAll(where);
  AscendC::Duplicate(stack, value, static_cast<int32_t>(chunk), where);
  const int32_t id = core.FetchEventId(Pipe::V, Pipe::MTE3, where);
  core.SetFlag(Pipe::V, Pipe::MTE3, id, where);
  core.WaitFlag(Pipe::V, Pipe::MTE3, id, where);
  for (uint64_t done = 0; done < size; done += chunk) {
    const uint64_t count = std::min(chunk, size - done);
    const AscendC::DataCopyExtParams params(1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0);
    CopyPadOut(name, gm[done], stack, params, where);
  }
  core.BarrierAll(where);
}

}  // namespace sim

namespace AscendC {

template <typename T>
__aicore__ inline void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                            sim::Where where = sim::Where::Here()) {
  sim::FillGlobal("Fill", gmWorkspaceAddr, size, value, where);
}
template <typename T>
__aicore__ inline void InitGlobalMemory(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value,
                                        sim::Where where = sim::Where::Here()) {
  sim::FillGlobal("InitGlobalMemory", gmWorkspaceAddr, size, value, where);
}
template <typename T>
__aicore__ inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = T(0),
                                  sim::Where where = sim::Where::Here()) {
  sim::FillGlobal("InitOutput", gmWorkspaceAddr, size, value, where);
}

}  // namespace AscendC
