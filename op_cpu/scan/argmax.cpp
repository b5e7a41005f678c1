// SPDX-License-Identifier: Apache-2.0
#include "op_host/argmax_args.h"

#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/argmax.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/argmax_columns-inl.h"
#include "op_cpu/scan/extremes-inl.h"
#include "op_cpu/scan/lines.h"

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

// Searches a line of any length: finds the page that has the largest element, and then the element in it.
// Four pages are read side by side, which processors fetch as four streams: a processor ceases to fetch a
// stream ahead at the end of a page. Streams a quarter of a line apart take 1.5 x as long for lines of 16 MB,
// where they lie in the same sets of the caches. Vectors are aligned to lines of the caches: 2 x for 1 MB.
// The first of several elements that are equal to `most`, which no integer exceeds, ends the search.
template <typename T>
Leader<Compute<T>> SearchPages(const T *line, int64_t length, bool last, Compute<T> most) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kPage = 4096 / sizeof(T), kAlignment = 64;
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(line) % kAlignment / sizeof(T));
  constexpr auto kNaN = std::numeric_limits<Compute<T>>::quiet_NaN();
  Leader<Compute<T>> leader{Widen(line[0]), 0};
  int64_t begin = past == 0 || length < 2 * kPage ? 0 : kAlignment / static_cast<int64_t>(sizeof(T)) - past;
  for (int64_t i = 0; i < begin; ++i) leader.KeepLarger(Widen(line[i]), i, last);
  if (leader.best != leader.best) return leader;
  const auto ended = [&] { return std::is_integral_v<T> && !last && leader.best == most; };
  int64_t count = std::min(kPage, length);  // elements from leader.at on, among which the leader is
  for (; begin + 4 * kPage <= length && !ended(); begin += 4 * kPage) {
    const auto pages = cpu::ExtremesOfFourPieces<cpu::Largest>(d, line + begin, kPage, kPage);
    if (!hn::AllFalse(d, pages.nan)) break;
    const auto low = cpu::Largest::Combine(pages.a, pages.b), high = cpu::Largest::Combine(pages.c, pages.e);
    // Few blocks lead, so processors predict this branch.
    if (hn::AllFalse(d, cpu::LeadsLater(d, cpu::Largest::Combine(low, high), hn::Set(d, leader.best), last)))
      continue;
    leader.KeepLarger(cpu::Largest::CombineLanes(d, pages.a), begin, last);
    leader.KeepLarger(cpu::Largest::CombineLanes(d, pages.b), begin + kPage, last);
    leader.KeepLarger(cpu::Largest::CombineLanes(d, pages.c), begin + 2 * kPage, last);
    leader.KeepLarger(cpu::Largest::CombineLanes(d, pages.e), begin + 3 * kPage, last);
  }
  if (begin < length && !ended()) {
    const auto rest = cpu::ExtremeOf<cpu::Largest>(line + begin, length - begin);
    if (rest.nan) return {kNaN, begin + cpu::FindFirst(line + begin, length - begin, kNaN)};
    leader.KeepLarger(rest.best, begin, last);
    if (leader.at == begin) count = length - begin;
  }
  leader.at += (last ? cpu::FindLast<T> : cpu::FindFirst<T>)(line + leader.at, count, leader.best);
  return leader;
}

