// SPDX-License-Identifier: Apache-2.0
// Running extremes along one axis, and where they are. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_SCAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_SCAN_INL_H_
#undef AVO_OP_CPU_COMMON_SCAN_INL_H_
#else
#define AVO_OP_CPU_COMMON_SCAN_INL_H_
#endif

#include <limits>
#include <vector>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/extremes-inl.h"
#include "op_cpu/common/lines.h"

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
  // which combines lanes with those before them: as fast as memory at AVX-512, where an element after the
  // other takes 7 times as long.
  template <bool kReverse>
  static void Line(const Io &io, int64_t count, int64_t base, bool stream, Leader<Key> *leader) {
    // Lanes hold indices from `base` on.
    const int64_t distance = leader->at < 0 ? count : base + count - leader->at;
    if (count < kLanes || distance > hwy::LimitsMax<Place>()) return OneByOne(io, count, base, leader);
    if (leader->at < 0) *leader = {static_cast<Key>(Widen(io.from[0])), base};

    const D d;
    const Places places;
    const auto by1 = Before<kReverse>(1), by2 = Before<kReverse>(2), by4 = Before<kReverse>(4),
               by8 = Before<kReverse>(8),
               last = hn::IndicesFromVec(d, hn::Set(places, kReverse ? 0 : kLanes - 1));
    V best = hn::Set(d, leader->best);
    auto best_at = hn::Set(places, static_cast<Place>(leader->at - base));
    const auto none = hn::Set(places, hwy::LimitsMin<Place>());
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
      const int64_t lowest = kReverse ? -i - kLanes + 1 : i;
      const V keys = LoadKey(d, io.from + lowest);
      if (!hn::AllFalse(d, IsEitherNaNKey(d, keys, best))) {
        *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
        OneByOne(io.Behind(i), kLanes, base + i, leader);
        best = hn::Set(d, leader->best);
        best_at = hn::Set(places, static_cast<Place>(leader->at - base));
        continue;
      }
      V running = Order::Of(Moved(keys, by1), keys);
      if constexpr (kLanes > 2) running = Order::Of(Moved(running, by2), running);
      if constexpr (kLanes > 4) running = Order::Of(Moved(running, by4), running);
      if constexpr (kLanes > 8) running = Order::Of(Moved(running, by8), running);
      running = Order::Of(best, running);
      best = Moved(running, last);
      PutKey(running, d, io.to + lowest, stream);
      if constexpr (kIndices) {
        const auto leads = hn::RebindMask(places, hn::Eq(keys, running));
        auto index = hn::IfThenElse(leads, hn::Iota(places, static_cast<Place>(i)), none);
        index = hn::Max(Moved(index, by1), index);
        if constexpr (kLanes > 2) index = hn::Max(Moved(index, by2), index);
        if constexpr (kLanes > 4) index = hn::Max(Moved(index, by4), index);
        if constexpr (kLanes > 8) index = hn::Max(Moved(index, by8), index);
        index = hn::Max(best_at, index);
        best_at = Moved(index, last);
        PutIndices(index, places, base, io.at + lowest, stream);
      }
    }
    *leader = {hn::GetLane(best), base + hn::GetLane(best_at)};
    if (i < count) OneByOne(io.Behind(i), count - i, base + i, leader);
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

// Whether vectors of results go around the caches: results are larger than these, and a vector along a unit
// stride is aligned. 2 x with indices, 1.2 x without at AVX-512: a cache would read lines that are
// overwritten.
inline bool Streams(const Tensor &tensor) {
  constexpr int64_t kCacheBytes = 8 << 20, kAlignment = 64;
  const int64_t size = DTypeSize(tensor.dtype);
  bool aligned = reinterpret_cast<uintptr_t>(tensor.data) % kAlignment == 0;
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    aligned &= tensor.shape[d] == 1 || tensor.strides[d] == 1 || tensor.strides[d] * size % kAlignment == 0;
  }
  return aligned && tensor.numel() * size > kCacheBytes;
}

constexpr int64_t kPart = 1 << 14;  // of a line that threads share

