// SPDX-License-Identifier: Apache-2.0
// Products of the samples and filters of a deformable convolution, by vectors (VectorProduct) or by the
// matrix unit (TileProduct). They say of what type the factors are, how they lie in memory, and how much of
// them is taken at a time.
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

// Multiplies by vectors, in the type that elements are computed in.
template <typename T>
struct VectorProduct {
  using D = ComputeTag<T>;
  using Value = Compute<T>;
  using Sample = Value;
  using Packed = Value;  // filters
  struct Registers {};
  static constexpr int64_t kLanes = hn::MaxLanes(D());

  static constexpr int64_t kRows = kProductRows;               // positions are taken in multiples of this
  static constexpr int64_t kPositions = 240;                   // most positions of a tile
  static constexpr int64_t kDepth = kProductDepth;             // about the depth of a block
  static constexpr int64_t kTerms = 1;                         // a factor is the sum of so many terms
  static constexpr int64_t kPackedDepth = 1;                   // elements of the depth in one Packed
  static constexpr int64_t kPanel = kProductVectors * kLanes;  // filters of a panel

  // Returns the depth that is multiplied where the factors have `depth` elements; after these, both are 0.
  static int64_t Filled(int64_t depth) { return depth; }

  // Returns the elements from position to position of samples of that depth. Whole vectors of samples are
  // written.
  static int64_t Stride(int64_t depth) { return AlignUp(depth + kLanes, kLanes); }

  // Stores a vector of samples; the last argument is the pitch of terms.
  static HWY_INLINE void Store(hn::Vec<D> samples, Sample *to, int64_t) { hn::StoreU(samples, D(), to); }

  // Stores element k of a block for a vector of filters; the last argument is the pitch of terms.
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
// Multiplies tiles of bfloat16. A factor of bfloat16 has one term: itself; samples are rounded to it. A
// factor of float16 is the sum of two terms of bfloat16, a larger and a smaller one. The product of the two
// smaller terms is left out: it is at most 2^-14 of a product, 2^-16 on average.
template <typename T>
struct TileProduct {
  using D = ComputeTag<T>;
  using Bits = hn::RebindToUnsigned<D>;
  using Sample = BFloat16;
  using Packed = uint32_t;  // two elements
  using Registers = TileRegisters;

  static constexpr int64_t kTerms = std::is_same_v<T, BFloat16> ? 1 : 2;
  static constexpr int64_t kRows = kTileProductRows;
  static constexpr int64_t kPositions = 256;
  static constexpr int64_t kDepth = 768;  // of a block; sums are read and written once for each block
  static constexpr int64_t kPackedDepth = 2;
  static constexpr int64_t kPanel = kTileProductColumns;
  static_assert(hn::MaxLanes(D()) == kPanel);

  static int64_t Filled(int64_t depth) { return AlignUp(depth, kTileProductDepth); }

  // The stride is an odd number of cache lines, so that the rows of a tile are not all in the same set.
  static int64_t Stride(int64_t depth) {
    return (CeilDiv(depth + kPanel, kTileProductDepth) | 1) * kTileProductDepth;
  }

  static HWY_INLINE void Store(hn::Vec<D> samples, Sample *to, int64_t term_pitch) {
    if constexpr (kTerms == 1) {
      StoreFloat(samples, D(), to);
    } else {
      hn::Vec<Bits> terms[kTerms];
      Split(samples, terms);
      const hn::Rebind<uint16_t, D> halves;
      for (int64_t i = 0; i < kTerms; ++i) {
        hn::StoreU(hn::TruncateTo(halves, hn::ShiftRight<16>(terms[i])), halves,
                   reinterpret_cast<uint16_t *>(to + i * term_pitch));
      }
    }
  }

  static HWY_INLINE void Pack(hn::Vec<D> filters, int64_t k, Packed *to, int64_t term_pitch) {
    const Bits bits;
    hn::Vec<Bits> terms[kTerms];
    Split(filters, terms);
    for (int64_t i = 0; i < kTerms; ++i, to += term_pitch) {
      const auto half = k % 2 == 0 ? hn::ShiftRight<16>(terms[i]) : terms[i];
      hn::Store(hn::Or(hn::Load(bits, to), half), bits, to);
    }
  }

  static void MultiplyAdd(const Sample *samples, int64_t stride, int64_t sample_term_pitch, int64_t positions,
                          const Packed *filters, int64_t filter_term_pitch, int64_t depth, int64_t vectors,
                          float *sums, int64_t width) {
    for (int64_t i = 0; i < kTerms; ++i) {
      for (int64_t j = 0; i + j < kTerms; ++j) {
        MultiplyAddTiles(samples + i * sample_term_pitch, stride, positions,
                         reinterpret_cast<const BFloat16 *>(filters + j * filter_term_pitch), depth,
                         vectors * kPanel, sums, width);
      }
    }
  }

 private:
  // Splits a value into terms whose lower halves are 0. Each term has the sign of the value, and the first
  // one is 0 only where the value is. So an infinity times the terms of a factor is never 0 x infinity, nor a
  // difference of infinities.
  static HWY_INLINE void Split(hn::Vec<D> value, hn::Vec<Bits> (&terms)[kTerms]) {
    const D d;
    const Bits bits;
    const auto upper = hn::Set(bits, 0xffff0000u);
    if constexpr (kTerms == 2) {
      const auto below = hn::And(hn::Sub(hn::BitCast(bits, value), hn::Set(bits, 1)), upper);
      terms[0] = hn::IfThenZeroElse(hn::RebindMask(bits, hn::Eq(value, hn::Zero(d))), below);
      value = hn::Sub(value, hn::BitCast(d, terms[0]));
    }
    terms[kTerms - 1] = hn::And(hn::BitCast(bits, value), upper);
  }
};
#endif

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
