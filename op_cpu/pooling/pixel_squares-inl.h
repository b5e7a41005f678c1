// SPDX-License-Identifier: Apache-2.0
// Blocks of channels of images as vectors of channels, and back. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#undef AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#else
#define AVO_OP_CPU_POOLING_PIXEL_SQUARES_INL_H_
#endif

#include <algorithm>
#include <type_traits>

#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/common/vectors/transpose_blocks-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Channels of a block: a vector of the widest instruction set, or a few vectors.
template <typename T>
constexpr int64_t kPixelBlock = 64 / sizeof(Compute<T>);

// Words that squares are made of: one element of float32 or float64, or two neighbouring ones of a half type.
template <typename T>
using WordTag = hn::RebindToUnsigned<ComputeTag<T>>;
template <typename T>
constexpr int64_t kWord = sizeof(Compute<T>) / sizeof(T);

// Calls body(p, count) for squares of `side` pixels that cover [0, pixels). The last one overlaps the one
// before it, or has fewer pixels where there are no more.
template <class Body>
HWY_INLINE void ForSquares(int64_t side, int64_t pixels, const Body &body) {
  for (int64_t next = 0; next < pixels; next += side) {
    const int64_t p = std::max<int64_t>(0, std::min(next, pixels - side));
    body(p, std::min(side, pixels - p));
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