// One long line in parts: the leader of each, then its scan from the leader of those before it. A thread that
// gets all of them scans the line as it is, reading it once.
template <class Order, typename T, typename I, bool kReverse>
void ScanParts(const Scanned<T, I> &io, int64_t length, bool stream, const ParallelFor &parallel_for) {
  const int64_t parts = (length + kPart - 1) / kPart;
  std::vector<Leader<KeyOf<T>>> leaders(parts);
  const auto count = [&](int64_t part) { return std::min(kPart, length - part * kPart); };
  const auto scan = [&](int64_t first, int64_t elements, Leader<KeyOf<T>> leader) {
    Scan<Order, T, I>::template Line<kReverse>(io.Behind(first), elements, first, stream, &leader);
    if (stream) hwy::FlushStream();
  };
  bool done = false;
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    if (begin == 0 && end == parts) {
      scan(0, length, {});
      done = true;
      return;
    }
    for (int64_t part = begin; part < end; ++part) {
      const T *from = io.Behind(part * kPart).from - (kReverse ? count(part) - 1 : 0);
      leaders[part] = Scan<Order, T, I>::template LeaderOf<kReverse>(from, count(part), part * kPart);
    }
  });
  if (done) return;
  for (int64_t part = 1; part < parts; ++part) {
    if (!Leads<Order>(leaders[part].best, leaders[part - 1].best)) leaders[part] = leaders[part - 1];
  }
  parallel_for(parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      scan(part * kPart, count(part), part == 0 ? Leader<KeyOf<T>>() : leaders[part - 1]);
    }
  });
}

// The best value so far along `axis`, from its end where kReverse, and its index where I is not void.
template <class Order, typename T, typename I, bool kReverse>
void ScanAxis(const Tensor &in, const Tensor &out, const Tensor &indices, int64_t axis,
              const ParallelFor &parallel_for) {
  using Scans = Scan<Order, T, I>;
  const int64_t length = in.rank() == 0 ? 1 : in.shape[axis];
  const auto step = [&](const Tensor &tensor) { return tensor.rank() == 0 ? 1 : tensor.strides[axis]; };
  const Scanned<T, I> all{static_cast<const T *>(in.data),
                          static_cast<T *>(out.data),
                          static_cast<I *>(indices.data),
                          step(in),
                          step(out),
                          step(indices)};
  const bool stream = Streams(out) && Streams(indices);
  const bool neighbours = length == 1 || (step(in) == 1 && step(out) == 1 && step(indices) == 1);
  // Lines that are too few for all threads are shared by them, one after another.
  const bool shared = neighbours && length > kPart && in.numel() / length <= 8;
  const auto scan = [&](const LineBlock<3> &block) {
    Scanned<T, I> io = all.Shifted(block.offsets[0], block.offsets[1], block.offsets[2]);
    if constexpr (kReverse) io = io.Reversed(length);
    const auto &steps = block.steps;
    if (block.side_by_side && steps[0] == 1 && steps[1] == 1 && steps[2] == 1 &&
        block.lines >= Scans::kLanes && length <= Scans::kMostRows) {
      Scans::Columns(io, length, block.lines, stream);
    } else {
      for (int64_t j = 0; j < block.lines; ++j) {
        Leader<KeyOf<T>> leader;
        if (shared) {
          ScanParts<Order, T, I, kReverse>(io, length, stream, parallel_for);
        } else if (neighbours) {
          Scans::template Line<kReverse>(io, length, 0, stream, &leader);
        } else {
          Scans::OneByOne(io, length, 0, &leader);
        }
        io = io.Shifted(steps[0], steps[1], steps[2]);
      }
    }
    if (stream) hwy::FlushStream();
  };
  ForLines<3>({&in, &out, &indices}, axis, Scans::kColumns, shared ? SerialFor : parallel_for, scan);
}

// Of every dtype, with indices of int64 or int32; dim in [-rank, rank).
template <class Order>
void ScanWithIndices(const Tensor &in, const Tensor &out, const Tensor &indices, int64_t dim,
                     const ParallelFor &parallel_for) {
  const int64_t axis = dim < 0 ? dim + std::max<int64_t>(in.rank(), 1) : dim;
  DispatchElement(in.dtype, [&](auto element) {
    using T = decltype(element);
    if (indices.dtype == DType::kInt32) {
      ScanAxis<Order, T, int32_t, false>(in, out, indices, axis, parallel_for);
    } else {
      ScanAxis<Order, T, int64_t, false>(in, out, indices, axis, parallel_for);
    }
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
