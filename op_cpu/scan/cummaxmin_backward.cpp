// SPDX-License-Identifier: Apache-2.0
#include "op_host/cummaxmin_backward_args.h"

#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/scan/cummaxmin_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/scan/leader_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::cummaxmin_backward::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An element leads where the forward call gave its own index. elements: indices.
struct Leads {
  template <typename I>
  static bool One(const std::array<I, 1> &elements, int64_t own) {
    return elements[0] == own;
  }
  template <class D>
  static HWY_INLINE hn::Mask<D> Lanes(D d, const hn::Vec<D> *elements, int64_t own) {
    return hn::Eq(elements[0], hn::Set(d, own));
  }
};

template <typename T, typename I>
void Sum(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &grad = args.grad_values;
  const int64_t axis = WrapDimension(args.dim, std::max<int64_t>(grad.rank(), 1));
  const std::array tensors = {&grad, &args.indices, &args.out};
  avo::HWY_NAMESPACE::LeaderSums<T, I, 2, Leads>(tensors, axis, true).Run(parallel_for);
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.grad_values.dtype, [&](auto element) {
    using T = decltype(element);
    (args.indices.dtype == DType::kInt32 ? Sum<T, int32_t> : Sum<T, int64_t>)(args, parallel_for);
  });
}

}  // namespace avo::cummaxmin_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::cummaxmin_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::cummaxmin_backward
#endif
