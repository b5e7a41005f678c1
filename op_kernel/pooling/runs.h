// SPDX-License-Identifier: Apache-2.0
// Runs of elements at even steps, combined one by one: an instruction a run where runs are long, else one for
// a repeat's worth of all of them.
#pragma once

#include "../common/copies/row_copy.h"

namespace avo {

template <typename T>
struct Runs {
  AscendC::LocalTensor<T> first;
  uint32_t step;  // elements from run to run, a whole number of blocks

  __aicore__ inline AscendC::LocalTensor<T> At(uint32_t run, uint32_t element = 0) const {
    return first[run * step + element];
  }
  __aicore__ inline uint8_t Blocks() const { return static_cast<uint8_t>(step * sizeof(T) / kBlockBytes); }
};

// Calls whole(run, count) for each run, or part(run, element, mask, repeats). `widest`: the largest step.
template <typename T, typename Whole, typename Part>
__aicore__ inline void ForRuns(uint32_t runs, uint32_t count, uint32_t widest, Whole whole, Part part) {
  constexpr uint32_t kRepeat = 256 / sizeof(T), kMost = 255;
  const uint32_t parts = (count + kRepeat - 1) / kRepeat;
  if (widest * sizeof(T) > kMost * kBlockBytes || runs <= parts) {
    for (uint32_t run = 0; run < runs; ++run) whole(run, static_cast<int32_t>(count));
    return;
  }
  for (uint32_t run = 0; run < runs; run += kMost) {
    const uint8_t repeats = static_cast<uint8_t>(runs - run < kMost ? runs - run : kMost);
    for (uint32_t x = 0; x < count; x += kRepeat) {
      part(run, x, uint64_t{count - x < kRepeat ? count - x : kRepeat}, repeats);
    }
  }
}

// Converts between float32 and a half type.
template <typename D, typename S>
__aicore__ inline void CastRuns(const Runs<D> &to, const Runs<S> &from, uint32_t runs, uint32_t count) {
  constexpr auto kRound =
      sizeof(D) > sizeof(S) ? AscendC::RoundMode::CAST_NONE : AscendC::RoundMode::CAST_RINT;
  if (to.step == count && from.step == count) {
    AscendC::Cast(to.first, from.first, kRound, runs * count);
    return;
  }
  ForRuns<float>(
      runs, count, to.step > from.step ? to.step : from.step,
      [&](uint32_t run, int32_t all) { AscendC::Cast(to.At(run), from.At(run), kRound, all); },
      [&](uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) {
        AscendC::Cast(to.At(run, x), from.At(run, x), kRound, mask, repeats,
                      {1, 1, to.Blocks(), from.Blocks()});
      });
}

__aicore__ inline void ScaleRuns(const Runs<float> &runs_of, float factor, uint32_t runs, uint32_t count) {
  if (runs_of.step == count) count *= runs, runs = 1;
  ForRuns<float>(
      runs, count, runs_of.step,
      [&](uint32_t run, int32_t all) { AscendC::Muls(runs_of.At(run), runs_of.At(run), factor, all); },
      [&](uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) {
        AscendC::Muls(runs_of.At(run, x), runs_of.At(run, x), factor, mask, repeats,
                      {1, 1, runs_of.Blocks(), runs_of.Blocks()});
      });
}

// Op: Identity(), Combine(dst, a, b, …) and Take(dst, a, identity, …) as AscendC's instructions.
template <typename Op, typename T>
__aicore__ inline void CombineRuns(const Runs<T> &to, const Runs<T> &a, const Runs<T> &b, uint32_t runs,
                                   uint32_t count) {
  if (to.step == count && a.step == count && b.step == count) {
    Op::Combine(to.first, a.first, b.first, static_cast<int32_t>(runs * count));
    return;
  }
  const uint32_t inputs = a.step > b.step ? a.step : b.step;
  ForRuns<T>(
      runs, count, to.step > inputs ? to.step : inputs,
      [&](uint32_t run, int32_t all) { Op::Combine(to.At(run), a.At(run), b.At(run), all); },
      [&](uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) {
        Op::Combine(to.At(run, x), a.At(run, x), b.At(run, x), mask, repeats,
                    AscendC::BinaryRepeatParams(1, 1, 1, to.Blocks(), a.Blocks(), b.Blocks()));
      });
}

template <typename Op, typename T>
__aicore__ inline void FillIdentity(const AscendC::LocalTensor<T> &elements, uint32_t count) {
  AscendC::Duplicate(elements, static_cast<T>(Op::Identity()), static_cast<int32_t>(count));
}

// Combines `taps` runs of inputs, `tap` elements apart, into each run; onto what is there unless `fresh`.
// Fresh ones may have all taps but the last one combined in `partial`.
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
    const T identity = static_cast<T>(Op::Identity());
    ForRuns<T>(
        runs, count, to.step > from.step ? to.step : from.step,
        [&](uint32_t run, int32_t all) { Op::Take(to.At(run), from.At(run), identity, all); },
        [&](uint32_t run, uint32_t x, uint64_t mask, uint8_t repeats) {
          Op::Take(to.At(run, x), from.At(run, x), identity, mask, repeats,
                   AscendC::UnaryRepeatParams(1, 1, to.Blocks(), from.Blocks()));
        });
    done = 1;
  }
  for (; done < taps; ++done) {
    CombineRuns<Op>(done + 1 < taps ? sum : to, sum, Runs<T>{from.first[done * tap], from.step}, runs, count);
  }
}

}  // namespace avo
