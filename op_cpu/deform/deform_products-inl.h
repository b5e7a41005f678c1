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
#include "op_cpu/common/vectors/tile_product.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// By vectors, in what elements are computed in.
template <typename T>
struct VectorProduct {
  using D = ComputeTag<T>;
  using Value = Compute<T>;
  using Sample = Value;
  using Packed = Value;  // filters
  struct Registers {};
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  static constexpr int64_t kRows = kProductRows;               // positions are taken in multiples of it
  static constexpr int64_t kPositions = 240;                   // of a tile
  static constexpr int64_t kDepth = kProductDepth;             // of a block, about
  static constexpr int64_t kParts = 1;                         // of a factor, which are added
  static constexpr int64_t kTogether = 1;                      // elements of the depth in one of Packed
  static constexpr int64_t kPanel = kProductVectors * kLanes;  // filters next to each other

  // What is multiplied of that depth; beyond it both factors are 0.
  static int64_t Filled(int64_t depth) { return depth; }

  // From position to position of samples that deep, of which whole vectors are written.
  static int64_t Stride(int64_t depth) { return AlignUp(depth + kLanes, kLanes); }

  // Stores a vector of samples, parts that far from each other.
  static HWY_INLINE void Store(hn::Vec<D> samples, Sample *to, int64_t) { hn::StoreU(samples, D(), to); }

  // The same for element k of a block and of a vector of filters.
  static HWY_INLINE void Pack(hn::Vec<D> filters, int64_t, Packed *to, int64_t) {
    hn::Store(filters, D(), to);
  }

  static void MultiplyAdd(const Sample *samples, int64_t stride, int64_t, int64_t positions,
                          const Packed *filters, int64_t, int64_t depth, int64_t vectors, Value *sums,
                          int64_t width) {
    HWY_NAMESPACE::MultiplyAdd(D(), samples, stride, positions, filters, 0, depth, vectors, sums, width);
  }
};

#if HWY_TARGET == HWY_AVX3
// By tiles of bfloat16. Its samples are rounded to it. Those of float16 and its filters are sums of two, the
// product of the lesser ones is left out: 2^-14 of a product at most, 2^-16 on average.
template <typename T>
struct TileProduct {
  using D = ComputeTag<T>;
  using Bits = hn::RebindToUnsigned<D>;
  using Sample = BFloat16;
  using Packed = uint32_t;  // two elements
  using Registers = TileRegisters;

  static constexpr int64_t kParts = std::is_same_v<T, BFloat16> ? 1 : 2;
  static constexpr int64_t kRows = kTileProductRows;
  static constexpr int64_t kPositions = 256;
  static constexpr int64_t kDepth = 768;  // sums are read and written that seldom
  static constexpr int64_t kTogether = 2;
  static constexpr int64_t kPanel = kTileProductColumns;
  static_assert(hn::MaxLanes(D()) == kPanel);

  static int64_t Filled(int64_t depth) { return AlignUp(depth, kTileProductDepth); }

  // An odd number of lines of the cache, so that rows of a tile are not in the same set.
  static int64_t Stride(int64_t depth) {
    return (CeilDiv(depth + kPanel, kTileProductDepth) | 1) * kTileProductDepth;
  }

  static HWY_INLINE void Store(hn::Vec<D> samples, Sample *to, int64_t part) {
    if constexpr (kParts == 1) {
      StoreFloat(samples, D(), to);
    } else {
      hn::Vec<Bits> parts[kParts];
      Split(samples, parts);
      const hn::Rebind<uint16_t, D> halves;
      for (int64_t i = 0; i < kParts; ++i) {
        hn::StoreU(hn::TruncateTo(halves, hn::ShiftRight<16>(parts[i])), halves,
                   reinterpret_cast<uint16_t *>(to + i * part));
      }
    }
  }

  static HWY_INLINE void Pack(hn::Vec<D> filters, int64_t k, Packed *to, int64_t part) {
    const Bits bits;
    hn::Vec<Bits> parts[kParts];
    Split(filters, parts);
    for (int64_t i = 0; i < kParts; ++i, to += part) {
      const auto half = k % 2 == 0 ? hn::ShiftRight<16>(parts[i]) : parts[i];
      hn::Store(hn::Or(hn::Load(bits, to), half), bits, to);
    }
  }

  static void MultiplyAdd(const Sample *samples, int64_t stride, int64_t sample_part, int64_t positions,
                          const Packed *filters, int64_t filter_part, int64_t depth, int64_t vectors,
                          float *sums, int64_t width) {
    for (int64_t i = 0; i < kParts; ++i) {
      for (int64_t j = 0; i + j < kParts; ++j) {
        MultiplyAddTiles(samples + i * sample_part, stride, positions,
                         reinterpret_cast<const BFloat16 *>(filters + j * filter_part), depth,
                         vectors * kPanel, sums, width);
      }
    }
  }

 private:
  // Upper halves of what adds up to a value, of its sign and 0 only where it is, so that an infinity times
  // the parts of a factor is never 0 x infinity or a difference of infinities.
  static HWY_INLINE void Split(hn::Vec<D> value, hn::Vec<Bits> (&parts)[kParts]) {
    const D d;
    const Bits bits;
    const auto upper = hn::Set(bits, 0xffff0000u);
    if constexpr (kParts == 2) {
      const auto below = hn::And(hn::Sub(hn::BitCast(bits, value), hn::Set(bits, 1)), upper);
      parts[0] = hn::IfThenZeroElse(hn::RebindMask(bits, hn::Eq(value, hn::Zero(d))), below);
      value = hn::Sub(value, hn::BitCast(d, parts[0]));
    }
    parts[kParts - 1] = hn::And(hn::BitCast(bits, value), upper);
  }
};
#endif

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
