// SPDX-License-Identifier: Apache-2.0
// Functions that bring elements to other places: one step of the vector unit with the time of two passes over
// the data. CANN composes them of many instructions.
#pragma once

#include "../kernel_tpipe.h"
#include "../sim/vector_op.h"

namespace sim {

// What a map says of an element of the result that has no source.
constexpr int64_t kFill = -1;  // it becomes the fill value
constexpr int64_t kKeep = -2;  // it stays as it is

struct Caller {
  const char *name;
  Where where;
};

// map(i) is the element of the source that becomes element i of the result.
template <typename T, typename Map>
void Permute(const Caller &caller, const AscendC::LocalTensor<T> &dst, uint64_t dst_count,
             const AscendC::LocalTensor<T> &src, uint64_t src_count, const Map &map, T fill = T()) {
  if (dst_count == 0 || src_count == 0) return;
  VectorOp op(caller.name, std::max<uint32_t>(sizeof(T), 2), caller.where);
  Core &core = op.core();
  op.Share(Sharing::kNone);
  op.Add(Run("dst", dst, true, dst_count * sizeof(T)), dst);
  op.Add(Run("src", src, false, src_count * sizeof(T)), src);
  op.instruction().repeats = static_cast<uint32_t>(2 * CeilDivide(dst_count * sizeof(T), kRepeatBytes));
  op.instruction().elements = dst_count;
  for (uint64_t i = 0; i < dst_count && !op.instruction().leaves_holes; ++i) {
    op.instruction().leaves_holes = map(i) == kKeep;
  }
  IssueWith(core, op.instruction(), [&](Flows &flows) {
    for (uint64_t i = 0; i < dst_count; ++i) {
      const int64_t from = map(i);
      if (from == kFill) continue;
      const BitRange result = BitsOf(dst, i * sizeof(T), sizeof(T));
      flows.Move(result,
                 from == kKeep ? result : BitsOf(src, static_cast<uint64_t>(from) * sizeof(T), sizeof(T)));
    }
  });
  T *to = Pointer<T>(core, dst);
  const T *from = Pointer<T>(core, src);
  for (uint64_t i = 0; i < dst_count; ++i) {
    const int64_t source = map(i);
    if (source != kKeep) to[i] = source == kFill ? fill : from[source];
  }
  AscendC::PipeBarrier<PIPE_V>(caller.where);
}

}  // namespace sim
