// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_args.h"

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/vectors/simd.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/resample/upsample_linear1d.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "op_cpu/common/copies/dense-inl.h"
#include "op_cpu/resample/copy_rows-inl.h"
#include "op_cpu/resample/linear-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::upsample_linear1d::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Rows that are resampled together, so that positions and weights are loaded once for them: 1.2 to 1.7 x at
// AVX-512.
constexpr int64_t kRows = 4;
template <typename T, size_t kCount>
using Rows = cpu::LinearRows<T, kCount>;

template <typename T, size_t kCount>
Rows<T, kCount> At(const Tensor &tensor, int64_t row) {
  Rows<T, kCount> rows;
  const auto step = RowStep(tensor);
  for (size_t r = 0; r < kCount; ++r) {
    const int64_t at = row + static_cast<int64_t>(r);
    // A step saves divisions, which take longer than some rows.
    rows[r] = step ? static_cast<T *>(tensor.data) + at * *step : RowAt<T>(tensor, at).data;
  }
  return rows;
}

// Resamples rows [row, end).
template <typename T, bool kStream>
void ResampleRows(const Args &args, const cpu::LinearVectors<T> &vectors, int64_t row, int64_t end) {
  const Tensor &in = args.self, &out = args.out;
  // Results are fetched for the next rows that are at least so many bytes ahead, where rows are short.
  constexpr int64_t kFetched = 2048;
  const int64_t bytes = kRows * out.shape[2] * static_cast<int64_t>(sizeof(T));
  const int64_t ahead = std::max<int64_t>(1, kFetched / bytes) * kRows;
  for (; row + kRows <= end; row += kRows) {
    vectors.template Resample<kStream>(At<const T, kRows>(in, row), At<T, kRows>(out, row),
                                       At<const T, kRows>(in, std::min(row + kRows, end - kRows)),
                                       At<T, kRows>(out, std::min(row + ahead, end - kRows)));
  }
  for (; row < end; ++row) {
    const auto last = At<const T, 1>(in, row);
    const auto to = At<T, 1>(out, row);
    vectors.template Resample<kStream>(last, to, last, to);
  }
  if (kStream) hwy::FlushStream();
}

template <typename T>
void Resample(const Args &args, const ParallelFor &parallel_for) {
  const int64_t length = args.self.shape[2], out_length = args.out.shape[2];
  if constexpr (!std::is_same_v<T, double>) {  // LinearVectors computes in float32
    const bool runs = args.self.strides[2] == 1 && args.out.strides[2] == 1;
    if (runs && out_length >= cpu::LinearVectors<T>::kLanes) {
      const cpu::LinearVectors<T> vectors(length, out_length, args.align_corners, args.scales);
      const auto resample = Streams(args.out) ? ResampleRows<T, true> : ResampleRows<T, false>;
      parallel_for(args.self.shape[0] * args.self.shape[1], GrainOf(std::max(length, out_length)),
                   [&](int64_t begin, int64_t end) { resample(args, vectors, begin, end); });
      return;
    }
  }
  const auto samples =
      SampleLinear<Compute<T>>(length, out_length, args.align_corners, args.scales, 0, out_length);
  constexpr int64_t kLanes = hn::MaxLanes(hn::ScalableTag<Compute<T>>());
  if (out_length < kLanes && RowStep(args.self) && RowStep(args.out)) {
    return parallel_for(
        args.self.shape[0] * args.self.shape[1], GrainOf(length),
        [&](int64_t begin, int64_t end) { cpu::SampleFew<T>(args.self, samples, begin, end, args.out); });
  }
  ForRows<T>(args.self, args.out, parallel_for, [&](const Row<const T> &in, const Row<T> &out) {
    cpu::SampleOneByOne(in, samples, 0, out_length, out);
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const bool copies = args.self.shape[2] == args.out.shape[2];
  DispatchFloat(args.self.dtype, [&](auto element) {
    using T = decltype(element);
    if (copies) {
      cpu::CopyRows<T>(args.self, args.out, parallel_for);
    } else if (args.self.strides[2] != 1 && 2 * args.out.shape[2] >= args.self.shape[2]) {
      // Rows in pieces are copied, because vectors are computed of whole rows alone: 2 to 7 x for
      // channels-last signals. Where most inputs are read by no output, the copy would take longer.
      Args whole = args;
      const auto copy = cpu::MakeDense<T>(&whole.self, parallel_for);
      Resample<T>(whole, parallel_for);
    } else {
      Resample<T>(args, parallel_for);
    }
  });
}

}  // namespace avo::upsample_linear1d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::upsample_linear1d {
AVO_RUN_CPU(Run)
}  // namespace avo::upsample_linear1d
#endif
