// SPDX-License-Identifier: Apache-2.0
#include "op_host/avg_pool2d_backward_args.h"

#include <algorithm>

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/avg_pool2d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/pooling/mean_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::avg_pool2d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Whether there is one window, over the whole of each plane, and the planes are dense.
bool IsWhole(const WindowGradients &windows) {
  const auto whole = [](const WindowAxis &axis) { return axis.padding == 0 && axis.kernel >= axis.size; };
  const Tensor &grad = windows.grad, &out = windows.out;
  return grad.shape[2] == 1 && grad.shape[3] == 1 && whole(windows.rows) && whole(windows.columns) &&
         out.strides[3] == 1 && out.strides[2] == out.shape[3];
}

// All elements of a plane receive the same term.
template <typename T>
void SpreadOverPlanes(const WindowGradients &windows, const ParallelFor &parallel_for) {
  using C = Compute<T>;
  const hn::ScalableTag<C> d;
  const int64_t size = windows.out.shape[2] * windows.out.shape[3], lanes = hn::Lanes(d);
  const C divisor = static_cast<C>(windows.divisors.rows[0]) * static_cast<C>(windows.divisors.columns[0]);
  const int64_t planes = windows.out.shape[0] * windows.out.shape[1];
  parallel_for(planes, GrainOf(size), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      // The sum of one term, which turns -0 into 0.
      const C term = C{0} + Widen(*PlaneOf<const T>(windows.grad, plane)) / divisor;
      T *const to = PlaneOf<T>(windows.out, plane);
      if (size < lanes) std::fill_n(to, size, Narrow<T>(term));
      // The last vector overlaps the one before it.
      for (int64_t x = 0; size >= lanes && x < size; x += lanes) {
        cpu::StoreFloat(hn::Set(d, term), d, to + std::min(x, size - lanes));
      }
    }
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, {1, 1});
  };
  const WindowAxis rows = axis(0), columns = axis(1);
  const WindowGradients windows{args.grad_output,
                                args.input,
                                args.out,
                                rows.Trimmed(args.grad_output.shape[2]),
                                columns.Trimmed(args.grad_output.shape[3]),
                                WindowDivisors::Of(args.grad_output.shape, rows, columns,
                                                   args.count_include_pad, args.divisor_override)};
  DispatchFloat(args.out.dtype, [&](auto element) {
    using T = decltype(element);
    if (IsWhole(windows)) {
      SpreadOverPlanes<T>(windows, parallel_for);
    } else {
      cpu::PoolMeanGradients<T>(windows, parallel_for);
    }
  });
}

}  // namespace avo::avg_pool2d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::avg_pool2d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::avg_pool2d_backward
#endif
