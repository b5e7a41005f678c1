// SPDX-License-Identifier: Apache-2.0
// Running extremes of lines that lie side by side, which are lanes, and their indices: a step combines two
// vectors. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_SCAN_SCAN_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_SCAN_SCAN_COLUMNS_INL_H_
#undef AVO_OP_CPU_SCAN_SCAN_COLUMNS_INL_H_
#else
#define AVO_OP_CPU_SCAN_SCAN_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "hwy/highway.h"
#include "op_cpu/scan/keys-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first element of a line, or of several lines, and where its results go. I is void where indices are not
// wanted.
template <typename T, typename I>
struct Scanned {
  const T *from;
  T *to;
  I *at;
  int64_t from_step = 1, to_step = 1, at_step = 1;  // elements from one index of the axis to the next one

  Scanned Shifted(int64_t in, int64_t out, int64_t index) const {
    Scanned other = *this;
    other.from += in;
    other.to += out;
    if constexpr (!std::is_void_v<I>) other.at += index;
    return other;
  }
  // The line from index i on.
  Scanned FromIndex(int64_t i) const { return Shifted(i * from_step, i * to_step, i * at_step); }
  // The same elements, from the last one to the first one.
  Scanned Reversed(int64_t count) const {
    Scanned other = FromIndex(count - 1);
    other.from_step = -from_step;
    other.to_step = -to_step;
    other.at_step = -at_step;
    return other;
  }
};

template <class Order, typename T, typename I>
class ScanColumns {
  static constexpr bool kIndices = !std::is_void_v<I>;
  using Key = KeyOf<T>;
  using Io = Scanned<T, I>;
  using D = hn::ScalableTag<Key>;
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;
  using LaneIndex = hn::TFromD<DI>;

 public:
  static constexpr int64_t kLanes = hn::MaxLanes(D()), kColumns = 64, kMostColumns = 1024,
                           kMostRows = hwy::LimitsMax<LaneIndex>();

  // Scans lines of fewer elements than a vector has lanes, one behind the other, as lanes: it copies some
  // lines so that they lie side by side, and the results back. It is 4 x as fast as OneByOne for lines of
  // three elements, because no processor predicts which element leads.
  template <bool kReverse>
  static void ShortLines(const Io &io, int64_t length, int64_t lines) {
    using Index = std::conditional_t<kIndices, I, int32_t>;
    T from[kLanes * kColumns] = {}, to[kLanes * kColumns];
    [[maybe_unused]] Index at[kLanes * kColumns];
    Io tile{from, to, nullptr, kColumns, kColumns, kColumns}, all = io;
    if constexpr (kIndices) tile.at = at;
    if constexpr (kReverse) {
      tile = tile.Reversed(length);
      all = io.Reversed(length);
    }
    for (int64_t first = 0; first < lines;
         first += kColumns, all = all.Shifted(length * kColumns, length * kColumns, length * kColumns)) {
      const int64_t count = std::min(kColumns, lines - first);
      for (int64_t i = 0; i < length; ++i) {
        for (int64_t j = 0; j < count; ++j) from[i * kColumns + j] = all.from[j * length + i];
      }
      VectorsOfColumns<kColumns / kLanes>(tile, length, kColumns, false);
      for (int64_t i = 0; i < length; ++i) {
        for (int64_t j = 0; j < count; ++j) all.to[j * length + i] = to[i * kColumns + j];
        if constexpr (kIndices) {
          for (int64_t j = 0; j < count; ++j) all.at[j * length + i] = at[i * kColumns + j];
        }
      }
    }
  }

  // Scans `lines` lines of `count` elements that lie side by side, as lanes, at least one vector of them.
  static void Columns(const Io &io, int64_t count, int64_t lines, bool stream) {
    int64_t j = 0;
    for (; j + kColumns <= lines; j += kColumns) {
      VectorsOfColumns<kColumns / kLanes>(io.Shifted(j, j, j), count, kColumns, stream);
    }
    while (j < lines) {
      // Where less than a vector is left, it overlaps the one before it.
      j = std::min(j, lines - kLanes);
      const int64_t vectors = std::min<int64_t>(hwy::DivCeil(lines - j, kLanes), 4);
      const int64_t width = std::min(vectors * kLanes, lines - j);
      const Io group = io.Shifted(j, j, j);
      if (vectors == 1) VectorsOfColumns<1>(group, count, width, false);
      if (vectors == 2) VectorsOfColumns<2>(group, count, width, false);
      if (vectors == 3) VectorsOfColumns<3>(group, count, width, false);
      if (vectors == 4) VectorsOfColumns<4>(group, count, width, false);
      j += width;
    }
  }

