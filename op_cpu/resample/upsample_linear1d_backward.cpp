// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_backward_args.h"

#include <algorithm>

#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/resample/upsample_linear1d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/resample/copy_rows-inl.h"
#include "op_cpu/resample/linear_gradients-inl.h"
#include "op_cpu/resample/linear_positions-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::upsample_linear1d_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;

template <typename T>
void SumRows(const Args &args, const ParallelFor &parallel_for) {
  const int64_t rows = args.out.shape[0] * args.out.shape[1];
  const int64_t length = args.out.shape[2], out_length = args.grad_output.shape[2];
  if (length == out_length) return cpu::CopyRows<T>(args.grad_output, args.out, parallel_for);
  const auto samples =
      cpu::SampleLinear<double>(length, out_length, args.align_corners, args.scales, 0, out_length);
  const cpu::LinearGradients<T> gradients(args.grad_output, args.out, samples);
  // Where most results are zero, storing these takes longer than all sums; and few rows leave most lanes
  // idle.
  constexpr int64_t kSparse = 8, kFewRows = 4;
  const int64_t together = length > kSparse * out_length ? 1 : cpu::LinearGradients<T>::kTogether;
  const int64_t groups = (rows + together - 1) / together;
  const int64_t grain = GrainOf(std::max(length, out_length) * together);
  parallel_for(groups, grain, [&](int64_t begin, int64_t end) {
    typename cpu::LinearGradients<T>::Tiles tiles;
    for (int64_t row = begin * together; row < std::min(end * together, rows); row += together) {
      const int64_t count = std::min(together, rows - row);
      if (count < kFewRows) {
        for (int64_t r = row; r < row + count; ++r) gradients.SumAlone(r);
      } else {
        gradients.SumTogether(row, count, &tiles);
      }
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
