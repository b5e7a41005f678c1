// SPDX-License-Identifier: Apache-2.0
// Runs: ranges of `count` elements that start `step` elements apart. An instruction covers a run, or, where
// runs are short, one repeat's worth of elements of up to 255 runs.
//
//   step 8, count 5     a a a a a . . . b b b b b . . . c c c c c . . .
#pragma once

#include "../common/copies/row_copy.h"

namespace avo {

template <typename T>
struct Runs {
  AscendC::LocalTensor<T> first;
  uint32_t step;  // elements from run to run, a whole number of data blocks

  __aicore__ inline AscendC::LocalTensor<T> At(uint32_t run, uint32_t element = 0) const {
    return first[run * step + element];
  }
  // Data blocks from run to run, for the strides of a repeat.
  __aicore__ inline uint8_t StepBlocks() const {
    return static_cast<uint8_t>(step * sizeof(T) / kBlockBytes);
  }
};

// Calls form.ByRun(run, count) for each run; or, where that takes fewer instructions, form.ByColumn(run,
// element, mask, repeats) for each repeat's worth of elements of up to 255 runs from `run` on. `widest`: the
// largest step.
template <typename T, typename Form>
__aicore__ inline void ForRuns(uint32_t runs, uint32_t count, uint32_t widest, const Form &form) {
  constexpr uint32_t kRepeat = 256 / sizeof(T), kMost = 255;
  const uint32_t columns = (count + kRepeat - 1) / kRepeat;
  if (widest * sizeof(T) > kMost * kBlockBytes || runs <= columns) {
    for (uint32_t run = 0; run < runs; ++run) form.ByRun(run, static_cast<int32_t>(count));
    return;
  }
  for (uint32_t run = 0; run < runs; run += kMost) {
    const uint8_t repeats = static_cast<uint8_t>(runs - run < kMost ? runs - run : kMost);
    for (uint32_t x = 0; x < count; x += kRepeat) {
      form.ByColumn(run, x, uint64_t{count - x < kRepeat ? count - x : kRepeat}, repeats);
    }
  }
}

template <typename D, typename S>
struct CastForm {
  static constexpr auto kRound = sizeof(D) > sizeof(S) ? AscendC::RoundMode::CAST_NONE
                                                       : AscendC::RoundMode::CAST_RINT;
  const Runs<D> &to;
  const Runs<S> &from;

  __aicore__ inline void ByRun(uint32_t run, int32_t count) const {
    AscendC::Cast(to.At(run), from.At(run), kRound, count);
  }
  __aicore__ inline void ByColumn(uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) const {
    AscendC::Cast(to.At(run, x), from.At(run, x), kRound, mask, repeats,
                  {1, 1, to.StepBlocks(), from.StepBlocks()});
  }
};

// Converts between float32 and a half type.
template <typename D, typename S>
__aicore__ inline void CastRuns(const Runs<D> &to, const Runs<S> &from, uint32_t runs, uint32_t count) {
  using Form = CastForm<D, S>;
  if (to.step == count && from.step == count) {
    AscendC::Cast(to.first, from.first, Form::kRound, runs * count);
    return;
  }
  ForRuns<float>(runs, count, to.step > from.step ? to.step : from.step, Form{to, from});
}

struct ScaleForm {
  const Runs<float> &scaled;
  float factor;

  __aicore__ inline void ByRun(uint32_t run, int32_t count) const {
    AscendC::Muls(scaled.At(run), scaled.At(run), factor, count);
  }
  __aicore__ inline void ByColumn(uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) const {
    AscendC::Muls(scaled.At(run, x), scaled.At(run, x), factor, mask, repeats,
                  {1, 1, scaled.StepBlocks(), scaled.StepBlocks()});
  }
};

__aicore__ inline void ScaleRuns(const Runs<float> &scaled, float factor, uint32_t runs, uint32_t count) {
  if (scaled.step == count) count *= runs, runs = 1;
  ForRuns<float>(runs, count, scaled.step, ScaleForm{scaled, factor});
}

// Op has Identity(), Combine(to, a, b, …) and CombineScalar(to, a, scalar, …), both with the arguments of an
// AscendC instruction.
template <typename Op, typename T>
struct CombineForm {
  const Runs<T> &to, &a, &b;

  __aicore__ inline void ByRun(uint32_t run, int32_t count) const {
    Op::Combine(to.At(run), a.At(run), b.At(run), count);
  }
  __aicore__ inline void ByColumn(uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) const {
    Op::Combine(to.At(run, x), a.At(run, x), b.At(run, x), mask, repeats,
                AscendC::BinaryRepeatParams(1, 1, 1, to.StepBlocks(), a.StepBlocks(), b.StepBlocks()));
  }
};

template <typename Op, typename T>
__aicore__ inline void CombineRuns(const Runs<T> &to, const Runs<T> &a, const Runs<T> &b, uint32_t runs,
                                   uint32_t count) {
  if (to.step == count && a.step == count && b.step == count) {
    Op::Combine(to.first, a.first, b.first, static_cast<int32_t>(runs * count));
    return;
  }
  const uint32_t inputs = a.step > b.step ? a.step : b.step;
  ForRuns<T>(runs, count, to.step > inputs ? to.step : inputs, CombineForm<Op, T>{to, a, b});
}

template <typename Op, typename T>
struct CopyForm {
  const Runs<T> &to, &from;
  T identity;

  __aicore__ inline void ByRun(uint32_t run, int32_t count) const {
    Op::CombineScalar(to.At(run), from.At(run), identity, count);
  }
  __aicore__ inline void ByColumn(uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) const {
    Op::CombineScalar(to.At(run, x), from.At(run, x), identity, mask, repeats,
                      AscendC::UnaryRepeatParams(1, 1, to.StepBlocks(), from.StepBlocks()));
  }
};

// Copies runs: combines each element with the identity.
template <typename Op, typename T>
__aicore__ inline void CopyRuns(const Runs<T> &to, const Runs<T> &from, uint32_t runs, uint32_t count) {
  ForRuns<T>(runs, count, to.step > from.step ? to.step : from.step,
             CopyForm<Op, T>{to, from, static_cast<T>(Op::Identity())});
}

template <typename Op, typename T>
__aicore__ inline void FillIdentity(const AscendC::LocalTensor<T> &elements, uint32_t count) {
  AscendC::Duplicate(elements, static_cast<T>(Op::Identity()), static_cast<int32_t>(count));
}

// Combines `taps` inputs into each run of `to`. The inputs of tap k are the runs of `from`, moved by k *
// `tap` elements. With `fresh`, `to` holds nothing yet; the taps but the last one are then combined in
// `partial`, if there is one. A caller gives one where `to` and the next tap would be read from the same bank
// groups.
template <typename Op, typename T>
__aicore__ inline void CombineTaps(const Runs<T> &to, const Runs<T> &from, uint32_t tap, uint32_t taps,
                                   uint32_t runs, uint32_t count, bool fresh,
                                   const Runs<T> *partial = nullptr) {
  const Runs<T> &sum = partial != nullptr && fresh && taps > 2 ? *partial : to;
  uint32_t done = 0;
  if (fresh && taps > 1) {
    CombineRuns<Op>(sum, from, Runs<T>{from.first[tap], from.step}, runs, count);
    done = 2;
  } else if (fresh) {
    CopyRuns<Op>(to, from, runs, count);
    done = 1;
  }
  for (; done < taps; ++done) {
    CombineRuns<Op>(done + 1 < taps ? sum : to, sum, Runs<T>{from.first[done * tap], from.step}, runs, count);
  }
}

}  // namespace avo
