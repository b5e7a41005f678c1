// SPDX-License-Identifier: Apache-2.0
// Products of samples and filters of a deformable convolution: what their factors are, how they lie, how much
// of them is taken at a time.
#if defined(AVO_OP_CPU_COMMON_DEFORM_PRODUCTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_PRODUCTS_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_PRODUCTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_PRODUCTS_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/product-inl.h"
#include "op_cpu/common/tile_product.h"
#include "op_cpu/common/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// By vectors, in what elements are computed in.
template <typename T>
struct VectorProduct {
  using D = ComputeTag<T>;
  using Sample = Compute<T>;
  using Packed = Compute<T>;  // filters
  struct Registers {};

  static constexpr int64_t kRows = kProductRows;    // positions are taken in multiples of it
  static constexpr int64_t kPositions = 240;        // of a tile
  static constexpr int64_t kDepth = kProductDepth;  // of a block, about
  static constexpr int64_t kTogether = 1;           // elements of the depth in one of Packed
  static constexpr int64_t kPanel = kProductVectors * hn::MaxLanes(D());  // filters next to each other

  // What is multiplied of that depth; beyond it both factors are 0.
  static int64_t Filled(int64_t depth) { return depth; }

  // From position to position of samples that deep, of which whole vectors are written.
  static int64_t Stride(int64_t depth) { return AlignUp(depth + hn::MaxLanes(D()), hn::MaxLanes(D())); }

  // Element k of a block and of a vector of filters.
  static void Pack(hn::Vec<D> filters, int64_t, Packed *to) { hn::Store(filters, D(), to); }

  static void MultiplyAdd(const Sample *samples, int64_t stride, int64_t positions, const Packed *filters,
                          int64_t depth, int64_t vectors, Compute<T> *sums, int64_t width) {
    HWY_NAMESPACE::MultiplyAdd(D(), samples, stride, positions, filters, 0, depth, vectors, sums, width);
  }
};

#if HWY_TARGET == HWY_AVX3
// By tiles: samples are rounded to bfloat16.
struct TileProduct {
  using D = ComputeTag<BFloat16>;
  using Sample = BFloat16;
  using Packed = uint32_t;  // two elements
  using Registers = TileRegisters;

  static constexpr int64_t kRows = kTileProductRows;
  static constexpr int64_t kPositions = 256;
  static constexpr int64_t kDepth = 768;  // sums are read and written that seldom: 1.2 x the speed with 512
  static constexpr int64_t kTogether = 2;
  static constexpr int64_t kPanel = kTileProductColumns;
  static_assert(hn::MaxLanes(D()) == kPanel);

  static int64_t Filled(int64_t depth) { return AlignUp(depth, kTileProductDepth); }

  // An odd number of lines of the cache, so that rows of a tile are not in the same set.
  static int64_t Stride(int64_t depth) {
    return (CeilDiv(depth + kPanel, kTileProductDepth) | 1) * kTileProductDepth;
  }

  static void Pack(hn::Vec<D> filters, int64_t k, Packed *to) {
    const hn::RebindToUnsigned<D> d;
    const auto bits = hn::BitCast(d, filters), other = hn::Load(d, to);
    hn::Store(hn::Or(other, k % 2 == 0 ? hn::ShiftRight<16>(bits) : bits), d, to);
  }

  static void MultiplyAdd(const Sample *samples, int64_t stride, int64_t positions, const Packed *filters,
                          int64_t depth, int64_t vectors, float *sums, int64_t width) {
    MultiplyAddTiles(samples, stride, positions, reinterpret_cast<const BFloat16 *>(filters), depth,
                     vectors * kPanel, sums, width);
  }
};
#endif

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
