// SPDX-License-Identifier: Apache-2.0
// Budget: 1200 lines of code, because the places of maxima are found by the gradients' ways for planes.
#include <limits>

#include "op_host/max_pool2d_with_indices_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/dense_images.h"
#include "op_cpu/pooling/indexed_windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d_with_indices.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/pooling/dense_argument-inl.h"
#include "op_cpu/pooling/indexed_pixels-inl.h"
#include "op_cpu/pooling/indexed_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_with_indices::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;

// Gives minus infinity and -1 to the windows without an element.
template <typename T, typename I>
void FillEmpty(const IndexedWindows &windows) {
  const Shape &shape = windows.out.shape;
  const T lowest = Narrow<T>(-std::numeric_limits<Compute<T>>::infinity());
  for (int64_t plane = 0; plane < shape[0] * shape[1]; ++plane) {
    T *out = PlaneOf<T>(windows.out, plane);
    I *indices = PlaneOf<I>(windows.indices, plane);
    for (int64_t y = 0; y < shape[2]; ++y) {
      for (int64_t x = 0; x < shape[3]; ++x) {
        if (windows.HasElement(y, x)) continue;
        out[y * windows.out.strides[2] + x * windows.out.strides[3]] = lowest;
        indices[y * windows.indices.strides[2] + x * windows.indices.strides[3]] = -1;
      }
    }
  }
}

template <typename T, typename I>
void Pool(IndexedWindows windows, const ParallelFor &parallel_for) {
  const bool last =
      AreChannelsLast(windows.in) && MaximaSuitChannels<T>(windows.out.shape, windows.rows, windows.columns);
  const auto ordered = [&](const Tensor &images) { return last ? ChannelsLast(images) : images; };
  const cpu::DenseArgument<T> in(ordered(windows.in), parallel_for);
  const DenseResult<T> out(ordered(windows.out));
  const DenseResult<I> indices(ordered(windows.indices));
  const auto use = [&](Tensor *images, const void *data) {
    images->strides = last ? ChannelsLastStrides(images->shape) : ContiguousStrides(images->shape);
    images->data = const_cast<void *>(data);
  };
  use(&windows.in, in.data());
  use(&windows.out, out.data());
  use(&windows.indices, indices.data());
  (last ? cpu::IndexPixels<T, I> : cpu::IndexPlanes<T, I>)(windows, parallel_for);
  if (!windows.HaveElements()) FillEmpty<T, I>(windows);
  out.Store(parallel_for);
  indices.Store(parallel_for);
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  if (args.out.numel() == 0) return;
  const auto axis = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, args.dilation)
        .Trimmed(args.out.shape[2 + i]);
  };
  const IndexedWindows windows{args.input, args.out, args.indices, axis(0), axis(1)};
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    (args.indices.dtype == DType::kInt32 ? Pool<T, int32_t> : Pool<T, int64_t>)(windows, parallel_for);
  });
}

}  // namespace avo::max_pool2d_with_indices::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_with_indices {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_with_indices
#endif
