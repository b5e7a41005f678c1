// SPDX-License-Identifier: Apache-2.0
// Budget: 2000 lines of code, because whole planes, small planes, long rows, channels-last images, and the
// commonest windows each have an algorithm of their own that is the fastest for them.
#include <vector>

#include "op_host/max_pool2d_backward_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/dense_images.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/pooling/column_gradients-inl.h"
#include "op_cpu/pooling/pair_gradients-inl.h"
#include "op_cpu/pooling/pixel_maxima-inl.h"
#include "op_cpu/pooling/scattered_maxima-inl.h"
#include "op_cpu/pooling/whole_maxima-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;

// channels: how many are computed together.
template <typename T>
void PoolPixels(const WindowGradients &windows, int64_t channels, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  const int64_t parts = shape[1] / channels;
  ParallelImages(
      shape[0] * parts, shape[2], GrainOf(shape[3] * channels), parallel_for,
      [&] { return cpu::PixelMaxima<T>(windows, channels); },
      [&](cpu::PixelMaxima<T> &worker, int64_t image, int64_t first, int64_t last) {
        worker(image / parts, image % parts * channels, first, last);
      });
}

template <typename T>
bool SuitsChannels(const WindowGradients &windows) {
  return MaximaSuitChannels<T>(windows.grad.shape, windows.rows, windows.columns);
}

// Computes the gradients if there is a fast way for where the images lie; returns whether there is.
template <typename T>
bool PoolInPlace(const WindowGradients &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  if (cpu::AreWhole<T>(windows)) {
    cpu::PoolWholeGradients<T>(windows, parallel_for);
  } else if (cpu::PoolPairs<T, 3>(windows, parallel_for) || cpu::PoolPairs<T, 2>(windows, parallel_for)) {
    return true;
  } else if (windows.AreNeighbours(1) && SuitsChannels<T>(windows)) {
    PoolPixels<T>(windows, shape[1], parallel_for);
  } else if (cpu::ColumnGradients<T>::Suit(windows)) {
    ParallelImages<cpu::ColumnGradients<T>>(windows, shape[0] * shape[1], shape[2], GrainOf(shape[3]),
                                            parallel_for);
  } else {
    return cpu::PoolScattered<T>(windows, parallel_for);
  }
  return true;
}

// Computes the gradients of a channels-last result from copies of what lies otherwise. Where few channels or
// many taps make channels-last images slow, all are copied to planes. Returns false for any other result.
template <typename T>
bool PoolCopies(WindowGradients windows, const ParallelFor &parallel_for) {
  const Tensor out = ChannelsLast(windows.out);
  if (out.strides != ContiguousStrides(out.shape)) return false;
  const bool as_planes = !SuitsChannels<T>(windows);
  std::vector<hwy::AlignedFreeUniquePtr<T[]>> copies;
  for (Tensor *images : {&windows.grad, &windows.in}) {
    if (as_planes) {
      if (images->strides != ContiguousStrides(images->shape))
        copies.push_back(cpu::MakeDense<T>(images, parallel_for));
    } else if (images->strides[1] != 1) {
      Tensor last = ChannelsLast(*images);
      copies.push_back(cpu::MakeDense<T>(&last, parallel_for));
      images->data = last.data;
      images->strides = {last.strides[0], last.strides[3], last.strides[1], last.strides[2]};
    }
  }
  if (!as_planes) {
    PoolPixels<T>(windows, windows.out.shape[1], parallel_for);
    return true;
  }
  copies.push_back(AllocateAligned<T>(out.numel()));
  windows.out.data = copies.back().get();
  windows.out.strides = ContiguousStrides(windows.out.shape);
  if (!PoolInPlace<T>(windows, parallel_for)) return false;
  cpu::CopyDense(ChannelsLast(windows.out), static_cast<T *>(out.data), parallel_for);
  return true;
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, args.dilation)
        .Trimmed(args.grad_output.shape[2 + i]);
  };
  const WindowGradients windows{args.grad_output, args.input, args.out, axis(0), axis(1), {}};
  DispatchFloat(args.out.dtype, [&](auto element) {
    using T = decltype(element);
    if (PoolInPlace<T>(windows, parallel_for) || PoolCopies<T>(windows, parallel_for)) return;
    // Any other layout: one channel at a time.
    PoolPixels<T>(windows, 1, parallel_for);
  });
}

}  // namespace avo::max_pool2d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_backward
#endif
