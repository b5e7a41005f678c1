// SPDX-License-Identifier: Apache-2.0
#include "op_host/argmax_args.h"

#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/argmax.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/extremes-inl.h"
#include "op_cpu/scan/lines.h"

HWY_BEFORE_NAMESPACE();
namespace avo::argmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace cpu = avo::HWY_NAMESPACE;

template <typename Key>
struct Leader {
  Key best{};
  int64_t at = -1;

  // Whether `key`, behind those before it, takes the lead; the first NaN keeps it.
  bool Loses(Key key, bool last) const {
    return at < 0 || (best == best && (key != key || key > best || (last && key == best)));
  }
  void Offer(Key key, int64_t index, bool last) {
    if (Loses(key, last)) *this = {key, index};
  }
};

// Of neighbours in memory: the block of the largest element, and then where that is in it. 4 x, at AVX-512,
// of what a compiler makes of the same loops. Long lines are read in four quarters at a time, which
// processors fetch as four streams.
template <typename T>
auto SearchLine(const T *line, int64_t length, bool last) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d), kBlock = 1024;
  constexpr auto kNaN = std::numeric_limits<Compute<T>>::quiet_NaN();
  Leader<Compute<T>> leader, leaders[4];
  bool nan = false;
  const int64_t quarter = length < 4 * kBlock ? 0 : length / (4 * kLanes) * kLanes;
  for (int64_t i = 0; i < quarter && !nan; i += kBlock) {
    const auto pieces =
        cpu::ExtremesOfPieces<cpu::Largest>(d, line + i, quarter, std::min(kBlock, quarter - i));
    nan = !hn::AllFalse(d, pieces.nan);
    leaders[0].Offer(cpu::Largest::OfLanes(d, pieces.a), i, last);
    leaders[1].Offer(cpu::Largest::OfLanes(d, pieces.b), quarter + i, last);
    leaders[2].Offer(cpu::Largest::OfLanes(d, pieces.c), 2 * quarter + i, last);
    leaders[3].Offer(cpu::Largest::OfLanes(d, pieces.e), 3 * quarter + i, last);
  }
  for (const auto &of : leaders) {
    if (of.at >= 0) leader.Offer(of.best, of.at, last);
  }
  const int64_t rest = length - 4 * quarter;
  if (rest > 0) {
    const auto extreme = cpu::ExtremeOf<cpu::Largest>(line + 4 * quarter, rest);
    nan |= extreme.nan;
    leader.Offer(extreme.best, 4 * quarter, last);
  }
  if (nan) return Leader<Compute<T>>{kNaN, cpu::FindFirst(line, length, kNaN)};
  const int64_t count = leader.at < 4 * quarter ? std::min(kBlock, length - leader.at) : rest;
  leader.at += (last ? cpu::FindLast<T> : cpu::FindFirst<T>)(line + leader.at, count, leader.best);
  return leader;
}

// Where that is in a line of 1 to 8 vectors; -1 where there is a NaN. 1.5 x at AVX-512 for 10000 lines of 20
// elements, which as blocks take longer to begin and end than to read.
template <typename T>
HWY_INLINE int64_t SearchShort(const T *line, int64_t length, bool last) {
  const hn::ScalableTag<Compute<T>> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const int64_t rest = length - kLanes;
  auto best = cpu::LoadKey(d, line + rest);
  auto nan = cpu::IsNaNKey(d, best);
  for (int64_t i = 0; i < rest; i += kLanes) {
    const auto keys = cpu::LoadKey(d, line + i);
    nan = hn::Or(nan, cpu::IsNaNKey(d, keys));
    best = cpu::Largest::Of(best, keys);
  }
  if (!hn::AllFalse(d, nan)) return -1;
  const auto key = cpu::Largest::OfLanes(d, best);
  return (last ? cpu::FindLast<T> : cpu::FindFirst<T>)(line, length, key);
}

// All elements in row-major order.
template <typename T>
int64_t SearchAll(const Tensor &in, bool last, const ParallelFor &parallel_for) {
  constexpr int64_t kPart = 1 << 16;
  const int64_t elements = in.numel();
  const T *dense = static_cast<const T *>(in.data);
  std::vector<T> copy;
  if (in.strides != ContiguousStrides(in.shape)) {
    copy.reserve(elements);
    Shape at(in.shape.size(), 0);
    for (int64_t i = 0; i < elements; ++i) {
      int64_t offset = 0;
      for (size_t d = 0; d < at.size(); ++d) offset += at[d] * in.strides[d];
      copy.push_back(dense[offset]);
      for (size_t d = at.size(); d-- > 0 && ++at[d] == in.shape[d];) at[d] = 0;
    }
    dense = copy.data();
  }
  std::vector<Leader<Compute<T>>> parts((elements + kPart - 1) / kPart);
  parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      parts[p] = SearchLine(dense + p * kPart, std::min(kPart, elements - p * kPart), last);
      parts[p].at += p * kPart;
    }
  });
  Leader<Compute<T>> leader;
  for (const auto &part : parts) leader.Offer(part.best, part.at, last);
  return leader.at;
}

