// SPDX-License-Identifier: Apache-2.0
// Products of matrices. A tile of the result is in registers; the factors are read from the caches.
#if defined(AVO_OP_CPU_COMMON_PRODUCT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_PRODUCT_INL_H_
#undef AVO_OP_CPU_COMMON_PRODUCT_INL_H_
#else
#define AVO_OP_CPU_COMMON_PRODUCT_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/fused-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The tile of a result in registers: rows, and vectors of columns. 16 registers hold 6 x 2, 32 hold 6 x 4.
constexpr int64_t kProductRows = 6;
constexpr int64_t kProductVectors = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 4 : 2;

constexpr int64_t kProductDepth = 128;  // all rows of a read so many rows of b, which stay in L1

// Computes sums (kProductRows, kVectors vectors) += a (kProductRows, depth) x b (depth, kVectors vectors).
template <int64_t kVectors, class D, typename Value = hn::TFromD<D>>
HWY_NOINLINE void MultiplyTile(D d, const Value *HWY_RESTRICT a, int64_t a_stride,
                               const Value *HWY_RESTRICT b, int64_t b_stride, int64_t depth,
                               Value *HWY_RESTRICT sums, int64_t sums_stride) {
  constexpr int64_t kLanes = hn::MaxLanes(D());
  hn::Vec<D> sum[kProductRows][kVectors];
#pragma GCC unroll 8
  for (int64_t r = 0; r < kProductRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) sum[r][v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < depth; ++k, b += b_stride) {
    hn::Vec<D> weights[kVectors];
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) weights[v] = hn::Load(d, b + v * kLanes);
#pragma GCC unroll 8
    for (int64_t r = 0; r < kProductRows; ++r) {
      const auto factor = hn::Set(d, a[r * a_stride + k]);
#pragma GCC unroll 4
      for (int64_t v = 0; v < kVectors; ++v) sum[r][v] = FusedMulAdd(factor, weights[v], sum[r][v]);
    }
  }
#pragma GCC unroll 8
  for (int64_t r = 0; r < kProductRows; ++r) {
#pragma GCC unroll 4
    for (int64_t v = 0; v < kVectors; ++v) {
      Value *to = sums + r * sums_stride + v * kLanes;
      hn::Store(hn::Add(hn::Load(d, to), sum[r][v]), d, to);
    }
  }
}

// Computes sums (rows, vectors) += a (rows, depth) x b (depth, vectors). Rows are taken kProductRows at a
// time, and there must be memory for a multiple of that. sums and b are aligned to vectors. If b_stride is 0,
// b is packed: panels of kProductVectors vectors of columns, each of them dense. The last panel may be
// narrower.
//
//   panel 0: k0: v0 v1, k1: v0 v1, … | panel 1: k0: v2 v3, k1: v2 v3, … | …
template <class D, typename Value = hn::TFromD<D>>
void MultiplyAdd(D d, const Value *a, int64_t a_stride, int64_t rows, const Value *b, int64_t b_stride,
                 int64_t depth, int64_t vectors, Value *sums, int64_t sums_stride) {
  constexpr int64_t kLanes = hn::MaxLanes(D());
  using Tile = void (*)(D, const Value *, int64_t, const Value *, int64_t, int64_t, Value *, int64_t);
  constexpr Tile kTiles[] = {MultiplyTile<1, D>, MultiplyTile<2, D>, MultiplyTile<3, D>, MultiplyTile<4, D>};
  for (int64_t v = 0; v < vectors; v += kProductVectors) {
    const int64_t count = std::min(kProductVectors, vectors - v),
                  b_row = b_stride == 0 ? count * kLanes : b_stride;
    for (int64_t k = 0; k < depth; k += kProductDepth) {
      const int64_t deep = std::min(kProductDepth, depth - k);
      for (int64_t r = 0; r < rows; r += kProductRows) {
        kTiles[count - 1](d, a + r * a_stride + k, a_stride, b + k * b_row, b_row, deep,
                          sums + r * sums_stride, sums_stride);
      }
    }
    b += b_stride == 0 ? depth * b_row : count * kLanes;
    sums += count * kLanes;
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
