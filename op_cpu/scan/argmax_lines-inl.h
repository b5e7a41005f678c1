// SPDX-License-Identifier: Apache-2.0
// The largest element of a line whose elements are neighbours in memory. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_SCAN_ARGMAX_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_SCAN_ARGMAX_LINES_INL_H_
#undef AVO_OP_CPU_SCAN_ARGMAX_LINES_INL_H_
#else
#define AVO_OP_CPU_SCAN_ARGMAX_LINES_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "op_cpu/scan/extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::argmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace cpu = avo::HWY_NAMESPACE;

// The largest key so far and its index.
template <typename Key>
struct Leader {
  Key best{};
  int64_t at = -1;  // -1: no key yet

  // Keeps the larger one of the leader and of `key`, which comes later. last: of equal keys the later one is
  // kept. The first NaN is kept in any case.
  void KeepLarger(Key key, int64_t index, bool last) {
    const bool replaces = at < 0 || (best == best && (key != key || key > best || (last && key == best)));
    if (replaces) *this = {key, index};
  }
};

// The largest number of a type of integers; of bools it is 1, which lie as bytes.
template <typename T>
Compute<T> MostOf(DType dtype) {
  if (dtype == DType::kBool) return Compute<T>{1};
  return std::numeric_limits<Compute<T>>::max();
}

// Searches a line of any length: finds the block that has the largest element, and then the element in it.
// Four pieces of a block are read side by side. Streams a quarter of a line apart take 1.5 x as long for
// lines of 16 MB, where they lie in the same sets of the caches. A line that is `far`, of an input which is
// too large for the second cache, is read from front to back: 1.6 x from the third one or from memory on
// Zen 4. Vectors are aligned to lines of the caches: 2 x for 1 MB. The first of several elements that are
// equal to `most`, which no integer exceeds, ends the search.
template <typename T>
Leader<Compute<T>> SearchBlocks(const T *line, int64_t length, bool last, Compute<T> most, bool far) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kPiece = 2048 / sizeof(T), kBlock = 4 * kPiece, kAlignment = 64;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t step = far ? kLanes : kPiece, next = far ? 4 * kLanes : kLanes;
  constexpr auto kNaN = std::numeric_limits<Compute<T>>::quiet_NaN();
  Leader<Compute<T>> leader;
  int64_t count = 0;  // elements from leader.at on, among which the leader is
  // Searches elements that are no whole block.
  const auto search = [&](int64_t begin, int64_t elements) {
    const auto extreme = cpu::ExtremeOf<cpu::Largest>(line + begin, elements);
    leader.KeepLarger(extreme.nan ? kNaN : extreme.best, begin, last);
    if (leader.at == begin) count = elements;
  };
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(line) % kAlignment / sizeof(T));
  int64_t begin = past == 0 || length < 2 * kBlock ? 0 : kAlignment / static_cast<int64_t>(sizeof(T)) - past;
  if (begin > 0) search(0, begin);
  const auto ended = [&] {
    return leader.best != leader.best || (std::is_integral_v<T> && !last && leader.best == most);
  };
  for (; begin + kBlock <= length && !ended(); begin += kBlock) {
    const auto found = cpu::ExtremesOfFourPieces<cpu::Largest>(d, line + begin, step, kPiece, next);
    const auto best = cpu::Largest::Combine(cpu::Largest::Combine(found.a, found.b),
                                            cpu::Largest::Combine(found.c, found.e));
    const auto other = hn::Set(d, leader.best);
    const auto leads = last ? hn::Ge(best, other) : hn::Gt(best, other);
    // Few blocks lead, so processors predict this branch.
    if (leader.at >= 0 && hn::AllFalse(d, hn::Or(leads, found.nan))) continue;
    leader = {hn::AllFalse(d, found.nan) ? cpu::Largest::CombineLanes(d, best) : kNaN, begin};
    count = kBlock;
  }
  if (begin < length && !ended()) search(begin, length - begin);
  const auto find = last && leader.best == leader.best ? cpu::FindLast<T> : cpu::FindFirst<T>;
  leader.at += find(line + leader.at, count, leader.best);
  return leader;
}

// The elements of a chunk of SearchChunks. Chunks of 8 vectors take 1.2 x as long for lines of 1000 float32.
template <typename T>
constexpr int64_t kChunk = 4 * hn::MaxLanes(hn::ScalableTag<Compute<T>>());

