// SPDX-License-Identifier: Apache-2.0
// Combines rows element by element, to maxima or sums. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_FOLD_INL_H_
#undef AVO_OP_CPU_POOLING_FOLD_INL_H_
#else
#define AVO_OP_CPU_POOLING_FOLD_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/window_operations-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The longest run whose elements one long vector collects (fold_lanes-inl.h).
template <typename T>
constexpr int64_t kShortRun = 16 * kLongLanes<T>;

// What Fold stores of its results i, i + 1, …: these, or products with a factor each, or with one factor.
struct AsItIs {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> value, size_t) const {
    return value;
  }
};

template <typename T>
struct TimesEach {
  const T *factors;  // with a vector more than there are results
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> value, size_t i) const {
    return hn::Mul(value, hn::LoadU(d, factors + i));
  }
};

template <typename T>
struct TimesOne {
  T factor;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> value, size_t) const {
    return hn::Mul(value, hn::Set(d, factor));
  }
};

// The vector of elements i, i + 1, … of some rows, combined.
template <class Op, class D, typename From, typename... Rows>
HWY_INLINE hn::Vec<D> FoldVector(D d, size_t i, const From *first, Rows... others) {
  auto all = LoadFloat(d, first + i);
  ((all = Op::Combine(all, LoadFloat(d, others + i))), ...);
  return all;
}

// Combines a number of rows that is known at compile time, so that their addresses stay in registers. length:
// at least one vector.
template <class Op, class D, class Finish, typename To, typename... Rows>
HWY_INLINE void FoldFew(D d, size_t length, const Finish &finish, To *to, Rows... rows) {
  const size_t lanes = hn::Lanes(d);
  // The last vector overlaps the one before it.
  for (size_t x = 0; x < length; x += lanes) {
    const size_t i = std::min(x, length - lanes);
    StoreFloat(finish(d, FoldVector<Op>(d, i, rows...), i), d, to + i);
  }
}

// Combines any number of rows. length: at least one vector.
template <class Op, class D, typename From, class Finish, typename To>
void FoldMany(D d, const From *const *rows, size_t offset, size_t count, size_t length, const Finish &finish,
              To *to) {
  const size_t lanes = hn::Lanes(d);
  size_t next = 0;
  // The last four vectors overlap those before them, unless two vectors are enough.
  for (; length >= 4 * lanes && next + 2 * lanes < length; next += 4 * lanes) {
    const size_t x = std::min(next, length - 4 * lanes);
    const From *row = rows[0] + offset + x;
    auto a = LoadFloat(d, row), b = LoadFloat(d, row + lanes);
    auto c = LoadFloat(d, row + 2 * lanes), e = LoadFloat(d, row + 3 * lanes);
    for (size_t r = 1; r < count; ++r) {
      row = rows[r] + offset + x;
      a = Op::Combine(a, LoadFloat(d, row));
      b = Op::Combine(b, LoadFloat(d, row + lanes));
      c = Op::Combine(c, LoadFloat(d, row + 2 * lanes));
      e = Op::Combine(e, LoadFloat(d, row + 3 * lanes));
    }
    StoreFloat(finish(d, a, x), d, to + x);
    StoreFloat(finish(d, b, x + lanes), d, to + x + lanes);
    StoreFloat(finish(d, c, x + 2 * lanes), d, to + x + 2 * lanes);
    StoreFloat(finish(d, e, x + 3 * lanes), d, to + x + 3 * lanes);
  }
  for (; next < length; next += lanes) {
    const size_t i = std::min(next, length - lanes);
    auto all = LoadFloat(d, rows[0] + offset + i);
    for (size_t r = 1; r < count; ++r) all = Op::Combine(all, LoadFloat(d, rows[r] + offset + i));
    StoreFloat(finish(d, all, i), d, to + i);
  }
}

