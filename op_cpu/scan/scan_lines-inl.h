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
  static constexpr bool kIndices = !std::is_void_v<I>;

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
          FetchAhead<kLanes>(io.to + lowest);
          FetchAhead<kLanes>(io.at + lowest);
        }
      }
      V running = best;
      auto index = best_at;
      const auto indices_of = [&](V leaders) HWY_ATTR {
        const auto leads = hn::RebindMask(di, hn::Eq(keys, leaders));
        const auto fresh_at = hn::IfThenElse(leads, hn::Iota(di, static_cast<LaneIndex>(i)), none);
        return hn::Max(best_at, steps.template Running<Largest>(fresh_at));
      };
      // In a vector of few lanes there is seldom a new leader, and a branch skips the steps. With more lanes
      // and few different elements that branch goes either way, and costs more than the steps: 1.4 x without
      // it. But behind the first vectors there is seldom a better key, so the steps for keys are skipped, and
      // those for indices find the last equal one: 1.3 to 2 x as fast for lines of some hundred elements.
      if (kLanes > 4 || !hn::AllTrue(d, Order::Worse(keys, best))) {
        if (kLanes > 4 && i >= kLanes && Stays(keys, best)) {
          if constexpr (kIndices) index = indices_of(best);
        } else {
          if (hn::AllFalse(d, IsEitherNaNKey(d, keys, best))) {
            running = Order::Combine(best, steps.template Running<Order>(keys));
            if constexpr (kIndices) index = indices_of(running);
          } else {
            const Results results = WithNaN<kReverse>(steps, keys, static_cast<LaneIndex>(i), best, best_at);
            running = results.leaders;
            index = results.indices;
          }
          best = Moved(running, last);
        }
        if constexpr (kIndices) best_at = Moved(index, last);
      }
      if constexpr (kIndices) PutIndices(index, di, base, io.at + lowest, stream);
      PutKey(running, d, io.to + lowest, stream);
    }
    *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
  }

  // Scans lines of fewer elements than a vector has lanes, one behind the other. A vector holds as many lines
  // as fit, and in the lanes that are left a part of the next line. The results of that part are written over
  // by the next vector:
  //
  //   8 lanes    a0 a1 a2 b0 b1 b2 c0 c1 | then    c0 c1 c2 d0 d1 d2 e0 e1
  //
  // At AVX-512 it is 5 x as fast, for lines of 2 and of 15 elements, as transposing them to lanes and back.
  template <bool kReverse>
  static void ShortLines(Io io, int64_t length, int64_t lines) {
    const D d;
    const DI di;
    alignas(64) LaneIndex places[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) {
      places[i] = static_cast<LaneIndex>((kReverse ? kLanes - 1 - i : i) % length);
    }
    const Steps<kReverse> steps(hn::Load(di, places));
    const auto none = hn::Set(di, hwy::LimitsMin<LaneIndex>());
    const int64_t together = kLanes / length, lowest = kReverse ? 1 - kLanes : 0;
    const auto next = [&](int64_t count) {
      const int64_t elements = kReverse ? -count * length : count * length;
      io = io.Shifted(elements, elements, elements);
      lines -= count;
    };
    if (kReverse) io = io.Shifted((lines - 1) * length, (lines - 1) * length, 0);
    for (; lines * length >= kLanes; next(together)) {
      const V keys = LoadKey(d, io.from + lowest);
      V running = steps.template Running<Order>(keys);
      auto index = hn::Zero(di);
      if (hn::AllFalse(d, IsNaNKey(d, keys))) {
        if constexpr (kIndices) {
          const auto leads = hn::RebindMask(di, hn::Eq(keys, running));
          index = steps.template Running<Largest>(hn::IfThenElse(leads, steps.place, none));
        }
      } else {
        const V first = hn::TableLookupLanes(keys, hn::IndicesFromVec(d, steps.Back(steps.place)));
        const Results results = WithNaN<kReverse>(steps, keys, 0, first, index);
        running = results.leaders;
        index = results.indices;
      }
      if constexpr (kIndices) PutIndices(index, di, 0, io.at, false);
      PutKey(running, d, io.to + lowest, false);
    }
    // A vector would reach beyond the last lines, or before the first ones.
    for (; lines > 0; next(1)) {
      Leader<Key> leader;
      OneByOne(io, length, 0, &leader);
    }
  }

  // Finds the leader at the end of `count` contiguous elements, the first of which has index `base`.
  template <bool kReverse>
  static Leader<Key> LeaderOf(const T *from, int64_t count, int64_t base) {
    const auto extreme = ExtremeOf<Order>(from, count);
    const auto best = extreme.nan ? std::numeric_limits<Compute<T>>::quiet_NaN() : extreme.best;
    const int64_t at = (kReverse ? FindFirst<T> : FindLast<T>)(from, count, best);
    // Of zeros of both signs, `best` need not be the one that leads.
    return {static_cast<Key>(Widen(from[at])), base + (kReverse ? count - 1 - at : at)};
  }

 private:
  using D = hn::ScalableTag<Key>;
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;
  using LaneIndex = hn::TFromD<DI>;

  static constexpr int64_t kAlignment = 64;
  static int64_t Misaligned(const void *data) {
    return static_cast<int64_t>(reinterpret_cast<uintptr_t>(data) % kAlignment);
  }

  // Whether `best` stays the best key behind these keys, to its last bit: the last of equal zeros leads, and
  // zeros have two signs.
  static HWY_INLINE bool Stays(V keys, V best) {
    const D d;
    const auto stays = Order::NotBetter(keys, best);
    if constexpr (hwy::IsFloat<Key>()) {
      return hn::AllTrue(d, hn::And(stays, hn::Ne(best, hn::Zero(d))));
    } else {
      return hn::AllTrue(d, stays);
    }
  }

  static constexpr int64_t kPage = 4096 / sizeof(T);

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 private:
  // Combines each lane with all lanes of its line before it, in log2(lanes) steps.
  template <bool kReverse>
  struct Steps {
    // place: for each lane, the index of its element along the line, or along the part of it in the vector.
    HWY_INLINE explicit Steps(hn::Vec<DI> place)
        : place(place), by1(Before(1)), by2(Before(2)), by4(Before(4)), by8(Before(8)) {}
    HWY_INLINE Steps() : Steps(kReverse ? hn::Reverse(DI(), hn::Iota(DI(), 0)) : hn::Iota(DI(), 0)) {}

    // For each lane, the number of the lane `count` elements before it.
    HWY_INLINE hn::Vec<DI> Back(hn::Vec<DI> count) const {
      const auto lane = hn::Iota(DI(), 0);
      return kReverse ? hn::Add(lane, count) : hn::Sub(lane, count);
    }

    // The same for `step` elements; the lane's own number where there is none.
    HWY_INLINE auto Before(LaneIndex step) const {
      const auto count = hn::Set(DI(), step);
      return hn::IndicesFromVec(D(), Back(hn::IfThenElseZero(hn::Ge(place, count), count)));
    }

    template <class By, class Value>
    HWY_INLINE Value Running(Value value) const {
      value = By::Combine(Moved(value, by1), value);
      if constexpr (kLanes > 2) value = By::Combine(Moved(value, by2), value);
      if constexpr (kLanes > 4) value = By::Combine(Moved(value, by4), value);
      if constexpr (kLanes > 8) value = By::Combine(Moved(value, by8), value);
      return value;
    }

    hn::Vec<DI> place;
    decltype(hn::IndicesFromVec(D(), hn::Vec<DI>())) by1, by2, by4, by8;
  };

  struct Results {
    V leaders;
    hn::Vec<DI> indices;
  };

  // Scans a vector of keys with NaN among them, or behind a NaN. `best` and `best_at` are the leader before
  // them, and i is the index of the first key. From the first NaN of the keys on, the last NaN before each
  // lane leads; it is found as the largest index is. The keys before the first NaN are scanned without the
  // NaNs.
  template <bool kReverse>
  static HWY_NOINLINE Results WithNaN(const Steps<kReverse> &steps, V keys, LaneIndex i, V best,
                                      hn::Vec<DI> best_at) {
    const D d;
    const DI di;
    const auto none = hn::Set(di, hwy::LimitsMin<LaneIndex>()), begin = hn::Set(di, i);
    const auto nan = IsNaNKey(d, keys), stays = IsNaNKey(d, best);
    const V numbers = hn::IfThenElse(nan, best, keys);
    const V running = Order::Combine(best, steps.template Running<Order>(numbers));
    const V leaders = hn::IfThenElse(stays, best, running);
    auto index = best_at;
    if constexpr (kIndices) {
      const auto leads = hn::RebindMask(di, hn::AndNot(nan, hn::Eq(keys, leaders)));
      const auto fresh_at = hn::IfThenElse(leads, hn::Add(steps.place, begin), none);
      index = hn::Max(best_at, steps.template Running<Largest>(fresh_at));
    }
    const auto last_nan =
        steps.template Running<Largest>(hn::IfThenElse(hn::RebindMask(di, nan), steps.place, none));
    const auto led = hn::Ge(last_nan, hn::Zero(di));
    const auto from = steps.Back(hn::IfThenElseZero(led, hn::Sub(steps.place, last_nan)));
    const V nans = hn::TableLookupLanes(keys, hn::IndicesFromVec(d, from));
    return {hn::IfThenElse(hn::RebindMask(d, led), nans, leaders),
            hn::IfThenElse(led, hn::Add(last_nan, begin), index)};
  }

  template <class Value, class Table>
  static HWY_INLINE Value Moved(Value value, const Table &table) {
    return hn::BitCast(hn::DFromV<Value>(), hn::TableLookupLanes(hn::BitCast(D(), value), table));
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
