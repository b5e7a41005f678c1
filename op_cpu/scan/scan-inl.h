// SPDX-License-Identifier: Apache-2.0
// Running extremes along one axis, and their indices. This file is compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_SCAN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_SCAN_INL_H_
#undef AVO_OP_CPU_COMMON_SCAN_INL_H_
#else
#define AVO_OP_CPU_COMMON_SCAN_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/scan/lines.h"
#include "op_cpu/scan/scan_columns-inl.h"
#include "op_cpu/scan/scan_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kPart = 1 << 14;  // elements of a part, where several threads scan one line
constexpr int64_t kLong = 512;      // elements of a line whose results go around the caches, aligned or not

// Scans one long line in parts, which threads share. First the leader of each part is found; then each part
// is scanned, beginning with the leader of all parts before it. A thread that gets all parts scans the line
// at once, and so reads it once.
template <class Order, typename T, typename I, bool kReverse>
void ScanParts(const Scanned<T, I> &io, int64_t length, bool stream, const ParallelFor &parallel_for) {
  const int64_t parts = (length + kPart - 1) / kPart;
  std::vector<Leader<KeyOf<T>>> leaders(parts);
  const auto count = [&](int64_t part) { return std::min(kPart, length - part * kPart); };
  const auto scan = [&](int64_t first, int64_t elements, Leader<KeyOf<T>> leader) {
    Scan<Order, T, I>::template Line<kReverse>(io.FromIndex(first), elements, first, stream, &leader);
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
      const T *from = io.FromIndex(part * kPart).from - (kReverse ? count(part) - 1 : 0);
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

// Writes the best value so far along `axis`, and its index where I is not void. kReverse: the scan goes from
// the last element to the first one.
template <class Order, typename T, typename I, bool kReverse>
void ScanAxis(const Tensor &in, const Tensor &out, const Tensor &indices, int64_t axis,
              const ParallelFor &parallel_for) {
  using Scans = Scan<Order, T, I>;
  using Columns = ScanColumns<Order, T, I>;
  const int64_t length = in.rank() == 0 ? 1 : in.shape[axis];
  const auto step = [&](const Tensor &tensor) { return tensor.rank() == 0 ? 1 : tensor.strides[axis]; };
  const Scanned<T, I> all{static_cast<const T *>(in.data),
                          static_cast<T *>(out.data),
                          static_cast<I *>(indices.data),
                          step(in),
                          step(out),
                          step(indices)};
  const bool stream = Streams(out) && Streams(indices);
  const bool contiguous = length == 1 || (step(in) == 1 && step(out) == 1 && step(indices) == 1);
  // Where lines are too few for all threads, all threads share one line after the other.
  const bool shared = contiguous && length > kPart && in.numel() / length <= 8;
  const bool wide = OutgrowsCaches(out) || OutgrowsCaches(indices);
  // Long lines need not be aligned, because each begins with the elements before the first aligned one.
  const bool past = stream || (wide && length >= kLong);
  const auto scan = [&](const LineBlock<3> &block) {
    Scanned<T, I> io = all.Shifted(block.offsets[0], block.offsets[1], block.offsets[2]);
    if constexpr (kReverse) io = io.Reversed(length);
    const auto &steps = block.steps;
    const bool columns =
        block.side_by_side && steps[0] == 1 && steps[1] == 1 && steps[2] == 1 && length <= Columns::kMostRows;
    if (columns && block.lines >= Scans::kLanes) {
      Columns::WideRows(io, length, block.lines, stream);
    } else if (columns && io.from_step == block.lines && io.to_step == io.from_step &&
               (std::is_void_v<I> || io.at_step == io.from_step)) {
      Columns::FewColumns(io, length, block.lines);
    } else if (contiguous && length < Scans::kLanes && steps[0] == length && steps[1] == length &&
               steps[2] == length) {
      Scans::template ShortLines<kReverse>(io, length, block.lines);
    } else {
      for (int64_t j = 0; j < block.lines; ++j) {
        Leader<KeyOf<T>> leader;
        if (shared) {
          ScanParts<Order, T, I, kReverse>(io, length, stream, parallel_for);
        } else if (contiguous) {
          Scans::template Line<kReverse>(io, length, 0, past, &leader);
        } else {
          Scans::OneByOne(io, length, 0, &leader);
        }
        io = io.Shifted(steps[0], steps[1], steps[2]);
      }
    }
    if (past) hwy::FlushStream();
  };
  ForLines<3>({&in, &out, &indices}, axis, Columns::kMostColumns / 2, shared ? SerialFor : parallel_for,
              scan);
}

// Scans a tensor of any dtype, with indices of int64 or int32. dim: in [-rank, rank).
template <class Order>
void ScanWithIndices(const Tensor &in, const Tensor &out, const Tensor &indices, int64_t dim,
                     const ParallelFor &parallel_for) {
  const int64_t axis = dim < 0 ? dim + std::max<int64_t>(in.rank(), 1) : dim;
  CheckIndices("input", in.rank() == 0 ? 1 : in.shape[axis], indices.dtype);
  const Shape dense = ContiguousStrides(in.shape);
  DispatchElement(in.dtype, [&](auto element) {
    using T = decltype(element);
    Tensor from = in;
    hwy::AlignedFreeUniquePtr<T[]> copy;
    // Lines lie in the same way in all tensors, or they are scanned one element after the other. So an input
    // that lies otherwise than its results is copied: 2.4 x for channels-last signals.
    if (in.strides != dense && out.strides == dense && indices.strides == dense && in.numel() > 0) {
      copy = MakeDense<T>(&from, parallel_for);
    }
    if (indices.dtype == DType::kInt32) {
      ScanAxis<Order, T, int32_t, false>(from, out, indices, axis, parallel_for);
    } else {
      ScanAxis<Order, T, int64_t, false>(from, out, indices, axis, parallel_for);
    }
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