// Combines `count` rows, at least one: to[i] is what `finish` makes of rows[0][offset + i], rows[1][offset +
// i], … for i < length.
template <class Op, class D, typename From, class Finish, typename To>
HWY_INLINE void Fold(D d, const From *const *rows, size_t offset, size_t count, size_t length,
                     const Finish &finish, To *to) {
  if (length < hn::Lanes(d)) {
    auto all = LoadFirst(d, rows[0] + offset, length);
    for (size_t r = 1; r < count; ++r) all = Op::Combine(all, LoadFirst(d, rows[r] + offset, length));
    StoreFirst(finish(d, all, 0), d, to, length);
  } else if (count == 1) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset);
  } else if (count == 2) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset, rows[1] + offset);
  } else if (count == 3) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset, rows[1] + offset, rows[2] + offset);
  } else if (count == 4) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset, rows[1] + offset, rows[2] + offset,
                rows[3] + offset);
  } else if (count == 5) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset, rows[1] + offset, rows[2] + offset, rows[3] + offset,
                rows[4] + offset);
  } else {
    FoldMany<Op>(d, rows, offset, count, length, finish, to);
  }
}

// Adds elements to long vectors (fold_lanes-inl.h), of which `all` is one.
template <class Op, class D, typename From>
HWY_INLINE void FoldLong(D d, const From *from, hn::Vec<D> (&all)[kLongVectors<D>]) {
#pragma GCC unroll 4
  for (int64_t v = 0; v < kLongVectors<D>; ++v) {
    all[v] = Op::Combine(all[v], LoadFloat(d, from + v * hn::MaxLanes(d)));
  }
}

// Does the same with the first `count` elements or, with kLast, the last `count` ones; the others need no
// memory, or are left out.
template <class Op, bool kLast, class D, typename From>
HWY_INLINE void FoldPart(D d, const From *from, int64_t count, hn::Vec<D> (&all)[kLongVectors<D>]) {
  constexpr int64_t kLanes = hn::MaxLanes(d), kLong = kLongLanes<hn::TFromD<D>>;
#pragma GCC unroll 4
  for (int64_t v = 0; v < kLongVectors<D>; ++v) {
    const int64_t left = std::clamp<int64_t>((kLast ? kLong - count : count) - v * kLanes, 0, kLanes);
    const auto inside = hn::FirstN(d, left);
    if constexpr (kLast) {
      const auto behind = hn::IfThenElse(inside, Op::Identity(d), LoadFloat(d, from + v * kLanes));
      all[v] = Op::Combine(all[v], behind);
    } else {
      const auto first = hn::IfThenElse(inside, LoadFirst(d, from + v * kLanes, left), Op::Identity(d));
      all[v] = Op::Combine(all[v], first);
    }
  }
}

// Combines the elements of a run. A run of at most 16 long vectors is combined as FoldImages does it.
template <class Op, class D, typename From>
HWY_INLINE hn::TFromD<D> FoldRun(D d, const From *run, int64_t length) {
  constexpr int64_t kLong = kLongLanes<hn::TFromD<D>>;
  using Long = hn::Vec<D>[kLongVectors<D>];
  Long all;
  std::fill_n(all, kLongVectors<D>, Op::Identity(d));
  if (length < kLong) {
    FoldPart<Op, false>(d, run, length, all);
  } else {
    int64_t x = 0;
    if (length > kShortRun<hn::TFromD<D>>) {
      Long more;
      std::fill_n(more, kLongVectors<D>, Op::Identity(d));
      for (; x + 2 * kLong <= length; x += 2 * kLong) {
        FoldLong<Op>(d, run + x, all);
        FoldLong<Op>(d, run + x + kLong, more);
      }
      for (int64_t v = 0; v < kLongVectors<D>; ++v) all[v] = Op::Combine(all[v], more[v]);
    }
    for (; x + kLong <= length; x += kLong) FoldLong<Op>(d, run + x, all);
    // The last long vector overlaps the one before it.
    if (x < length) FoldPart<Op, true>(d, run + length - kLong, length - x, all);
  }
  return FoldLanes<Op>(d, FoldVectors<Op>(all));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
