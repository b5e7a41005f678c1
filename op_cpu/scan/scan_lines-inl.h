// SPDX-License-Identifier: Apache-2.0
// Running extremes of lines, and where they are. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#undef AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#else
#define AVO_OP_CPU_COMMON_SCAN_LINES_INL_H_
#endif

#include <limits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/scan/extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An element takes the lead where it is NaN or not worse than the best before it; so ties go to the latest,
// and NaN stays until the next NaN.
template <class Order, typename Key>
bool Leads(Key key, Key best) {
  return !(Order::Better(best, key) || best != best) || key != key;
}

template <typename Key>
struct Leader {
  Key best{};
  int64_t at = -1;  // in its line; -1 before the first element
};

// Elements of a line, or of several, and where their results go. I is void where indices are not wanted.
template <typename T, typename I>
struct Scanned {
  const T *from;
  T *to;
  I *at;
  int64_t from_step = 1, to_step = 1, at_step = 1;  // along the axis

  Scanned Shifted(int64_t in, int64_t out, int64_t index) const {
    Scanned other = *this;
    other.from += in;
    other.to += out;
    if constexpr (!std::is_void_v<I>) other.at += index;
    return other;
  }
  // From element i of the line on.
  Scanned Behind(int64_t i) const { return Shifted(i * from_step, i * to_step, i * at_step); }
  // The same elements from the last to the first.
  Scanned Reversed(int64_t count) const {
    Scanned other = Behind(count - 1);
    other.from_step = -from_step;
    other.to_step = -to_step;
    other.at_step = -at_step;
    return other;
  }
};

template <class Order, typename T, typename I>
class Scan {
 public:
  using Key = KeyOf<T>;
  using Io = Scanned<T, I>;

  // `count` elements of any steps, the first of index `base`.
  static HWY_NOINLINE void OneByOne(const Io &io, int64_t count, int64_t base, Leader<Key> *leader) {
    for (int64_t i = 0; i < count; ++i) {
      const Key key = static_cast<Key>(Widen(io.from[i * io.from_step]));
      if (leader->at < 0 || Leads<Order>(key, leader->best)) *leader = {key, base + i};
      io.to[i * io.to_step] = Narrow<T>(static_cast<Compute<T>>(leader->best));
      if constexpr (kIndices) io.at[i * io.at_step] = static_cast<I>(leader->at);
    }
  }

  // Of neighbours in memory: steps of 1, or of -1 where kReverse. A vector takes log2(lanes) steps, each of
  // which combines lanes with those before them: 7 x of one element after the other, at AVX-512.
  template <bool kReverse>
  static void Line(const Io &io, int64_t count, int64_t base, bool stream, Leader<Key> *leader) {
    static_assert(!kReverse || !kIndices);
    // Lanes hold indices from `base` on.
    const int64_t distance = leader->at < 0 ? count : base + count - leader->at;
    if (count < kLanes || distance > hwy::LimitsMax<Place>()) return OneByOne(io, count, base, leader);
    if (leader->at < 0) *leader = {static_cast<Key>(Widen(io.from[0])), base};

    // Processors cease to fetch ahead at the end of a page: 1.1 x for rows of 128. What follows a short line
    // is the next one, which lies behind it either way.
    const int64_t ahead = kReverse && count > kPage ? -kPage : kPage;
    const D d;
    const Places places;
    const Steps<kReverse> steps;
    const auto last = hn::IndicesFromVec(d, hn::Set(places, kReverse ? 0 : kLanes - 1));
    const auto none = hn::Set(places, hwy::LimitsMin<Place>());
    V best = hn::Set(d, leader->best);
    auto best_at = hn::Set(places, static_cast<Place>(leader->at - base));
    for (int64_t i = 0; i < count; i += kLanes) {
      if (i + kLanes > count) {
        // The last vector overlaps the one before it, and begins with what that found so far.
        i = count - kLanes;
        stream = false;
        best = hn::Set(d, static_cast<Key>(Widen(io.Behind(i - 1).to[0])));
        if constexpr (kIndices) best_at = hn::Set(places, static_cast<Place>(io.at[i - 1] - base));
      }
      const int64_t lowest = kReverse ? 1 - i - kLanes : i;
      const V keys = LoadKey(d, io.from + lowest);
      hwy::Prefetch(io.from + lowest + ahead);
      V running = best;
      auto index = best_at;
      // In few lanes, or far into a line, seldom does any lane take the lead: 1.3 x for one long line. Else a
      // branch that goes either way costs more than the steps: 1.1 x without it for rows of 128 with indices,
      // 1.7 x for those without.
      const bool rare = kLanes <= 8 || i >= 32 * kLanes;
      if (!rare || !hn::AllTrue(d, Order::Worse(keys, best))) {
        if (!hn::AllFalse(d, IsEitherNaNKey(d, keys, best))) {
          *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
          return OneByOne(io.Behind(i), count - i, base + i, leader);
        }
        running = Order::Of(best, steps.template Running<Order>(keys));
        best = Moved(running, last);
        if constexpr (kIndices) {
          const auto leads = hn::RebindMask(places, hn::Eq(keys, running));
          const auto fresh_at = hn::IfThenElse(leads, hn::Iota(places, static_cast<Place>(i)), none);
          index = hn::Max(best_at, steps.template Running<Largest>(fresh_at));
          best_at = Moved(index, last);
        }
      }
      if constexpr (kIndices) PutIndices(index, places, base, io.at + lowest, stream);
      PutKey(running, d, io.to + lowest, stream);
    }
    *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
  }