// Searches a line of medium length, at least one chunk of 4 vectors. Each lane remembers the chunk in which
// its largest element is, so the line is read once, and then that chunk once more.
//
//   chunks        | 3 1 4 1 … | 5 9 2 6 … | 5 3 5 8 … |
//   lane 0 of all   3           5           5             largest 5, in chunk 1
//
// The last chunk ends with the line and overlaps the one before it.
template <typename T>
Leader<Compute<T>> SearchChunks(const T *line, int64_t length, bool last) {
  const hn::ScalableTag<Compute<T>> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Number = hn::TFromD<decltype(di)>;
  constexpr int64_t kLanes = hn::MaxLanes(d), kElements = kChunk<T>, kAhead = 2048;
  auto best = cpu::LoadKey(d, line);
  auto chunk = hn::Zero(di);
  auto nan = hn::MaskFalse(d);
  const auto load = [&](const T *from, int64_t v) HWY_ATTR { return cpu::LoadKey(d, from + v * kLanes); };
  const int64_t chunks = hwy::DivCeil(length, kElements);
  const auto begin_of = [&](int64_t number) { return std::min(number * kElements, length - kElements); };
  for (int64_t number = 0; number < chunks; ++number) {
    const T *const from = line + begin_of(number);
#pragma GCC unroll 8
    for (size_t byte = 0; byte < kElements * sizeof(T); byte += 64)
      hwy::Prefetch(reinterpret_cast<const char *>(from) + kAhead + byte);
    auto most = load(from, 0);
#pragma GCC unroll 4
    for (int64_t v = 0; v < kElements / kLanes; v += 2) {
      const auto one = load(from, v), other = load(from, v + 1);
      if constexpr (hwy::IsFloat<Compute<T>>()) {
        HWY_FENCE;  // as in ExtremesOfFourPieces
        nan = hn::Or(nan, hn::IsEitherNaN(one, other));
      }
      most = cpu::Largest::Combine(most, cpu::Largest::Combine(one, other));
    }
    const auto leads = last ? hn::Ge(most, best) : hn::Gt(most, best);
    chunk = hn::IfThenElse(hn::RebindMask(di, leads), hn::Set(di, static_cast<Number>(number)), chunk);
    best = cpu::Largest::Combine(best, most);
  }
  if (!hn::AllFalse(d, nan)) {
    constexpr auto kNaN = std::numeric_limits<Compute<T>>::quiet_NaN();
    return {kNaN, cpu::FindFirst(line, length, kNaN)};
  }
  const Compute<T> key = cpu::Largest::CombineLanes(d, best);
  const auto has = hn::RebindMask(di, hn::Eq(best, hn::Set(d, key)));
  const int64_t begin =
      begin_of(last ? hn::ReduceMax(di, hn::IfThenElseZero(has, chunk))
                    : hn::ReduceMin(di, hn::IfThenElse(has, chunk, hn::Set(di, hwy::LimitsMax<Number>()))));
  return {key, begin + cpu::FindInVectors(line + begin, kElements, key, last)};
}

// Searches bools: the first one that is true ends the search, or the last one.
inline Leader<uint8_t> SearchBools(const uint8_t *line, int64_t length, bool last) {
  const int64_t at = (last ? cpu::FindLast<uint8_t> : cpu::FindFirst<uint8_t>)(line, length, 1);
  if (at < 0) return {0, last ? length - 1 : 0};
  return {1, at};
}

// Searches contiguous elements; most, far: as SearchBlocks takes them. It is 4 x as fast, at AVX-512, as what
// a compiler makes of the same loops.
template <typename T>
Leader<Compute<T>> SearchLine(const T *line, int64_t length, bool last, Compute<T> most, bool far) {
  if constexpr (std::is_same_v<T, uint8_t>) {
    if (most == 1) return SearchBools(line, length, last);
  }
  // Numbers of chunks must fit in a lane: 0 to 127 in one of 1 byte. From 6 pages on, blocks take less time.
  constexpr int64_t kChunks = hwy::LimitsMax<hwy::MakeSigned<Compute<T>>>();
  constexpr int64_t kLong = std::min<int64_t>(6 * 4096 / sizeof(T) / kChunk<T>, kChunks) * kChunk<T>;
  return length < kChunk<T> || length > kLong ? SearchBlocks(line, length, last, most, far)
                                              : SearchChunks(line, length, last);
}

// Keys of fewer bytes than these have more elements in a short line than their lanes can count.
constexpr size_t kCounting = 4;

// The elements of a short line, at most. Longer lines of keys that count take less time in chunks.
template <typename T>
constexpr int64_t kShort =
    (sizeof(Compute<T>) >= kCounting ? 12 : 8) * hn::MaxLanes(hn::ScalableTag<Compute<T>>());

// Searches a short line, of at least one vector; returns -1 where there is a NaN. Each lane remembers in
// which vector its largest element is; where it cannot, the element is looked for. It is 1.5 x as fast as
// SearchLine at AVX-512 for lines of 100 float32, for which chunks take longer to begin and to end than to
// read.
template <typename T>
HWY_INLINE int64_t SearchShort(const T *line, int64_t length, bool last) {
  const hn::ScalableTag<Compute<T>> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Index = hn::TFromD<decltype(di)>;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  constexpr bool kRemembers = sizeof(Index) >= kCounting;
  auto best = cpu::LoadKey(d, line);
  auto at = hn::Zero(di);
  auto nan = cpu::IsNaNKey(d, best);
  for (int64_t next = kLanes; next < length; next += kLanes) {
    // The last vector overlaps the one before it.
    const int64_t i = std::min(next, length - kLanes);
    const auto keys = cpu::LoadKey(d, line + i);
    nan = hn::Or(nan, cpu::IsNaNKey(d, keys));
    if constexpr (kRemembers) {
      const auto leads = hn::RebindMask(di, last ? hn::Ge(keys, best) : hn::Gt(keys, best));
      at = hn::IfThenElse(leads, hn::Set(di, static_cast<Index>(i)), at);
    }
    best = cpu::Largest::Combine(best, keys);
  }
  if (!hn::AllFalse(d, nan)) return -1;
  const auto key = cpu::Largest::CombineLanes(d, best);
  if constexpr (kRemembers) {
    const auto has = hn::RebindMask(di, hn::Eq(best, hn::Set(d, key)));
    const auto index = hn::Add(at, hn::Iota(di, 0));
    return last ? hn::ReduceMax(di, hn::IfThenElseZero(has, index))
                : hn::ReduceMin(di, hn::IfThenElse(has, index, hn::Set(di, hwy::LimitsMax<Index>())));
  } else {
    return cpu::FindInVectors(line, length, key, last);
  }
}

}  // namespace avo::argmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
