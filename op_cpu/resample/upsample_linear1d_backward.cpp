// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_backward_args.h"

#include <algorithm>
#include <vector>

#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/resample/linear.h"
#include "op_cpu/resample/rows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/resample/upsample_linear1d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/common/vectors/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::upsample_linear1d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Rounds and stores the sums of a row: 6 x for 25 times as many inputs as outputs in float16.
template <typename T>
void Store(const double *sums, int64_t length, const Row<T> &out) {
  int64_t i = 0;
  if constexpr (!std::is_same_v<T, double>) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    const int64_t lanes = hn::Lanes(d);
    for (; out.stride == 1 && i + lanes <= length; i += lanes) {
      cpu::StoreFloat(hn::DemoteTo(narrow, hn::LoadU(d, sums + i)), narrow, out.data + i);
    }
  }
  for (; i < length; ++i) out[i] = Narrow<T>(static_cast<Compute<T>>(sums[i]));
}

template <typename T>
void SumRows(const Args &args, const ParallelFor &parallel_for) {
  const int64_t length = args.out.shape[2], out_length = args.grad_output.shape[2];
  if (length == out_length && args.out.strides == ContiguousStrides(args.out.shape)) {
    return cpu::CopyDense(args.grad_output, static_cast<T *>(args.out.data), parallel_for);
  }
  const auto samples = length == out_length ? LinearSamples<Compute<T>>()
                                            : SampleLinear<Compute<T>>(length, out_length, args.align_corners,
                                                                       args.scales, 0, out_length);
  const auto sum_row = [&](const Row<const T> &grads, const Row<T> &out, std::vector<double> &sums) {
    if (length == out_length) {
      for (int64_t i = 0; i < length; ++i) out[i] = grads[i];
      return;
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t i = 0; i < out_length; ++i) {
      const double grad = Widen(grads[i]);
      sums[samples.left[i]] += samples.left_weight[i] * grad;
      sums[samples.right[i]] += samples.right_weight[i] * grad;
    }
    Store(sums.data(), length, out);
  };
  const int64_t rows = args.out.shape[0] * args.out.shape[1];
  parallel_for(rows, GrainOf(std::max(length, out_length)), [&](int64_t begin, int64_t end) {
    // Sums are float64. An input may receive from all outputs, and the sum is rounded only at the end. All
    // rows use the same memory, because pages of new memory take longer than the sums of a long row.
    std::vector<double> sums(length == out_length ? 0 : length);
    for (int64_t row = begin; row < end; ++row) {
      sum_row(RowAt<const T>(args.grad_output, row), RowAt<T>(args.out, row), sums);
    }
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.grad_output.dtype,
                [&](auto element) { SumRows<decltype(element)>(args, parallel_for); });
}

}  // namespace avo::upsample_linear1d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::upsample_linear1d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::upsample_linear1d_backward
#endif