// Searches a line of medium length, at least one chunk of 8 vectors. Each lane remembers the chunk in which
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
  constexpr int64_t kLanes = hn::MaxLanes(d), kChunk = 8 * kLanes, kAhead = 2048;
  auto best = cpu::LoadKey(d, line);
  auto chunk = hn::Zero(di);
  auto nan = hn::MaskFalse(d);
  const auto load = [&](const T *from, int64_t v) HWY_ATTR { return cpu::LoadKey(d, from + v * kLanes); };
  const int64_t chunks = hwy::DivCeil(length, kChunk);
  const auto begin_of = [&](int64_t number) { return std::min(number * kChunk, length - kChunk); };
  for (int64_t number = 0; number < chunks; ++number) {
    const T *const from = line + begin_of(number);
#pragma GCC unroll 8
    for (size_t byte = 0; byte < kChunk * sizeof(T); byte += 64)
      hwy::Prefetch(reinterpret_cast<const char *>(from) + kAhead + byte);
    auto most = load(from, 0);
#pragma GCC unroll 4
    for (int64_t v = 0; v < 8; v += 2) {
      const auto one = load(from, v), other = load(from, v + 1);
      nan = hn::Or(nan, cpu::IsEitherNaNKey(d, one, other));
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
  return {key, begin + cpu::FindInVectors(line + begin, kChunk, key, last)};
}

// Searches contiguous elements. It is 4 x as fast, at AVX-512, as what a compiler makes of the same loops.
template <typename T>
Leader<Compute<T>> SearchLine(const T *line, int64_t length, bool last, Compute<T> most) {
  constexpr int64_t kChunk = 8 * hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  // Numbers of chunks must fit in a lane: 0 to 127 in one of 1 byte. From 6 pages on, pages take less time.
  constexpr int64_t kChunks = hwy::LimitsMax<hwy::MakeSigned<Compute<T>>>();
  constexpr int64_t kLong = std::min<int64_t>(6 * 4096 / sizeof(T) / kChunk, kChunks) * kChunk;
  return length < kChunk || length > kLong ? SearchPages(line, length, last, most)
                                           : SearchChunks(line, length, last);
}

// Keys of fewer bytes than these have more elements in a short line than their lanes can count.
constexpr size_t kCounting = 4;

// The elements of a short line, at most. Longer lines of keys that count take less time in chunks.
template <typename T>
constexpr int64_t kShort =
    (sizeof(Compute<T>) >= kCounting ? 32 : 8) * hn::MaxLanes(hn::ScalableTag<Compute<T>>());

// Searches a short line, of at least one vector; returns -1 where there is a NaN. Each lane remembers in
// which vector its largest element is; where it cannot, the element is looked for. It is 2 x as fast as
// SearchLine at AVX-512 for 10000 lines of 20 or of 300 elements, for which blocks take longer to begin and
// to end than to read.
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

// Searches along `axis`. `out` has the shape of `in` and a stride of 0 along `axis`: one element for each
// line. With `stream`, whole vectors of results go around the caches.
template <typename T, typename I>
void SearchLines(const Tensor &in, const Tensor &out, int64_t axis, bool last, bool stream,
                 const ParallelFor &parallel_for) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<cpu::KeyOf<T>>()), kColumns = 256;
  constexpr int64_t kVector = hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  const int64_t length = in.shape[axis], stride = in.strides[axis];
  const Compute<T> most = MostOf<T>(in.dtype);
  ForLines<2>({&in, &out}, axis, kColumns, parallel_for, [&](const LineBlock<2> &block) {
    const T *from = static_cast<const T *>(in.data) + block.offsets[0];
    I *to = static_cast<I *>(out.data) + block.offsets[1];
    const auto &steps = block.steps;
    const bool narrow = length > std::numeric_limits<int32_t>::max();
    const bool columns = block.side_by_side && steps[0] == 1 && !narrow;
    const int64_t rows =
        columns && stride == block.lines ? cpu::RowsToFold<T>(block.lines, length) : length + 1;
    if (columns && block.lines >= kLanes) {
      cpu::SearchColumns(from, stride, length, block.lines, last, to, steps[1], stream);
    } else if (rows <= length) {
      cpu::SearchFolded(from, block.lines, rows, length, last, to, steps[1]);
    } else if (stride == 1 && length < kVector && steps[0] == length && block.lines >= kLanes) {
      cpu::SearchTransposed(from, length, block.lines, last, to, steps[1]);
    } else {
      for (int64_t j = 0; j < block.lines; ++j, from += steps[0]) {
        Leader<Compute<T>> leader;
        if (stride != 1) {
          for (int64_t i = 0; i < length; ++i) leader.KeepLarger(Widen(from[i * stride]), i, last);
        } else {
          if (length >= kVector && length <= kShort<T>) leader.at = SearchShort(from, length, last);
          if (leader.at < 0) leader = SearchLine(from, length, last, most);
        }
        to[j * steps[1]] = static_cast<I>(leader.at);
      }
    }
    if (stream) hwy::FlushStream();
  });
}

