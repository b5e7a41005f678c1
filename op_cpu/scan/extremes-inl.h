// SPDX-License-Identifier: Apache-2.0
// The largest or smallest of neighbours in memory, and where a value is. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_COMMON_EXTREMES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_EXTREMES_INL_H_
#undef AVO_OP_CPU_COMMON_EXTREMES_INL_H_
#else
#define AVO_OP_CPU_COMMON_EXTREMES_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/scan/keys-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct Largest {
  template <class V>
  static HWY_INLINE V Of(V before, V after) {
    return hn::Max(before, after);
  }
  template <class V>
  static HWY_INLINE auto NotWorse(V value, V best) {
    return hn::Ge(value, best);
  }
  template <class V>
  static HWY_INLINE auto Worse(V value, V best) {
    return hn::Lt(value, best);
  }
  template <class D>
  static HWY_INLINE hn::TFromD<D> OfLanes(D d, hn::Vec<D> value) {
    return hn::ReduceMax(d, value);
  }
  template <typename Key>
  static bool Better(Key key, Key best) {
    return key > best;
  }
};

struct Smallest {
  template <class V>
  static HWY_INLINE V Of(V before, V after) {
    return hn::Min(before, after);
  }
  template <class V>
  static HWY_INLINE auto NotWorse(V value, V best) {
    return hn::Le(value, best);
  }
  template <class V>
  static HWY_INLINE auto Worse(V value, V best) {
    return hn::Gt(value, best);
  }
  template <class D>
  static HWY_INLINE hn::TFromD<D> OfLanes(D d, hn::Vec<D> value) {
    return hn::ReduceMin(d, value);
  }
  template <typename Key>
  static bool Better(Key key, Key best) {
    return key < best;
  }
};

template <typename Key>
struct Extreme {
  Key best;  // of those that are numbers, where any is
  bool nan;  // whether any is not
};

// Of four pieces, a vector each, and where any of them is NaN.
template <class D>
struct Pieces {
  hn::Vec<D> a, b, c, e;
  hn::Mask<D> nan;
};

// Of `count` elements, a multiple of Lanes(d), from each of four places `step` apart: side by side, so that
// no vector waits for the one before it, and more is on its way from memory where processors cease to fetch
// ahead at the end of a page.
template <class Order, class D, typename T>
HWY_INLINE Pieces<D> ExtremesOfPieces(D d, const T *from, int64_t step, int64_t count) {
  auto a = LoadKey(d, from), b = LoadKey(d, from + step), c = LoadKey(d, from + 2 * step),
       e = LoadKey(d, from + 3 * step);
  auto nan = IsNaNKey(d, a);
  for (int64_t i = 0; i < count; i += hn::MaxLanes(d)) {
    const auto w = LoadKey(d, from + i), x = LoadKey(d, from + step + i), y = LoadKey(d, from + 2 * step + i),
               z = LoadKey(d, from + 3 * step + i);
    nan = hn::Or(nan, hn::Or(IsEitherNaNKey(d, w, x), IsEitherNaNKey(d, y, z)));
    a = Order::Of(a, w);
    b = Order::Of(b, x);
    c = Order::Of(c, y);
    e = Order::Of(e, z);
  }
  return {a, b, c, e, nan};
}

// Of `count` > 0 elements.
template <class Order, typename T>
HWY_NOINLINE Extreme<Compute<T>> ExtremeOf(const T *from, int64_t count) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  if (count < kLanes) {
    Extreme<Compute<T>> extreme{Widen(from[0]), false};
    for (int64_t i = 0; i < count; ++i) {
      const Compute<T> key = Widen(from[i]);
      extreme.nan |= key != key;
      extreme.best = Order::Better(key, extreme.best) ? key : extreme.best;
    }
    return extreme;
  }
  const int64_t piece = count / (4 * kLanes) * kLanes;
  auto [a, b, c, e, nan] = ExtremesOfPieces<Order>(d, from, piece, piece);
  for (int64_t i = 4 * piece; i < count; i += kLanes) {
    // The last vector overlaps the one before it.
    const auto w = LoadKey(d, from + std::min(i, count - kLanes));
    nan = hn::Or(nan, IsNaNKey(d, w));
    a = Order::Of(a, w);
  }
  return {Order::OfLanes(d, Order::Of(Order::Of(a, b), Order::Of(c, e))), !hn::AllFalse(d, nan)};
}

// Lanes that are `key`, or NaN where that is.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> Matches(D d, V keys, hn::TFromD<D> key) {
  return key == key ? hn::Eq(keys, hn::Set(d, key)) : IsNaNKey(d, keys);
}

// The first place of `key`, of a NaN where that is one; -1 where there is none.
template <typename T>
int64_t FindFirst(const T *from, int64_t count, Compute<T> key) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  // Several vectors to a branch, since where to stop cannot be predicted.
  constexpr int64_t kVectors = std::min<int64_t>(4, 64 / kLanes);
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    uint64_t bits = 0;
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      const auto keys = LoadKey(d, from + i + v * kLanes);
      bits |= static_cast<uint64_t>(hn::BitsFromMask(d, Matches(d, keys, key))) << (v * kLanes);
    }
    if (bits != 0) return i + static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
  }
  for (; count >= kLanes && i < count; i += kLanes) {
    // The last vector overlaps the one before it.
    const int64_t first = std::min(i, count - kLanes);
    const int64_t lane = hn::FindFirstTrue(d, Matches(d, LoadKey(d, from + first), key));
    if (lane >= 0) return first + lane;
  }
  for (i = 0; i < std::min(count, kLanes - 1); ++i) {
    const Compute<T> other = Widen(from[i]);
    if (other == key || (key != key && other != other)) return i;
  }
  return -1;
}

// The last one.
template <typename T>
int64_t FindLast(const T *from, int64_t count, Compute<T> key) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  for (; count >= kLanes; count -= kLanes) {
    const int64_t lane = hn::FindLastTrue(d, Matches(d, LoadKey(d, from + count - kLanes), key));
    if (lane >= 0) return count - kLanes + lane;
  }
  while (--count >= 0) {
    const Compute<T> other = Widen(from[count]);
    if (other == key || (key != key && other != other)) break;
  }
  return count;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
