// SPDX-License-Identifier: Apache-2.0
// Running extremes of lines, and their indices. This file is compiled once for each instruction set.
//
// A line whose elements are contiguous is scanned a vector at a time. Each step combines every lane with a
// lane before it, at twice the distance of the step before:
//
//   keys            3  1  4  1  5  9  2  6
//   distance 1      3  3  4  4  5  9  9  6
//   distance 2      3  3  4  4  5  9  9  9
//   distance 4      3  3  4  4  5  9  9  9
#if defined(AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#undef AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#else
#define AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/scan/extremes-inl.h"
#include "op_cpu/scan/scan_columns-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Whether an element becomes the leader: where it is NaN, or not worse than the best before it. So of equal
// elements the last one leads, and a NaN leads until the next NaN.
template <class Order, typename Key>
bool Leads(Key key, Key best) {
  return !(Order::Better(best, key) || best != best) || key != key;
}

template <typename Key>
struct Leader {
  Key best{};
  int64_t at = -1;  // its index along the line; -1 before the first element
};

template <class Order, typename T, typename I>
class Scan {
 public:
  using Key = KeyOf<T>;
  using Io = Scanned<T, I>;

  // Scans `count` elements of any steps, the first of which has index `base`.
  static HWY_NOINLINE void OneByOne(const Io &io, int64_t count, int64_t base, Leader<Key> *leader) {
    for (int64_t i = 0; i < count; ++i) {
      const Key key = static_cast<Key>(Widen(io.from[i * io.from_step]));
      if (leader->at < 0 || Leads<Order>(key, leader->best)) *leader = {key, base + i};
      io.to[i * io.to_step] = Narrow<T>(static_cast<Compute<T>>(leader->best));
      if constexpr (kIndices) io.at[i * io.at_step] = static_cast<I>(leader->at);
    }
  }

  // Scans contiguous elements: steps are 1, or -1 where kReverse. It takes log2(lanes) steps for each vector,
  // and is 7 x as fast as one element after the other, at AVX-512. With `stream`, results go around the
  // caches from the first element on that is aligned.
  template <bool kReverse>
  static void Line(const Io &io, int64_t count, int64_t base, bool stream, Leader<Key> *leader) {
    static_assert(!kReverse || !kIndices);
    // Lanes count indices from `base` on, in as many bits as a key has.
    const int64_t distance = leader->at < 0 ? count : base + count - leader->at;
    if (count < kLanes || distance > hwy::LimitsMax<LaneIndex>()) return OneByOne(io, count, base, leader);
    if constexpr (!kReverse) {
      const int64_t head =
          Misaligned(io.to) == 0 ? 0 : kAlignment / sizeof(T) - Misaligned(io.to) / sizeof(T);
      if (stream && head > 0 && count >= head + kLanes) {
        OneByOne(io, head, base, leader);
        return Line<kReverse>(io.FromIndex(head), count - head, base + head, stream, leader);
      }
      if constexpr (kIndices) stream = stream && Misaligned(io.at) == 0;
      stream = stream && Misaligned(io.to) == 0;
    }
    if (leader->at < 0) *leader = {static_cast<Key>(Widen(io.from[0])), base};

    // Processors cease to fetch ahead at the end of a page; the prefetch gives 1.1 x for rows of 128. Behind
    // a short line lies the next line, in either direction.
    const int64_t ahead = kReverse && count > kPage ? -kPage : kPage;
    const D d;
    const DI di;
    const Steps<kReverse> steps;
    const auto last = hn::IndicesFromVec(d, hn::Set(di, kReverse ? 0 : kLanes - 1));
    const auto none = hn::Set(di, hwy::LimitsMin<LaneIndex>());
    V best = hn::Set(d, leader->best);
    auto best_at = hn::Set(di, static_cast<LaneIndex>(leader->at - base));
    for (int64_t i = 0; i < count; i += kLanes) {
      if (i + kLanes > count) {
        if (stream) {
          // Results that went around the caches would have to come back from memory.
          *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
          return OneByOne(io.FromIndex(i), count - i, base + i, leader);
        }
        // The last vector overlaps the one before it, and begins with the result at the index before its own.
        i = count - kLanes;
        best = hn::Set(d, static_cast<Key>(Widen(io.FromIndex(i - 1).to[0])));
        if constexpr (kIndices) best_at = hn::Set(di, static_cast<LaneIndex>(io.at[i - 1] - base));
      }
      const int64_t lowest = kReverse ? 1 - i - kLanes : i;
      const V keys = LoadKey(d, io.from + lowest);
      hwy::Prefetch(io.from + lowest + ahead);
      if constexpr (kIndices) {
        if (!stream) {
          FetchAhead(io.to + lowest);
          FetchAhead(io.at + lowest);
        }
      }
      V running = best;
      auto index = best_at;
      // In a vector of few lanes, or far into a line, there is seldom a new leader, and a branch skips the
      // steps: 1.3 x for one long line. Elsewhere the branch goes either way, and costs more than the steps:
      // without it, rows of 128 are 1.1 x as fast with indices, and 1.7 x without them; rows of 110 int64, of
      // which many are equal, 1.3 x.
      const bool rare = kLanes <= 4 || i >= 32 * kLanes;
      if (!rare || !hn::AllTrue(d, Order::Worse(keys, best))) {
        if (hn::AllFalse(d, IsEitherNaNKey(d, keys, best))) {
          running = Order::Combine(best, steps.template Running<Order>(keys));
          if constexpr (kIndices) {
            const auto leads = hn::RebindMask(di, hn::Eq(keys, running));
            const auto fresh_at = hn::IfThenElse(leads, hn::Iota(di, static_cast<LaneIndex>(i)), none);
            index = hn::Max(best_at, steps.template Running<Largest>(fresh_at));
          }
        } else {
          const Results results = WithNaN<kReverse>(steps, keys, static_cast<LaneIndex>(i), best, best_at);
          running = results.leaders;
          index = results.indices;
        }
        best = Moved(running, last);
        if constexpr (kIndices) best_at = Moved(index, last);
      }
      if constexpr (kIndices) PutIndices(index, di, base, io.at + lowest, stream);
      PutKey(running, d, io.to + lowest, stream);
    }
    *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
  }

