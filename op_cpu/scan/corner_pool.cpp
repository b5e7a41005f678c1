// SPDX-License-Identifier: Apache-2.0
#include "op_host/corner_pool_args.h"

#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/corner_pool.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/scan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::corner_pool::HWY_NAMESPACE {
using avo::HWY_NAMESPACE::Largest;
using avo::HWY_NAMESPACE::ScanAxis;

void Run(const Args &args, const ParallelFor &parallel_for) {
  const int64_t axis = args.mode < 2 ? 2 : 3;
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    // Without indices only the strides of the third tensor are read.
    if (args.mode % 2 == 0) {
      ScanAxis<Largest, T, void, true>(args.input, args.out, args.out, axis, parallel_for);
    } else {
      ScanAxis<Largest, T, void, false>(args.input, args.out, args.out, axis, parallel_for);
    }
  });
}

}  // namespace avo::corner_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::corner_pool {
AVO_RUN_CPU(Run)
}  // namespace avo::corner_pool
#endif
