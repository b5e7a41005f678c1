// SPDX-License-Identifier: Apache-2.0
// Results that are zero almost everywhere. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_SPARSE_PLANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_SPARSE_PLANES_INL_H_
#undef AVO_OP_CPU_POOLING_SPARSE_PLANES_INL_H_
#else
#define AVO_OP_CPU_POOLING_SPARSE_PLANES_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/tensors/element.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Stores zeros, also few at a time: a call of memset for each makes gradients of small planes take 2 x as
// long.
template <typename T>
HWY_INLINE void Clear(T *run, int64_t count) {
  using Bits = hwy::UnsignedFromSize<sizeof(T)>;
  const hn::ScalableTag<Bits> d;
  auto *to = reinterpret_cast<Bits *>(run);
  const int64_t lanes = hn::Lanes(d);
  if (count < lanes) return hn::StoreN(hn::Zero(d), d, to, count);
  // The last vector overlaps the one before it.
  for (int64_t x = 0; x < count; x += lanes) hn::StoreU(hn::Zero(d), d, to + std::min(x, count - lanes));
}

// The sum of one term, which turns -0 into 0.
template <typename T>
T SumOfOne(T term) {
  if constexpr (sizeof(T) == 2) {
    return {static_cast<uint16_t>(term.bits == 0x8000u ? 0 : term.bits)};
  } else {
    return T{0} + term;
  }
}

// Adds a gradient to the sum of a pixel. A half type is no sum: there no windows share a pixel.
template <typename Sum>
HWY_INLINE void AddTo(Sum &sum, Sum grad) {
  if constexpr (sizeof(Sum) == 2) {
    sum = SumOfOne(grad);
  } else {
    sum += grad;
  }
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