  // Finds the leader at the end of `count` contiguous elements, the first of which has index `base`.
  template <bool kReverse>
  static Leader<Key> LeaderOf(const T *from, int64_t count, int64_t base) {
    const auto extreme = ExtremeOf<Order>(from, count);
    const auto best = extreme.nan ? std::numeric_limits<Compute<T>>::quiet_NaN() : extreme.best;
    const int64_t at = kReverse ? count - 1 - FindFirst(from, count, best) : FindLast(from, count, best);
    return {static_cast<Key>(best), base + at};
  }

 private:
  static constexpr int64_t kAlignment = 64;
  static int64_t Misaligned(const void *data) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % kAlignment);
  }

  static constexpr bool kIndices = !std::is_void_v<I>;
  static constexpr int64_t kPage = 4096 / sizeof(T);
  using D = hn::ScalableTag<Key>;
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;
  using LaneIndex = hn::TFromD<DI>;

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 private:
  // Prefetches the lines of the caches that get a vector of results soon: 2 x for rows of 479 int64 whose
  // results do not stay in the caches.
  template <typename Element>
  static HWY_INLINE void FetchAhead(const Element *to) {
    constexpr int64_t kLine = 64 / sizeof(Element), kAhead = 16 * kLine;
    for (int64_t i = 0; i < kLanes; i += kLine) hwy::Prefetch(to + kAhead + i);
  }

  // For each lane, the number of the lane `step` before it, or its own number where there is none.
  template <bool kReverse>
  static HWY_INLINE auto Before(LaneIndex step) {
    const DI di;
    const auto lane = hn::Iota(di, 0), before = hn::Sub(lane, hn::Set(di, kReverse ? -step : step));
    const auto inside = hn::And(hn::Ge(before, hn::Zero(di)), hn::Lt(before, hn::Set(di, kLanes)));
    return hn::IndicesFromVec(D(), hn::IfThenElse(inside, before, lane));
  }

  // Combines each lane with all lanes before it, in log2(lanes) steps.
  template <bool kReverse>
  struct Steps {
    HWY_INLINE Steps()
        : by1(Before<kReverse>(1)),
          by2(Before<kReverse>(2)),
          by4(Before<kReverse>(4)),
          by8(Before<kReverse>(8)) {}

    template <class By, class Value>
    HWY_INLINE Value Running(Value value) const {
      value = By::Combine(Moved(value, by1), value);
      if constexpr (kLanes > 2) value = By::Combine(Moved(value, by2), value);
      if constexpr (kLanes > 4) value = By::Combine(Moved(value, by4), value);
      if constexpr (kLanes > 8) value = By::Combine(Moved(value, by8), value);
      return value;
    }

    decltype(Before<kReverse>(1)) by1, by2, by4, by8;
  };

  struct Results {
    V leaders;
    hn::Vec<DI> indices;
  };

  // Scans a vector of keys with NaN among them, or behind a NaN. `best` and `best_at` are the leader before
  // them, in all lanes, and i is the index of the first key. From the first NaN of the keys on, the last NaN
  // before each lane leads; it is found as the largest index is. The keys before the first NaN are scanned
  // without the NaNs.
  template <bool kReverse>
  static HWY_NOINLINE Results WithNaN(const Steps<kReverse> &steps, V keys, LaneIndex i, V best,
                                      hn::Vec<DI> best_at) {
    const D d;
    const DI di;
    const auto lane = hn::Iota(di, 0), back = hn::Sub(hn::Set(di, kLanes - 1), lane);
    const auto place = kReverse ? back : lane, none = hn::Set(di, hwy::LimitsMin<LaneIndex>());
    const auto nan = IsNaNKey(d, keys);
    V running = best;
    auto index = best_at;
    if (hn::AllFalse(d, IsNaNKey(d, best))) {
      const V numbers = hn::IfThenElse(nan, best, keys);
      running = Order::Combine(best, steps.template Running<Order>(numbers));
      if constexpr (kIndices) {
        const auto leads = hn::RebindMask(di, hn::AndNot(nan, hn::Eq(keys, running)));
        const auto fresh_at = hn::IfThenElse(leads, hn::Add(place, hn::Set(di, i)), none);
        index = hn::Max(best_at, steps.template Running<Largest>(fresh_at));
      }
    }
    const auto last_nan =
        steps.template Running<Largest>(hn::IfThenElse(hn::RebindMask(di, nan), place, none));
    const auto led = hn::Ge(last_nan, hn::Zero(di));
    const auto from =
        hn::IfThenElseZero(led, kReverse ? hn::Sub(hn::Set(di, kLanes - 1), last_nan) : last_nan);
    const V nans = hn::TableLookupLanes(keys, hn::IndicesFromVec(d, from));
    return {hn::IfThenElse(hn::RebindMask(d, led), nans, running),
            hn::IfThenElse(led, hn::Add(last_nan, hn::Set(di, i)), index)};
  }

  template <class Value, class Table>
  static HWY_INLINE Value Moved(Value value, const Table &table) {
    return hn::BitCast(hn::DFromV<Value>(), hn::TableLookupLanes(hn::BitCast(D(), value), table));
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
