// SPDX-License-Identifier: Apache-2.0
#include "op_host/avg_pool2d_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/avg_pool2d.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/pooling/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::avg_pool2d::HWY_NAMESPACE {

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, {1, 1});
  };
  const WindowAxis rows = axis(0), columns = axis(1);
  avo::HWY_NAMESPACE::Pool<avo::HWY_NAMESPACE::Total>(
      {args.input, args.out, rows.Trimmed(args.out.shape[2]), columns.Trimmed(args.out.shape[3]),
       WindowDivisors::Of(args.out.shape, rows, columns, args.count_include_pad, args.divisor_override)},
      parallel_for);
}

}  // namespace avo::avg_pool2d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::avg_pool2d {
AVO_RUN_CPU(Run)
}  // namespace avo::avg_pool2d
#endif
