// SPDX-License-Identifier: Apache-2.0
#include "op_host/max_pool2d_with_indices_backward_args.h"

#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/tensors/rows.h"
#include "op_cpu/common/vectors/simd.h"
// Highway compiles what follows foreach_target.h once for each instruction set, by including this file again.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d_with_indices_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_with_indices_backward::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using avo::HWY_NAMESPACE::StoreFloat;

// Writes zeros to a row: vectors of float32 (float64 of float64) where the row is dense, single elements
// elsewhere.
template <typename T>
void ZeroRow(const StridedRow<T> &to) {
  const hn::ScalableTag<Compute<T>> d;
  const int64_t lanes = hn::Lanes(d);
  int64_t i = 0;
  if (to.stride == 1) {
    for (; i + lanes <= to.length; i += lanes) StoreFloat(hn::Zero(d), d, to.data + i);
  }
  for (; i < to.length; ++i) to[i] = Narrow<T>(0);
}

// Computes the results: args has its tensors and attributes in the order of the C entry point. Each row may
// go to another thread.
void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.out.dtype, [&](auto element) {
    using T = decltype(element);
    ForEachRow(args.out, parallel_for, [&](int64_t row) {
      const auto out = RowOf<T>(args.out, row);
      ZeroRow<T>(out);
    });
  });
}

}  // namespace avo::max_pool2d_with_indices_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_with_indices_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_with_indices_backward
#endif
