// SPDX-License-Identifier: Apache-2.0
#include "op_host/corner_pool_backward_args.h"

#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/corner_pool_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/leader_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::corner_pool_backward::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An input leads where it is equal to the output at its own index, or NaN. elements: inputs and outputs.
struct Leads {
  template <typename T>
  static bool One(const std::array<T, 2> &elements, int64_t) {
    const auto input = Widen(elements[0]);
    return input == Widen(elements[1]) || input != input;
  }
  template <class D>
  static HWY_INLINE hn::Mask<D> Lanes(D, const hn::Vec<D> *elements, int64_t) {
    return hn::Or(hn::Eq(elements[0], elements[1]), hn::IsNaN(elements[0]));
  }
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const std::array tensors = {&args.grad_output, &args.input, &args.output, &args.out};
    avo::HWY_NAMESPACE::LeaderSums<T, T, 3, Leads>(tensors, args.mode < 2 ? 2 : 3, args.mode % 2 != 0)
        .Run(parallel_for);
  });
}

}  // namespace avo::corner_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::corner_pool_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::corner_pool_backward
#endif
