// SPDX-License-Identifier: Apache-2.0
#include "op_host/max_pool2d_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/pooling/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d::HWY_NAMESPACE {

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, args.dilation)
        .Trimmed(args.out.shape[2 + i]);
  };
  avo::HWY_NAMESPACE::Pool<avo::HWY_NAMESPACE::Largest>({args.input, args.out, axis(0), axis(1), {}},
                                                        parallel_for);
}

}  // namespace avo::max_pool2d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d
#endif
