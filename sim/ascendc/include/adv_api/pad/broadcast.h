// SPDX-License-Identifier: Apache-2.0
// Repeats a tensor along one axis.
#pragma once

#include "../../kernel_tpipe.h"
#include "../../sim/vector_op.h"

namespace sim {

template <typename T, int32_t dim, int32_t axis>
void Broadcast(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
               const uint32_t *dst_shape, const uint32_t *src_shape,
               const AscendC::LocalTensor<uint8_t> *work, Where where) {
  static_assert((dim == 1 || dim == 2) && axis >= 0 && axis < dim, "Broadcast: dim is 1 or 2, axis below it");
  // Documented are int8_t, uint8_t, half and float. CANN takes elements by their width, and public kernels
  // use int32_t and bfloat16_t.
  static_assert(kOneOf<T, int8_t, uint8_t, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t>,
                "Broadcast: element type not available on Atlas A2");
  VectorOp op("Broadcast", std::max<uint32_t>(sizeof(T), 2), where);
  Core &core = op.core();
  for (int32_t i = 0; i < dim; ++i) {
    const uint32_t expected = i == axis ? 1 : dst_shape[i];
    if (src_shape[i] != expected && src_shape[i] != dst_shape[i]) {
      FailRange(core, FaultKind::kOther, "Broadcast", where, ("srcShape[" + std::to_string(i) + "]").c_str(),
                std::to_string(expected) + " to become " + std::to_string(dst_shape[i]), src_shape[i]);
    }
  }
  const uint32_t columns = dst_shape[dim - 1], rows = dim == 2 ? dst_shape[0] : 1;
  const uint32_t src_columns = src_shape[dim - 1], src_rows = dim == 2 ? src_shape[0] : 1;
  const uint64_t count = static_cast<uint64_t>(rows) * columns;
  if (count == 0) {
    return;
  }
  op.Share(Sharing::kNone);
  op.Add(Run("dst", dst, true, count * sizeof(T)), dst);
  op.Add(Run("src", src, false, static_cast<uint64_t>(src_rows) * src_columns * sizeof(T)), src);
  if (work != nullptr && work->bytes < kBlockBytes) {
    FailRange(core, FaultKind::kUbCapacity, "Broadcast", where, "sharedTmpBuffer",
              "of at least 32 bytes, or as many between the kernel's buffers and the last 128 bytes of the "
              "Unified Buffer",
              static_cast<int64_t>(work->bytes));
  }
  const uint64_t used =
      work == nullptr ? 0 : std::min<uint64_t>(work->bytes, AlignUp(count * sizeof(T), kBlockBytes));
  if (used > 0) {
    op.Add(Run("sharedTmpBuffer", *work, true, used), *work);
  }
  // One pass fills blocks, another one copies or packs rows.
  op.instruction().repeats = static_cast<uint32_t>(2 * CeilDivide(count * sizeof(T), kRepeatBytes));
  op.instruction().elements = count;
  const auto each = [&](auto visit) {
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t column = 0; column < columns; ++column) {
        visit(static_cast<uint64_t>(row) * columns + column,
              static_cast<uint64_t>(src_rows == 1 ? 0 : row) * src_columns + (src_columns == 1 ? 0 : column));
      }
    }
  };
  IssueWith(core, op.instruction(), [&](Flows &flows) {
    each([&](uint64_t to, uint64_t from) {
      flows.Move(BitsOf(dst, to * sizeof(T), sizeof(T)), BitsOf(src, from * sizeof(T), sizeof(T)));
    });
  });
  if (used > 0) {
    std::memset(core.Memory(work->space, work->address), 0xA5, used);
  }
  T *to = Pointer<T>(core, dst);
  const T *from = Pointer<T>(core, src);
  each([&](uint64_t result, uint64_t source) { to[result] = from[source]; });
}

}  // namespace sim

namespace AscendC {

// The API has both spellings.
#define SIM_BROADCAST(Name)                                                                        \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                     \
  __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,      \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],          \
                              LocalTensor<uint8_t> &sharedTmpBuffer,                               \
                              sim::Where where = sim::Where::Here()) {                             \
    sim::Broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, &sharedTmpBuffer, where); \
  }                                                                                                \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                     \
  __aicore__ inline void Name(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,      \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],          \
                              sim::Where where = sim::Where::Here()) {                             \
    LocalTensor<uint8_t> work;                                                                     \
    PopStackBuffer<uint8_t, TPosition::LCM>(work, where);                                          \
    sim::Broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, &work, where);            \
  }
SIM_BROADCAST(BroadCast)
SIM_BROADCAST(Broadcast)
#undef SIM_BROADCAST

}  // namespace AscendC
