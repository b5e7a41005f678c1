// SPDX-License-Identifier: Apache-2.0
// Budget: 2100 lines of code, because whole planes, small planes, long rows, channels-last images, and the
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
#include "op_cpu/pooling/tile_gradients-inl.h"
#include "op_cpu/pooling/whole_maxima-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;

// Blocks is what computes a block of channels.
template <class Blocks, typename T>
void PoolBlocks(const WindowGradients &given, const ParallelFor &parallel_for) {
  constexpr int64_t kBlock = cpu::kPixelBlock<T>;
  const WindowGradients windows = given.Merged(kBlock);
  const Shape &shape = windows.out.shape;
  const int64_t blocks = CeilDiv(shape[1], kBlock);
  ParallelImages(
      shape[0] * blocks, shape[2], GrainOf(shape[3] * kBlock), parallel_for, [&] { return Blocks(windows); },
      [&](Blocks &block, int64_t image, int64_t first, int64_t last) {
        const int64_t channel = image % blocks * kBlock;
        block(image / blocks, channel, std::min(kBlock, shape[1] - channel), first, last);
      });
}

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
    if (cpu::PixelMaxima<T>::Suit(windows)) {
      return ParallelImages<cpu::PixelMaxima<T>>(windows, shape[0], shape[2], GrainOf(shape[3] * shape[1]),
                                                 parallel_for);
    }
    if (!cpu::ColumnGradients<T>::Suit(windows)) {
      return cpu::ScatteredMaxima<T>::Suit(windows)
                 ? PoolBlocks<cpu::ScatteredMaxima<T>, T>(windows, parallel_for)
                 : PoolBlocks<cpu::TileGradients<T>, T>(windows, parallel_for);
    }
    ParallelImages<cpu::ColumnGradients<T>>(windows, shape[0] * shape[1], shape[2], GrainOf(shape[3]),
                                            parallel_for);
  });
}

}  // namespace avo::max_pool2d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_backward
#endif