// Searches all elements, which lie in row-major order, in parts that threads share.
template <typename T>
int64_t SearchDense(const Tensor &in, bool last, const ParallelFor &parallel_for) {
  constexpr int64_t kPart = 1 << 16;
  const int64_t elements = in.numel();
  const T *const dense = static_cast<const T *>(in.data);
  std::vector<Leader<Compute<T>>> parts((elements + kPart - 1) / kPart);
  parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPart;
    parts[begin] =
        SearchLine(dense + first, std::min(end * kPart, elements) - first, last, MostOf<T>(in.dtype));
    parts[begin].at += first;
  });
  Leader<Compute<T>> leader;
  for (const auto &part : parts) {
    if (part.at >= 0) leader.KeepLarger(part.best, part.at, last);
  }
  return leader.at;
}

// Searches all elements in row-major order, wherever they lie: first each line along the last dimension that
// has several elements.
template <typename T>
int64_t SearchAll(const Tensor &in, bool last, const ParallelFor &parallel_for) {
  if (in.strides == ContiguousStrides(in.shape)) return SearchDense<T>(in, last, parallel_for);
  int64_t axis = in.rank() - 1;
  while (axis > 0 && in.shape[axis] == 1) --axis;
  const int64_t length = in.shape[axis];
  std::vector<int64_t> indices(in.numel() / length);
  Tensor out = in;
  out.data = indices.data();
  out.dtype = DType::kInt64;
  out.shape[axis] = 1;
  out.strides = ContiguousStrides(out.shape);
  out.shape[axis] = length;
  out.strides[axis] = 0;
  SearchLines<T, int64_t>(in, out, axis, last, false, parallel_for);
  const T *const data = static_cast<const T *>(in.data);
  Leader<Compute<T>> leader;
  Shape at(in.shape.size(), 0);
  int64_t offset = 0, line = 0;
  for (const int64_t index : indices) {
    leader.KeepLarger(Widen(data[offset + index * in.strides[axis]]), line++ * length + index, last);
    for (int64_t d = axis - 1; d >= 0; --d) {
      offset += in.strides[d];
      if (++at[d] < in.shape[d]) break;
      offset -= at[d] * in.strides[d];
      at[d] = 0;
    }
  }
  return leader.at;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self;
  const int64_t rank = in.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  CheckIndices("self", all ? in.numel() : in.shape[axis], args.out.dtype);
  // The result as a tensor of the input's shape, which has a stride of 0 along the searched axis.
  Tensor out = args.out;
  if (!all && !args.keepdim) out.strides.insert(out.strides.begin() + axis, 0);
  out.shape = in.shape;
  DispatchElement(in.dtype, [&](auto element) {
    using T = decltype(element);
    const auto run = [&](auto index) {
      using I = decltype(index);
      if (all || rank == 1) {
        *static_cast<I *>(out.data) = static_cast<I>(SearchAll<T>(in, args.select_last_index, parallel_for));
      } else {
        SearchLines<T, I>(in, out, axis, args.select_last_index, Streams(args.out), parallel_for);
      }
    };
    if (out.dtype == DType::kInt32) {
      run(int32_t{});
    } else {
      run(int64_t{});
    }
  });
}

}  // namespace avo::argmax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::argmax {
AVO_RUN_CPU(Run)
}  // namespace avo::argmax
#endif
