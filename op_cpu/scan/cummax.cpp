// SPDX-License-Identifier: Apache-2.0
#include "op_host/cummax_args.h"

#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/cummax.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/scan-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::cummax::HWY_NAMESPACE {

void Run(const Args &args, const ParallelFor &parallel_for) {
  using avo::HWY_NAMESPACE::Largest;
  avo::HWY_NAMESPACE::ScanWithIndices<Largest>(args.input, args.values, args.indices, args.dim, parallel_for);
}

}  // namespace avo::cummax::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::cummax {
AVO_RUN_CPU(Run)
}  // namespace avo::cummax
#endif
