// SPDX-License-Identifier: Apache-2.0
#include "op_host/argmax_args.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/argmax.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/scan/argmax_columns-inl.h"
#include "op_cpu/scan/argmax_lines-inl.h"
#include "op_cpu/scan/lines.h"

HWY_BEFORE_NAMESPACE();
namespace avo::argmax::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace cpu = avo::HWY_NAMESPACE;

constexpr int64_t kColumns = 256;  // the lines that lie side by side and are searched together

// Searches along `axis`. `out` has the shape of `in` and a stride of 0 along `axis`: one element for each
// line. With `stream`, whole vectors of results go around the caches.
template <typename T, typename I>
void SearchLines(const Tensor &in, const Tensor &out, int64_t axis, bool last, bool stream,
                 const ParallelFor &parallel_for) {
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<cpu::KeyOf<T>>());
  constexpr int64_t kVector = hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  const int64_t length = in.shape[axis], stride = in.strides[axis];
  const Compute<T> most = MostOf<T>(in.dtype);
  const bool far = OutgrowsSecondCache(in);
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
          if (leader.at < 0) leader = SearchLine(from, length, last, most, far);
        }
        to[j * steps[1]] = static_cast<I>(leader.at);
      }
    }
    if (stream) hwy::FlushStream();
  });
}

// The results as a dense tensor whose dimensions lie in memory in the order of those of `in`. It has one
// element for each line along `axis`, so its size along `axis` is 1.
Tensor ResultsInOrderOf(const Tensor &in, const Tensor &out, int64_t axis) {
  Tensor results = out;
  results.shape[axis] = 1;
  std::vector<int64_t> order(in.rank());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return in.strides[a] < in.strides[b]; });
  int64_t stride = 1;
  for (const int64_t d : order) {
    results.strides[d] = stride;
    stride *= results.shape[d];
  }
  return results;
}

// Whether SearchLines would meet only short runs of lines that lie side by side, because results lie in
// another order, which is row-major. So it is for channels-last images, along the batch or down their rows.
bool LinesInShortRuns(const Tensor &in, const Tensor &out, int64_t axis) {
  constexpr int64_t kShortLine = 4;
  if (in.shape[axis] < kShortLine || in.numel() == 0) return false;
  bool row_major = true, short_runs = false;
  int64_t stride = 1;
  for (int64_t d = in.rank() - 1; d >= 0; --d) {
    if (d == axis || in.shape[d] == 1) continue;
    row_major &= out.strides[d] == stride;
    stride *= in.shape[d];
    if (in.strides[d] == 1) short_runs = in.shape[d] < kColumns && out.strides[d] > 1;
  }
  return row_major && short_runs;
}

// Searches along `axis`, as SearchLines does. Lines in short runs are searched in the order of memory, and
// then their results are put in their own order: 6 x as fast for 5 x 13 signals of int8, channels-last, along
// the batch; 1.3 x for images of 64 channels, at AVX-512.
template <typename T, typename I>
void SearchAxis(const Tensor &in, const Tensor &out, int64_t axis, bool last, bool stream,
                const ParallelFor &parallel_for) {
  if (!LinesInShortRuns(in, out, axis)) return SearchLines<T, I>(in, out, axis, last, stream, parallel_for);
  Tensor results = ResultsInOrderOf(in, out, axis);
  std::vector<I> memory(results.numel());
  results.data = memory.data();
  Tensor lines = results;
  lines.shape[axis] = in.shape[axis];
  lines.strides[axis] = 0;
  SearchLines<T, I>(in, lines, axis, last, false, parallel_for);
  cpu::CopyDense(results, static_cast<I *>(out.data), parallel_for);
}

// Searches all elements, which lie in row-major order, in parts that threads share.
template <typename T>
int64_t SearchDense(const Tensor &in, bool last, const ParallelFor &parallel_for) {
  constexpr int64_t kPart = 1 << 16;
  const int64_t elements = in.numel();
  const T *const dense = static_cast<const T *>(in.data);
  const Compute<T> most = MostOf<T>(in.dtype);
  const bool far = OutgrowsSecondCache(in);
  std::vector<Leader<Compute<T>>> parts((elements + kPart - 1) / kPart);
  parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kPart;
    parts[begin] = SearchLine(dense + first, std::min(end * kPart, elements) - first, last, most, far);
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
  SearchAxis<T, int64_t>(in, out, axis, last, false, parallel_for);
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

// Stores the result of lines of one element: zeros, in row-major order.
void StoreZeros(const Tensor &out, const ParallelFor &parallel_for) {
  const int64_t size = DTypeSize(out.dtype);
  parallel_for(out.numel(), GrainOf(1), [&](int64_t begin, int64_t end) {
    std::memset(static_cast<char *>(out.data) + begin * size, 0, (end - begin) * size);
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self;
  const int64_t rank = in.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  CheckIndices("self", all ? in.numel() : in.shape[axis], args.out.dtype);
  if (!all && in.shape[axis] == 1 && args.out.strides == ContiguousStrides(args.out.shape)) {
    return StoreZeros(args.out, parallel_for);
  }
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
        SearchAxis<T, I>(in, out, axis, args.select_last_index, Streams(args.out), parallel_for);
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
