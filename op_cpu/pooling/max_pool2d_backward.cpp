// SPDX-License-Identifier: Apache-2.0
// Budget: 2000 lines of code, because whole planes, small planes, long rows, channels-last images, and the
// commonest windows each have an algorithm of their own that is the fastest for them.
#include "op_host/max_pool2d_backward_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/pooling/column_gradients-inl.h"
#include "op_cpu/pooling/pair_gradients-inl.h"
#include "op_cpu/pooling/pixel_maxima-inl.h"
#include "op_cpu/pooling/scattered_maxima-inl.h"
#include "op_cpu/pooling/whole_maxima-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, args.dilation)
        .Trimmed(args.grad_output.shape[2 + i]);
  };
  const WindowGradients windows{args.grad_output, args.input, args.out, axis(0), axis(1), {}};
  DispatchFloat(args.out.dtype, [&](auto element) {
    using T = decltype(element);
    if (cpu::AreWhole<T>(windows)) return cpu::PoolWholeGradients<T>(windows, parallel_for);
    if (cpu::PoolPairs<T, 3>(windows, parallel_for) || cpu::PoolPairs<T, 2>(windows, parallel_for)) return;
    const Shape &shape = windows.out.shape;
    // channels: how many are computed together.
    const auto pool_pixels = [&](int64_t channels) {
      const int64_t parts = shape[1] / channels;
      ParallelImages(
          shape[0] * parts, shape[2], GrainOf(shape[3] * channels), parallel_for,
          [&] { return cpu::PixelMaxima<T>(windows, channels); },
          [&](cpu::PixelMaxima<T> &worker, int64_t image, int64_t first, int64_t last) {
            worker(image / parts, image % parts * channels, first, last);
          });
    };
    if (cpu::PixelMaxima<T>::Suit(windows)) return pool_pixels(shape[1]);
    if (cpu::ColumnGradients<T>::Suit(windows)) {
      return ParallelImages<cpu::ColumnGradients<T>>(windows, shape[0] * shape[1], shape[2],
                                                     GrainOf(shape[3]), parallel_for);
    }
    if (cpu::PoolScattered<T>(windows, parallel_for)) return;
    // Any other layout: one channel at a time, unless channels are neighbours.
    pool_pixels(windows.AreNeighbours(1) ? shape[1] : 1);
  });
}

}  // namespace avo::max_pool2d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_backward
#endif
