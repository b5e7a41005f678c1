// SPDX-License-Identifier: Apache-2.0
// Resampling to the same length, which is a copy. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/resample/rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies `count` elements; whole vectors that are aligned in `to` go around the caches. The caller must call
// hwy::FlushStream in the end.
template <typename T>
HWY_INLINE void StreamElements(const T *from, T *to, int64_t count) {
  const hn::ScalableTag<uint8_t> d;
  constexpr int64_t kVector = hn::MaxLanes(d), kStep = 4 * kVector;
  const auto *source = reinterpret_cast<const uint8_t *>(from);
  auto *target = reinterpret_cast<uint8_t *>(to);
  const int64_t bytes = count * static_cast<int64_t>(sizeof(T));
  const auto past = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) % kVector);
  int64_t i = past == 0 ? 0 : std::min(kVector - past, bytes);
  std::memcpy(target, source, i);
  for (; i + kStep <= bytes; i += kStep) {
    const auto a = hn::LoadU(d, source + i), b = hn::LoadU(d, source + i + kVector);
    const auto c = hn::LoadU(d, source + i + 2 * kVector), e = hn::LoadU(d, source + i + 3 * kVector);
    hn::Stream(a, d, target + i);
    hn::Stream(b, d, target + i + kVector);
    hn::Stream(c, d, target + i + 2 * kVector);
    hn::Stream(e, d, target + i + 3 * kVector);
  }
  for (; i + kVector <= bytes; i += kVector) hn::Stream(hn::LoadU(d, source + i), d, target + i);
  std::memcpy(target + i, source + i, bytes - i);
}

// Copies rows to rows of equal length.
template <typename T>
void CopyRows(const Tensor &in, const Tensor &out, const ParallelFor &parallel_for) {
  const Shape dense = ContiguousStrides(out.shape);
  // Where an L2 of 2 MB does not hold the copy and its source together, storing through it would only read
  // lines that are overwritten: 1.3 x for 2.4 MB.
  constexpr int64_t kCached = 1 << 20;
  if (in.strides == dense && out.strides == dense && in.numel() * static_cast<int64_t>(sizeof(T)) > kCached) {
    return parallel_for(in.numel(), GrainOf(1), [&](int64_t begin, int64_t end) {
      StreamElements(static_cast<const T *>(in.data) + begin, static_cast<T *>(out.data) + begin,
                     end - begin);
      hwy::FlushStream();
    });
  }
  if (out.strides == dense) {
    return CopyDense(in, static_cast<T *>(out.data), parallel_for);
  }
  ForRows<T>(in, out, parallel_for, [&](const Row<const T> &from, const Row<T> &to) {
    for (int64_t i = 0; i < out.shape[2]; ++i) to[i] = from[i];
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
