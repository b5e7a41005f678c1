// SPDX-License-Identifier: Apache-2.0
// Gradients of the maxima of whole planes: there is one window over each. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_POOLING_WHOLE_MAXIMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_WHOLE_MAXIMA_INL_H_
#undef AVO_OP_CPU_POOLING_WHOLE_MAXIMA_INL_H_
#else
#define AVO_OP_CPU_POOLING_WHOLE_MAXIMA_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/pooling/sparse_planes-inl.h"
#include "op_cpu/pooling/window_operations-inl.h"
#include "op_cpu/pooling/windows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Finds the largest element of each of as many runs as a vector has lanes; NaN where a run has one. The lanes
// of a vector are neighbours of a run first, and runs in the end. size: at least a vector.
template <typename T>
HWY_INLINE hn::Vec<ComputeTag<T>> LargestOfRuns(const T *runs, int64_t stride, int64_t size) {
  const ComputeTag<T> d;
  constexpr int64_t kSide = hn::MaxLanes(d);
  hn::Vec<ComputeTag<T>> all[kSide];
#pragma GCC unroll 16
  for (int64_t i = 0; i < kSide; ++i) all[i] = LoadFloat(d, runs + i * stride);
  for (int64_t next = kSide; next < size; next += kSide) {
    // The last vector overlaps the one before it.
    const T *from = runs + std::min(next, size - kSide);
#pragma GCC unroll 16
    for (int64_t i = 0; i < kSide; ++i) all[i] = Largest::Combine(all[i], LoadFloat(d, from + i * stride));
  }
  Transpose(d, all);
#pragma GCC unroll 4
  for (int64_t step = kSide / 2; step > 0; step /= 2) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < step; ++i) all[i] = Largest::Combine(all[i], all[i + step]);
  }
  return all[0];
}

// Gives the place of the first element of a run that is equal to `largest`, which is in the run, or the last
// NaN if that is NaN. size: at least a vector.
template <typename T>
HWY_INLINE int64_t PlaceOf(Compute<T> largest, const T *run, int64_t size) {
  const ComputeTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  if (HWY_UNLIKELY(largest != largest)) {
    while (Widen(run[size - 1]) == Widen(run[size - 1])) --size;
    return size - 1;
  }
  const auto wanted = hn::Set(d, largest);
  if (size <= 64) {
    uint64_t equal = 0;  // a bit for each element
    for (int64_t next = 0; next < size; next += kLanes) {
      const int64_t x = std::min(next, size - kLanes);
      equal |= hn::BitsFromMask(d, hn::Eq(LoadFloat(d, run + x), wanted)) << x;
    }
    return hwy::Num0BitsBelowLS1Bit_Nonzero64(equal);
  }
  for (int64_t next = 0;; next += kLanes) {
    const int64_t x = std::min(next, size - kLanes);
    const int64_t place = hn::FindFirstTrue(d, hn::Eq(LoadFloat(d, run + x), wanted));
    if (place >= 0) return x + place;
  }
}

// Whether there is one window over the whole of each plane, and planes lie so that they are runs.
template <typename T>
bool AreWhole(const WindowGradients &windows) {
  const auto whole = [](const WindowAxis &axis) {
    return axis.kernel == axis.size && axis.padding == 0 && (axis.dilation == 1 || axis.size == 1);
  };
  const auto run = [](const Tensor &images) {
    return images.strides[3] == 1 && images.strides[2] == images.shape[3];
  };
  return windows.grad.shape[2] == 1 && windows.grad.shape[3] == 1 && whole(windows.rows) &&
         whole(windows.columns) && run(windows.in) && run(windows.out) &&
         windows.rows.size * windows.columns.size >= 64 / static_cast<int64_t>(sizeof(Compute<T>));
}

// Each plane of the result has the gradient where the maximum is, and zeros elsewhere.
template <typename T>
void PoolWholeGradients(const WindowGradients &given, const ParallelFor &parallel_for) {
  using C = Compute<T>;
  const ComputeTag<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  const WindowGradients windows = given.Merged(kLanes);
  const Tensor &in = windows.in, &grad = windows.grad, &out = windows.out;
  const int64_t channels = in.shape[1], size = in.shape[2] * in.shape[3];
  const int64_t blocks = CeilDiv(channels, kLanes);
  const auto pool_block = [&](int64_t n, int64_t c) {
    const T *images = PlaneOf<const T>(in, n, c), *grads = PlaneOf<const T>(grad, n, c);
    T *to = PlaneOf<T>(out, n, c);
    const int64_t count = std::min(kLanes, channels - c);
    C largest[kLanes];
    if (count == kLanes) {
      hn::StoreU(LargestOfRuns(images, in.strides[1], size), d, largest);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        largest[i] = hn::GetLane(LargestOfRuns(images + i * in.strides[1], 0, size));
      }
    }
    const bool dense = out.strides[1] == size;
    if (dense) Clear(to, count * size);
    for (int64_t i = 0; i < count; ++i, to += out.strides[1], images += in.strides[1]) {
      if (!dense) Clear(to, size);
      to[PlaceOf(largest[i], images, size)] = SumOfOne(grads[i * grad.strides[1]]);
    }
  };
  parallel_for(in.shape[0] * blocks, GrainOf(size * kLanes), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) pool_block(block / blocks, block % blocks * kLanes);
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
