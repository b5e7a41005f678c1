// SPDX-License-Identifier: Apache-2.0
#include "tscm.h"

#include <algorithm>
#include <string>

#include "../../engine/core_state.h"
#include "order.h"

namespace sim {
namespace {
constexpr uint32_t kShares = 4;  // of L1; each vector core has one of them
}  // namespace

CubeCallPtr SendOrdered(uint32_t object, CubeCallBody body, const char *name, Where where) {
  Core &core = Core::Current();
  Order(Pipe::S, Pipe::MTE3, where);
  core.Barrier(Pipe::MTE3, where);
  return SendCall(core, object, std::move(body), name, where);
}

LocalTensorBase PlaceOnCubeCore(const LocalTensorBase &tensor, const char *name, Where where) {
  Core &core = Core::Current();
  if (tensor.space != Space::L1) {
    core.Fail(FaultKind::kType, name, where, "the tensor must lie in TSCM, as the type of the matrix says");
  }
  if (core.IsCube()) return tensor;
  const uint64_t share = core.BytesOf(Space::L1) / kShares;
  if (tensor.address + tensor.bytes > share) {
    core.Fail(FaultKind::kUbBounds, name, where,
              "TSCM of a vector core holds " + std::to_string(share) +
                  " bytes here, the tensor ends at byte " + std::to_string(tensor.address + tensor.bytes));
  }
  LocalTensorBase place = tensor;
  place.address += (kShares - 1 - core.SubBlockIdx()) * share;
  place.buffer_id = -1;
  return place;
}

bool CubeCopies(const char *name, const CopySide &dst, const CopySide &src, uint64_t bytes, Where where,
                const std::function<void(const CopySide &, const CopySide &)> &copy) {
  Core &core = Core::Current();
  if (core.IsCube()) return false;
  LocalTensorBase tensor;
  tensor.space = Space::L1;
  tensor.address = dst.operand.address;
  tensor.bytes = dst.view_bytes;
  CopySide to = dst, from = src;
  to.tscm = false;
  to.operand.address = PlaceOnCubeCore(tensor, name, where).address;
  to.operand.buffer_id = -1;
  AscendC::GlobalTensor<int8_t> gm;
  if (src.operand.space == Space::UB) {
    AscendC::LocalTensor<int8_t> source;
    source.address = src.operand.address;
    source.bytes = std::min(AlignUp(bytes, kBlockBytes), src.view_bytes / kBlockBytes * kBlockBytes);
    source.buffer_id = src.operand.buffer_id;
    source.generation = src.operand.generation;
    // The copies of a core follow each other: each waits for its reply.
    auto &[address, size] = core.state().way_to_tscm;
    if (size < source.bytes) {
      address = LibraryMemory(core, source.bytes);
      size = source.bytes;
    }
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t *>(address), source.bytes);
    CopyFromUb(gm, source, where);
    from = Side<int8_t>("src", gm, src.gap_blocks);
    from.element_bytes = src.element_bytes;
  }
  const CubeCallPtr call = SendOrdered(
      0,
      [&](void *, CubeCall &call) {
        // Products read TSCM before and after.
        Order(Pipe::MTE1, Pipe::MTE2, where);
        copy(to, from);
        Order(Pipe::MTE2, Pipe::MTE1, where);
        Reply(Core::Current(), call, name, where);
      },
      name, where);
  AwaitReply(core, *call, 0, name, where);
  return true;
}

}  // namespace sim
