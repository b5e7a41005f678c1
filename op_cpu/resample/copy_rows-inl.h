// SPDX-License-Identifier: Apache-2.0
// Resampling to the same length, which is a copy. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#undef AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#else
#define AVO_OP_CPU_RESAMPLE_COPY_ROWS_INL_H_
#endif

#include "hwy/cache_control.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/copies/stream_run-inl.h"
#include "op_cpu/resample/rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {

// Copies rows to rows of equal length.
template <typename T>
void CopyRows(const Tensor &in, const Tensor &out, const ParallelFor &parallel_for) {
  const Shape dense = ContiguousStrides(out.shape);
  // Smaller copies take up to 1.7 x the time past the caches.
  if (in.strides == dense && out.strides == dense && OutgrowsCaches(in)) {
    return parallel_for(in.numel(), GrainOf(1), [&](int64_t begin, int64_t end) {
      StreamRun(static_cast<const T *>(in.data) + begin, end - begin, static_cast<T *>(out.data) + begin);
      hwy::FlushStream();
    });
  }
  if (out.strides == dense) {
    return CopyDense(in, static_cast<T *>(out.data), parallel_for);
  }
  const int64_t length = out.shape[2];
  parallel_for(out.shape[0] * out.shape[1], GrainOf(length), [&](int64_t begin, int64_t end) {
    ForRows<T>(in, out, begin, end, [&](const Row<const T> &from, const Row<T> &to) {
      for (int64_t i = 0; i < length; ++i) to[i] = from[i];
    });
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
