// SPDX-License-Identifier: Apache-2.0
// Reductions of the rows of a matrix. A row begins at a multiple of 32 bytes.
#pragma once

#include "../../kernel_operator_vec_reduce_intf.h"
#include "../sim_stage.h"

namespace sim {

template <typename T>
constexpr uint32_t kLanesOf = kRepeatBytes / sizeof(T);

// The sums of repeats [first, first + count) of a row of `elements`, at dst.
template <typename T>
void SumsOfRepeats(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &row, uint32_t first,
                   uint32_t count, uint32_t elements, Where where) {
  constexpr uint32_t kLanes = kLanesOf<T>;
  const uint32_t whole = std::min(elements / kLanes - std::min(elements / kLanes, first), count);
  InChunks(whole, [&](int64_t at, int64_t repeats) {
    const auto i = static_cast<uint32_t>(at);
    AscendC::WholeReduceSum(dst[i], row[(first + i) * kLanes], static_cast<int32_t>(kLanes),
                            static_cast<int32_t>(repeats), 1, 1, 8, where);
  });
  if (whole < count) {
    AscendC::WholeReduceSum(dst[whole], row[(first + whole) * kLanes],
                            static_cast<int32_t>(elements % kLanes), 1, 1, 1, 8, where);
  }
  AscendC::PipeBarrier<PIPE_V>(where);
}

// A row of `elements` to one sum, at dst[0]: each repeat becomes one element, by pairs, until one is left.
// `work` has place for two elements at least, and may lie where the row lies. Where it has no place for the
// sums of all repeats, those that it holds become one before the next ones come.
template <typename T>
void SumOfRow(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &row, uint32_t elements,
              const AscendC::LocalTensor<T> &work, Where where) {
  const auto repeats = static_cast<uint32_t>(CeilDivide(elements, kLanesOf<T>));
  if (repeats == 1) return SumsOfRepeats(dst, row, 0, 1, elements, where);
  uint32_t held = 0;
  for (uint32_t done = 0; done < repeats;) {
    if (held > 1) {
      SumOfRow(work, work, held, work, where);
      held = 1;
    }
    const uint32_t taken = std::min(work.GetSize() - held, repeats - done);
    SumsOfRepeats(work[held], row, done, taken, elements, where);
    held += taken;
    done += taken;
  }
  SumOfRow(dst, work, held, work, where);
}

// Folds a row into its first repeat, lane by lane, and this one into dst[0]. `work` has the lanes of a
// repeat.
template <typename T, typename Fold, typename Last>
void FoldRow(const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &row, uint32_t count,
             const AscendC::LocalTensor<T> &work, const Fold &fold, const Last &last, Where where) {
  constexpr uint32_t kLanes = kLanesOf<T>;
  if (count <= kLanes) return last(dst, row, static_cast<int32_t>(count));
  const auto second = static_cast<int32_t>(std::min(kLanes, count - kLanes));
  // Lanes that no second repeat has are those of the first one.
  fold(work, row, row, static_cast<int32_t>(kLanes));
  AscendC::PipeBarrier<PIPE_V>(where);
  fold(work, work, row[kLanes], second);
  for (uint32_t done = 2 * kLanes; done < count; done += kLanes) {
    AscendC::PipeBarrier<PIPE_V>(where);
    fold(work, work, row[done], static_cast<int32_t>(std::min(kLanes, count - done)));
  }
  AscendC::PipeBarrier<PIPE_V>(where);
  last(dst, work, static_cast<int32_t>(kLanes));
}

}  // namespace sim