// kVectors vectors of neighbouring lines, walked side by side: 10 x of one line after the other at AVX-512.
// Lines of the vectors after next are fetched meanwhile: as many streams as a line has elements are more than
// a processor follows by itself. With results around the caches, 1.6 x for 19 planes of 2 MB.
template <typename T, typename I, size_t kVectors>
void SearchColumns(const T *from, int64_t step, int64_t length, bool last, I *to, bool stream) {
  const hn::ScalableTag<cpu::KeyOf<T>> d;
  const hn::RebindToSigned<decltype(d)> places;
  constexpr size_t kLanes = hn::MaxLanes(d), kBytes = kVectors * kLanes * sizeof(T), kAhead = 512;
  hn::Vec<decltype(d)> best[kVectors];
  hn::Vec<decltype(places)> at[kVectors];
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) {
    best[v] = cpu::LoadKey(d, from + v * kLanes);
    at[v] = hn::Zero(places);
  }
  for (int64_t i = 1; i < length; ++i) {
    from += step;
    const auto index = hn::Set(places, static_cast<hn::TFromD<decltype(places)>>(i));
#pragma GCC unroll 4
    for (size_t byte = 0; byte < kBytes; byte += 64)
      hwy::Prefetch(reinterpret_cast<const char *>(from) + kAhead + byte);
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      const auto keys = cpu::LoadKey(d, from + v * kLanes);
      const auto worse = last ? hn::Lt(keys, best[v]) : hn::Le(keys, best[v]);
      const auto leads = hn::Not(hn::Or(worse, cpu::IsNaNKey(d, best[v])));
      best[v] = hn::IfThenElse(leads, keys, best[v]);
      at[v] = hn::IfThenElse(hn::RebindMask(places, leads), index, at[v]);
    }
  }
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) cpu::PutIndices(at[v], places, 0, to + v * kLanes, stream);
}

// Along `axis`; `out` has the shape of `in`, and one element for all of a line. With `stream`, results in
// vectors go around the caches.
template <typename T, typename I>
void SearchLines(const Tensor &in, const Tensor &out, int64_t axis, bool last, bool stream,
                 const ParallelFor &parallel_for) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<cpu::KeyOf<T>>()), kColumns = 256;
  constexpr int64_t kVectors = 4, kWide = kVectors * kLanes;
  constexpr int64_t kVector = hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  const int64_t length = in.shape[axis], stride = in.strides[axis];
  ForLines<2>({&in, &out}, axis, kColumns, parallel_for, [&](const LineBlock<2> &block) {
    const T *from = static_cast<const T *>(in.data) + block.offsets[0];
    I *to = static_cast<I *>(out.data) + block.offsets[1];
    const auto &steps = block.steps;
    const bool narrow = length > std::numeric_limits<int32_t>::max();
    if (block.side_by_side && steps[0] == 1 && block.lines >= kLanes && !narrow) {
      I results[kColumns];
      I *const direct = steps[1] == 1 ? to : results;
      int64_t j = 0;
      for (; j + kWide <= block.lines; j += kWide) {
        SearchColumns<T, I, kVectors>(from + j, stride, length, last, direct + j, stream && direct == to);
      }
      for (; j < block.lines; j += kLanes) {
        // The last vector overlaps the one before it.
        const int64_t first = std::min(j, block.lines - kLanes);
        SearchColumns<T, I, 1>(from + first, stride, length, last, direct + first, false);
      }
      for (j = 0; direct != to && j < block.lines; ++j) to[j * steps[1]] = results[j];
    } else {
      for (int64_t j = 0; j < block.lines; ++j, from += steps[0]) {
        Leader<Compute<T>> leader;
        if (stride != 1) {
          for (int64_t i = 0; i < length; ++i) leader.Offer(Widen(from[i * stride]), i, last);
        } else {
          if (length >= kVector && length <= 8 * kVector) leader.at = SearchShort(from, length, last);
          if (leader.at < 0) leader = SearchLine(from, length, last);
        }
        to[j * steps[1]] = static_cast<I>(leader.at);
      }
    }
    if (stream) hwy::FlushStream();
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self;
  const int64_t rank = in.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  // The result as a tensor of the input's shape.
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