  // Who leads at the end of `count` neighbours in memory, the first of them of index `base`.
  template <bool kReverse>
  static Leader<Key> LeaderOf(const T *from, int64_t count, int64_t base) {
    const auto extreme = ExtremeOf<Order>(from, count);
    const auto best = extreme.nan ? std::numeric_limits<Compute<T>>::quiet_NaN() : extreme.best;
    const int64_t at = kReverse ? count - 1 - FindFirst(from, count, best) : FindLast(from, count, best);
    return {static_cast<Key>(best), base + at};
  }

  // Of `count` rows of neighbouring lines, which are walked side by side.
  static void Columns(const Io &io, int64_t count, int64_t lines, bool stream) {
    int64_t j = 0;
    for (; j + kColumns <= lines; j += kColumns) {
      VectorsOfColumns<kColumns / kLanes>(io.Shifted(j, j, j), count, stream);
    }
    for (; j + kLanes <= lines; j += kLanes) VectorsOfColumns<1>(io.Shifted(j, j, j), count, stream);
    if (j == lines) return;
    // The last vector overlaps the one before it.
    j = lines - kLanes;
    VectorsOfColumns<1>(io.Shifted(j, j, j), count, false);
  }

 private:
  static constexpr bool kIndices = !std::is_void_v<I>;
  static constexpr int64_t kPage = 4096 / sizeof(T);
  using D = hn::ScalableTag<Key>;
  using V = hn::Vec<D>;
  using Places = hn::RebindToSigned<D>;
  using Place = hn::TFromD<Places>;

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kColumns = 64, kMostRows = hwy::LimitsMax<Place>();

 private:
  // Of each lane the one `step` before it, or itself.
  template <bool kReverse>
  static HWY_INLINE auto Before(Place step) {
    const Places places;
    const auto lane = hn::Iota(places, 0), before = hn::Sub(lane, hn::Set(places, kReverse ? -step : step));
    const auto inside = hn::And(hn::Ge(before, hn::Zero(places)), hn::Lt(before, hn::Set(places, kLanes)));
    return hn::IndicesFromVec(D(), hn::IfThenElse(inside, before, lane));
  }

  // Of each lane the best of it and those before it, in log2(lanes) steps.
  template <bool kReverse>
  struct Steps {
    HWY_INLINE Steps()
        : by1(Before<kReverse>(1)),
          by2(Before<kReverse>(2)),
          by4(Before<kReverse>(4)),
          by8(Before<kReverse>(8)) {}

    template <class By, class Value>
    HWY_INLINE Value Running(Value value) const {
      value = By::Of(Moved(value, by1), value);
      if constexpr (kLanes > 2) value = By::Of(Moved(value, by2), value);
      if constexpr (kLanes > 4) value = By::Of(Moved(value, by4), value);
      if constexpr (kLanes > 8) value = By::Of(Moved(value, by8), value);
      return value;
    }

    decltype(Before<kReverse>(1)) by1, by2, by4, by8;
  };

  template <class Value, class Table>
  static HWY_INLINE Value Moved(Value value, const Table &table) {
    return hn::BitCast(hn::DFromV<Value>(), hn::TableLookupLanes(hn::BitCast(D(), value), table));
  }

  template <size_t kVectors>
  static void VectorsOfColumns(Io io, int64_t count, bool stream) {
    const D d;
    const Places places;
    V best[kVectors];
    hn::Vec<Places> best_at[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      best[v] = LoadKey(d, io.from + v * kLanes);
      best_at[v] = hn::Zero(places);
    }
    for (int64_t i = 0; i < count; ++i) {
      const auto index = hn::Set(places, static_cast<Place>(i));
      for (size_t v = 0; v < kVectors; ++v) {
        const V keys = LoadKey(d, io.from + v * kLanes);
        const auto leads = hn::Or(Order::NotWorse(keys, best[v]), IsNaNKey(d, keys));
        best[v] = hn::IfThenElse(leads, keys, best[v]);
        PutKey(best[v], d, io.to + v * kLanes, stream);
        if constexpr (kIndices) {
          best_at[v] = hn::IfThenElse(hn::RebindMask(places, leads), index, best_at[v]);
          PutIndices(best_at[v], places, 0, io.at + v * kLanes, stream);
        }
      }
      io = io.Behind(1);
    }
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
