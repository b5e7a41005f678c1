// SPDX-License-Identifier: Apache-2.0
// Rows combined element by element. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_FOLD_INL_H_
#undef AVO_OP_CPU_COMMON_FOLD_INL_H_
#else
#define AVO_OP_CPU_COMMON_FOLD_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A maximum, where a NaN stays, whichever side it is on: Max() itself gives b where there is one.
struct Largest {
  template <class D>
  static HWY_INLINE hn::Vec<D> Identity(D d) {
    return hn::Set(d, -std::numeric_limits<hn::TFromD<D>>::infinity());
  }
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::MaskedMaxOr(a, hn::Eq(a, a), a, b);
  }
};

struct Total {
  template <class D>
  static HWY_INLINE hn::Vec<D> Identity(D d) {
    return hn::Zero(d);
  }
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::Add(a, b);
  }
};

// What is stored of elements i, i + 1, …
struct AsItIs {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> value, size_t) const {
    return value;
  }
};

template <typename T>
struct TimesEach {
  const T *factors;  // may be read for one vector more
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

// Fewer elements than a vector has, as they are in memory.
template <class D, typename T>
using RawTag = hn::Rebind<std::conditional_t<sizeof(T) == 2, uint16_t, hn::TFromD<D>>, D>;

template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadFirst(D d, const T *from, size_t count) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) return hn::LoadN(d, from, count);
  const RawTag<D, T> raw;
  T elements[hn::MaxLanes(d)];
  hn::StoreU(hn::LoadN(raw, reinterpret_cast<const hn::TFromD<decltype(raw)> *>(from), count), raw,
             reinterpret_cast<hn::TFromD<decltype(raw)> *>(elements));
  return LoadFloat(d, elements);
}

template <class D, typename T>
HWY_INLINE void StoreFirst(hn::Vec<D> value, D d, T *to, size_t count) {
  if constexpr (std::is_same_v<T, hn::TFromD<D>>) return hn::StoreN(value, d, to, count);
  const RawTag<D, T> raw;
  T elements[hn::MaxLanes(d)];
  StoreFloat(value, d, elements);
  hn::StoreN(hn::LoadU(raw, reinterpret_cast<const hn::TFromD<decltype(raw)> *>(elements)), raw,
             reinterpret_cast<hn::TFromD<decltype(raw)> *>(to), count);
}

template <class Op, class D, typename From, typename... Rows>
HWY_INLINE hn::Vec<D> FoldVector(D d, size_t i, const From *first, Rows... rest) {
  auto all = LoadFloat(d, first + i);
  ((all = Op::Combine(all, LoadFloat(d, rest + i))), ...);
  return all;
}

// A number of rows known at compile time: their addresses stay in registers. At least one vector long.
template <class Op, class D, class Finish, typename To, typename... Rows>
HWY_INLINE void FoldFew(D d, size_t length, const Finish &finish, To *to, Rows... rows) {
  const size_t lanes = hn::Lanes(d);
  // The last vector overlaps the one before it.
  for (size_t x = 0; x < length; x += lanes) {
    const size_t i = std::min(x, length - lanes);
    StoreFloat(finish(d, FoldVector<Op>(d, i, rows...), i), d, to + i);
  }
}

template <class Op, class D, typename From, class Finish, typename To>
void FoldMany(D d, const From *const *rows, size_t offset, size_t count, size_t length, const Finish &finish,
              To *to) {
  const size_t lanes = hn::Lanes(d);
  size_t x = 0;
  for (; x + 4 * lanes <= length; x += 4 * lanes) {
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
  for (; x < length; x += lanes) {
    const size_t i = std::min(x, length - lanes);
    auto all = LoadFloat(d, rows[0] + offset + i);
    for (size_t r = 1; r < count; ++r) all = Op::Combine(all, LoadFloat(d, rows[r] + offset + i));
    StoreFloat(finish(d, all, i), d, to + i);
  }
}

// to[i] = finish(rows[0][offset + i], rows[1][offset + i], … combined) for i < length; of at least one row.
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
  } else if (count == 5) {
    FoldFew<Op>(d, length, finish, to, rows[0] + offset, rows[1] + offset, rows[2] + offset, rows[3] + offset,
                rows[4] + offset);
  } else {
    FoldMany<Op>(d, rows, offset, count, length, finish, to);
  }
}

template <class Op, class D>
HWY_INLINE hn::TFromD<D> FoldLanes([[maybe_unused]] D d, hn::Vec<D> value) {
  if constexpr (hn::MaxLanes(D()) == 1) {
    return hn::GetLane(value);
  } else {
    const hn::Half<D> half;
    return FoldLanes<Op>(half, Op::Combine(hn::LowerHalf(half, value), hn::UpperHalf(half, value)));
  }
}

// All elements of a run combined.
template <class Op, class D, typename From>
HWY_INLINE hn::TFromD<D> FoldRun(D d, const From *run, size_t length) {
  const size_t lanes = hn::Lanes(d);
  auto all = Op::Identity(d), more = all;
  size_t x = 0;
  for (; x + 2 * lanes <= length; x += 2 * lanes) {
    all = Op::Combine(all, LoadFloat(d, run + x));
    more = Op::Combine(more, LoadFloat(d, run + x + lanes));
  }
  if (x + lanes <= length) {
    all = Op::Combine(all, LoadFloat(d, run + x));
    x += lanes;
  }
  if (x < length) {
    const auto last = LoadFirst(d, run + x, length - x);
    more = Op::Combine(more, hn::IfThenElse(hn::FirstN(d, length - x), last, Op::Identity(d)));
  }
  return FoldLanes<Op>(d, Op::Combine(all, more));
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