  // Scans at most kMostColumns lines that lie side by side, one row of memory after the other, with the
  // leaders in memory that stays in L1. Rows are read and written as whole pages in this way, which is 2 x as
  // fast as Columns where they do not stay in the caches.
  static void WideRows(Io io, int64_t count, int64_t lines, bool stream) {
    const D d;
    const DI di;
    alignas(64) Key best[kMostColumns];
    alignas(64) LaneIndex best_at[kMostColumns];
    for (int64_t i = 0; i < count; ++i, io = io.FromIndex(1)) {
      const auto index = hn::Set(di, static_cast<LaneIndex>(i));
      for (int64_t next = 0; next < lines; next += kLanes) {
        // The last vector overlaps the one before it, and finds there what that has left.
        const int64_t j = std::min(next, lines - kLanes);
        const V keys = LoadKey(d, io.from + j);
        V now = i == 0 ? keys : hn::LoadU(d, best + j);
        auto now_at = kIndices && i > 0 ? hn::LoadU(di, best_at + j) : index;
        Step(keys, index, now, now_at, io.Shifted(j, j, j), stream && j == next);
        hn::StoreU(now, d, best + j);
        if constexpr (kIndices) hn::StoreU(now_at, di, best_at + j);
      }
    }
  }

  // Scans fewer lines than a vector has lanes, which lie side by side with nothing between their rows. A
  // vector then holds the beginning of the next row, too. Its results are written over by those of the next
  // row:
  //
  //   row 0   a0 b0 c0 | a1        row 1   a1 b1 c1 | a2
  //
  // It is 2.6 x as fast as one line after the other, for 10 lines at AVX-512.
  static void FewColumns(Io io, int64_t count, int64_t lines) {
    // Behind the last rows lies nothing, so they are scanned in other memory.
    const int64_t tail = std::min(count, (kLanes - 1) / lines), whole = count - tail, behind = tail * lines;
    using Index = std::conditional_t<kIndices, I, int32_t>;
    T from[2 * kLanes] = {}, to[2 * kLanes];
    [[maybe_unused]] Index at[2 * kLanes];
    const Io rest = io.FromIndex(whole);
    Io tile{from, to, nullptr, lines, lines, lines};
    if constexpr (kIndices) tile.at = at;
    std::copy_n(rest.from, behind, from);
    Leaders leaders;
    leaders.Rows(io, 0, whole);
    leaders.Rows(tile, whole, count);
    std::copy_n(to, behind, rest.to);
    if constexpr (kIndices) std::copy_n(at, behind, rest.at);
  }

 private:
  // Scans one more element of a vector of lines: its keys lead where they are not worse than the leaders, or
  // NaN. The new leaders are the results, which go to `io`.
  static HWY_INLINE void Step(V keys, hn::Vec<DI> index, V &best, hn::Vec<DI> &best_at, const Io &io,
                              bool stream) {
    const D d;
    const DI di;
    const auto leads = hn::Or(Order::NotWorse(keys, best), IsNaNKey(d, keys));
    best = hn::IfThenElse(leads, keys, best);
    PutKey(best, d, io.to, stream);
    if constexpr (kIndices) {
      best_at = hn::IfThenElse(hn::RebindMask(di, leads), index, best_at);
      PutIndices(best_at, di, 0, io.at, stream);
    }
  }

  // The leaders of a vector of lines.
  struct Leaders {
    // Scans rows [begin, end) of the lines; `io` is at row `begin`.
    HWY_INLINE void Rows(Io io, int64_t begin, int64_t end) {
      const D d;
      const DI di;
      V now = hn::LoadU(d, best);
      auto now_at = hn::LoadU(di, best_at);
      for (int64_t i = begin; i < end; ++i, io = io.FromIndex(1)) {
        const auto index = hn::Set(di, static_cast<LaneIndex>(i));
        const V keys = LoadKey(d, io.from);
        if (i == 0) now = keys;
        Step(keys, index, now, now_at, io, false);
      }
      hn::StoreU(now, d, best);
      hn::StoreU(now_at, di, best_at);
    }

    alignas(64) Key best[kLanes] = {};
    alignas(64) LaneIndex best_at[kLanes] = {};
  };

  // Scans `width` lines that lie side by side. The last vector ends with them, so it may overlap the one
  // before.
  template <size_t kVectors>
  static void VectorsOfColumns(Io io, int64_t count, int64_t width, bool stream) {
    const D d;
    const DI di;
    const auto offset = [&](size_t v) HWY_ATTR {
      return v + 1 < kVectors ? static_cast<int64_t>(v) * kLanes : width - kLanes;
    };
    V best[kVectors];
    hn::Vec<DI> best_at[kVectors];
    for (size_t v = 0; v < kVectors; ++v) {
      best[v] = LoadKey(d, io.from + offset(v));
      best_at[v] = hn::Zero(di);
    }
    for (int64_t i = 0; i < count; ++i) {
      const auto index = hn::Set(di, static_cast<LaneIndex>(i));
      for (size_t v = 0; v < kVectors; ++v) {
        const Io own = io.Shifted(offset(v), offset(v), offset(v));
        Step(LoadKey(d, own.from), index, best[v], best_at[v], own, stream);
      }
      io = io.FromIndex(1);
    }
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
