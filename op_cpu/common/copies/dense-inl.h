// SPDX-License-Identifier: Apache-2.0
// Copies of tensors with any strides to row-major order. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_DENSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DENSE_INL_H_
#undef AVO_OP_CPU_COMMON_DENSE_INL_H_
#else
#define AVO_OP_CPU_COMMON_DENSE_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/common/vectors/transpose_blocks-inl.h"
#include "op_host/common/tensors/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Transposes words of 32 bits as TransposeElements does, at least 8 rows and 4 columns. Vectors of 32 bytes
// take half of the time of longer ones, because two of their shuffles start in a cycle.
inline void TransposeWords(const uint32_t *from, int64_t step, int64_t rows, int64_t columns, uint32_t *to,
                           int64_t to_step) {
  const hn::CappedTag<uint32_t, 8> d;
  const hn::CappedTag<uint32_t, 4> block;
  constexpr int64_t kSide = hn::MaxLanes(d), kBlock = 4;
  // The last squares, and the last block of the columns, overlap those before them.
  for (int64_t next_x = 0; next_x < columns; next_x += kSide) {
    const int64_t x = std::max<int64_t>(0, std::min(next_x, columns - kSide));
    const int64_t second = std::min<int64_t>(kBlock, columns - x - kBlock);
    uint32_t *const to_column = to + x * to_step;
    for (int64_t next_y = 0; next_y < rows; next_y += kSide) {
      const int64_t y = std::min(next_y, rows - kSide);
      hn::Vec<decltype(d)> square[kSide];
      const uint32_t *const corner = from + y * step + x;
      const auto load = [&](int64_t row, int64_t word) HWY_ATTR {
        return hn::LoadU(block, corner + row * step + (word == 0 ? 0 : second));
      };
      TransposeBlocks(d, load, square);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kSide; ++i) {
        hn::StoreU(square[i], d, to_column + (i < kBlock ? i : second + i - kBlock) * to_step + y);
      }
    }
  }
}

// Transposes (rows, columns) to (columns, rows). Rows start `step` elements apart in `from`, columns start
// `to_step` elements apart in `to`; all other strides are 1. Values of integers move as those floats do that
// have as many bits; single bytes move in squares of 16 x 16: 4 x as fast as one by one, at AVX-512.
template <typename T>
void TransposeElements(const T *from, int64_t step, int64_t rows, int64_t columns, T *to, int64_t to_step) {
  if constexpr (sizeof(T) == 1) {
    const hn::CappedTag<T, 16> d;
    constexpr int64_t kSide = hn::MaxLanes(d);
    if (rows >= kSide && columns >= kSide) {
      // The last squares overlap those before them.
      for (int64_t next_x = 0; next_x < columns; next_x += kSide) {
        const int64_t x = std::min(next_x, columns - kSide);
        for (int64_t next_y = 0; next_y < rows; next_y += kSide) {
          const int64_t y = std::min(next_y, rows - kSide);
          hn::Vec<decltype(d)> square[kSide];
#pragma GCC unroll 16
          for (int64_t i = 0; i < kSide; ++i) square[i] = hn::LoadU(d, from + (y + i) * step + x);
          Transpose(d, square);
#pragma GCC unroll 16
          for (int64_t i = 0; i < kSide; ++i) hn::StoreU(square[i], d, to + (x + i) * to_step + y);
        }
      }
      return;
    }
    for (int64_t x = 0; x < columns; ++x) {
      for (int64_t y = 0; y < rows; ++y) to[x * to_step + y] = from[y * step + x];
    }
  } else {
    if constexpr (sizeof(T) == 4) {
      if (rows >= 8 && columns >= 4) {
        return TransposeWords(reinterpret_cast<const uint32_t *>(from), step, rows, columns,
                              reinterpret_cast<uint32_t *>(to), to_step);
      }
    }
    using Bits =
        std::conditional_t<sizeof(T) == 2, BFloat16, std::conditional_t<sizeof(T) == 4, float, double>>;
    ToChannelsLast(reinterpret_cast<const Bits *>(from), step, rows, columns, reinterpret_cast<Bits *>(to),
                   to_step);
  }
}

// Copies the elements of `in` to `to`, in row-major order. Where another dimension than the last one has the
// stride 1, squares of both are transposed: 2 x as fast as one element after the other for channels-last
// signals of float32, at AVX-512.
template <typename T>
void CopyDense(const Tensor &in, T *to, const ParallelFor &parallel_for) {
  constexpr int64_t kColumns = 64;  // of a rectangle that is transposed
  const T *const from = static_cast<const T *>(in.data);
  const int64_t elements = in.numel(), rank = in.rank();
  if (in.strides == ContiguousStrides(in.shape)) {
    parallel_for(elements, GrainOf(1), [&](int64_t begin, int64_t end) {
      std::memcpy(to + begin, from + begin, (end - begin) * sizeof(T));
    });
    return;
  }
  const Shape dense = ContiguousStrides(in.shape);
  int64_t last = rank - 1, beside = -1;
  while (last > 0 && in.shape[last] == 1) --last;
  for (int64_t d = 0; d < last; ++d) {
    if (in.strides[d] == 1 && in.shape[d] > 1) beside = d;
  }
  if (in.strides[last] == 1) beside = -1;
  const int64_t length = in.shape[last], across = beside < 0 ? 1 : in.shape[beside];
  const int64_t pieces = (across + kColumns - 1) / kColumns;
  parallel_for(elements / length / across * pieces, GrainOf(length * std::min(across, kColumns)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t item = begin; item < end; ++item) {
                   const int64_t first = item % pieces * kColumns;
                   int64_t outer = item / pieces, offset = first,
                           place = beside < 0 ? 0 : first * dense[beside];
                   for (int64_t d = last - 1; d >= 0; --d) {
                     if (d == beside) continue;
                     offset += outer % in.shape[d] * in.strides[d];
                     place += outer % in.shape[d] * dense[d];
                     outer /= in.shape[d];
                   }
                   if (beside >= 0) {
                     TransposeElements(from + offset, in.strides[last], length,
                                       std::min(kColumns, across - first), to + place, dense[beside]);
                   } else if (in.strides[last] == 1) {
                     std::memcpy(to + place, from + offset, length * sizeof(T));
                   } else {
                     for (int64_t i = 0; i < length; ++i) to[place + i] = from[offset + i * in.strides[last]];
                   }
                 }
               });
}

// Copies `in` to new memory in row-major order, and returns this memory. Afterwards `in` describes the copy.
template <typename T>
hwy::AlignedFreeUniquePtr<T[]> MakeDense(Tensor *in, const ParallelFor &parallel_for) {
  auto copy = AllocateAligned<T>(in->numel());
  CopyDense(*in, copy.get(), parallel_for);
  in->data = copy.get();
  in->strides = ContiguousStrides(in->shape);
  return copy;
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
