// SPDX-License-Identifier: Apache-2.0
// The largest or smallest of elements that are contiguous in memory, and the index of a value. This file is
// compiled once for each instruction set.
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

// An order of keys. Where it says `before` and `after`, an element that comes first may differ in its bits
// from an equal one that comes later: zeros of both signs.
struct Largest {
  template <class V>
  static HWY_INLINE V Combine(V before, V after) {
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
  template <class V>
  static HWY_INLINE auto NotBetter(V value, V best) {
    return hn::Le(value, best);
  }
  template <class D>
  static HWY_INLINE hn::TFromD<D> CombineLanes(D d, hn::Vec<D> value) {
    return hn::ReduceMax(d, value);
  }
  template <typename Key>
  static bool Better(Key key, Key best) {
    return key > best;
  }
};

struct Smallest {
  template <class V>
  static HWY_INLINE V Combine(V before, V after) {
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
  template <class V>
  static HWY_INLINE auto NotBetter(V value, V best) {
    return hn::Ge(value, best);
  }
  template <class D>
  static HWY_INLINE hn::TFromD<D> CombineLanes(D d, hn::Vec<D> value) {
    return hn::ReduceMin(d, value);
  }
  template <typename Key>
  static bool Better(Key key, Key best) {
    return key < best;
  }
};

template <typename Key>
struct Extreme {
  Key best;  // of the elements that are numbers, if there are any
  bool nan;  // whether there is a NaN
};

// The extremes of four pieces, lane by lane, and the lanes in which any piece has a NaN.
template <class D>
struct FourExtremes {
  hn::Vec<D> a, b, c, e;
  hn::Mask<D> nan;
};

// Finds the extremes of four pieces of `count` elements each, `step` elements apart. `count` is a multiple of
// Lanes(d). The pieces are read side by side, so that no vector waits for the one before it. Memory serves
// four streams, too, where a processor ceases to fetch one ahead at the end of a page.
//
//   from   [ piece a | piece b | piece c | piece e ]     count may be less than step
//
// next: elements from a vector of a piece to its next one. With a step of Lanes(d) and a next of 4 *
// Lanes(d), the vectors of the pieces take turns, and memory is read from front to back.
template <class Order, class D, typename T>
HWY_INLINE FourExtremes<D> ExtremesOfFourPieces(D d, const T *from, int64_t step, int64_t count,
                                                int64_t next = hn::MaxLanes(D())) {
  auto a = LoadKey(d, from), b = LoadKey(d, from + step), c = LoadKey(d, from + 2 * step),
       e = LoadKey(d, from + 3 * step);
  auto nan = hn::Or(IsEitherNaNKey(d, a, b), IsEitherNaNKey(d, c, e));
  const int64_t end = count / hn::MaxLanes(d) * next;
  for (int64_t i = next; i < end; i += next) {
    const auto w = LoadKey(d, from + i), x = LoadKey(d, from + step + i), y = LoadKey(d, from + 2 * step + i),
               z = LoadKey(d, from + 3 * step + i);
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      HWY_FENCE;  // GCC would load each vector twice, once for each use: 1.25 x from L2
      nan = hn::Or(nan, hn::Or(hn::IsEitherNaN(w, x), hn::IsEitherNaN(y, z)));
    }
    a = Order::Combine(a, w);
    b = Order::Combine(b, x);
    c = Order::Combine(c, y);
    e = Order::Combine(e, z);
  }
  return {a, b, c, e, nan};
}

// Finds the extreme of `count` > 0 elements.
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
  auto [a, b, c, e, nan] = ExtremesOfFourPieces<Order>(d, from, piece, piece);
  for (int64_t i = 4 * piece; i < count; i += kLanes) {
    // The last vector overlaps the one before it.
    const auto w = LoadKey(d, from + std::min(i, count - kLanes));
    nan = hn::Or(nan, IsNaNKey(d, w));
    a = Order::Combine(a, w);
  }
  return {Order::CombineLanes(d, Order::Combine(Order::Combine(a, b), Order::Combine(c, e))),
          !hn::AllFalse(d, nan)};
}

// Marks the lanes that are equal to `key`, or NaN if `key` is NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> Matches(D d, V keys, hn::TFromD<D> key) {
  return key == key ? hn::Eq(keys, hn::Set(d, key)) : IsNaNKey(d, keys);
}

// Returns the first index of `key`, or of a NaN if `key` is NaN; -1 if there is none.
template <typename T>
int64_t FindFirst(const T *from, int64_t count, Compute<T> key) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t i = 0;
  // Several vectors share a branch, because no processor predicts where to stop.
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

// Returns the last index, in the same way.
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

// Returns the first or the last index of `key`, which is a number and is among `count` elements, at least one
// vector of them. It looks at all elements: for a few vectors that takes less time than a branch that no
// processor predicts, and work on the next line can begin meanwhile.
template <typename T>
HWY_INLINE int64_t FindInVectors(const T *from, int64_t count, Compute<T> key, bool last) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const auto keys = hn::Set(d, key);
  int64_t at = last ? -1 : hwy::LimitsMax<int64_t>();
  for (int64_t word = 0; word < count; word += 64) {
    uint64_t bits = 0;  // bit i for element word + i
    for (int64_t i = word; i < std::min(word + 64, count); i += kLanes) {
      // The last vector overlaps the one before it.
      const int64_t begin = std::min(i, count - kLanes);
      const uint64_t mask = hn::BitsFromMask(d, hn::Eq(LoadKey(d, from + begin), keys));
      bits |= mask >> (i - begin) << (i - word);
    }
    // Sums in place of branches.
    const int64_t none = static_cast<int64_t>(bits == 0) << 62;
    const auto lowest = static_cast<int64_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits | 1ull << 63));
    const auto highest = 63 - static_cast<int64_t>(hwy::Num0BitsAboveMS1Bit_Nonzero64(bits | 1));
    at = last ? std::max(at, word + highest - none) : std::min(at, word + lowest + none);
  }
  return at;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
