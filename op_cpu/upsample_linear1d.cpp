// SPDX-License-Identifier: Apache-2.0
#include "op_host/upsample_linear1d_args.h"

#include "common/element.h"
#include "common/linear.h"
#include "common/rows.h"

namespace avo::upsample_linear1d {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t length = args.self.shape[2], out_length = args.out.shape[2];
  const auto samples = length == out_length
                           ? std::vector<LinearSample>()
                           : LinearSamples(length, out_length, args.align_corners, args.scales);
  DispatchFloat(args.self.dtype, [&](auto element) {
    using T = decltype(element);
    ForRows<T>(args.self, args.out, parallel_for, [&](const Row<const T> &in, const Row<T> &out) {
      if (samples.empty()) {
        for (int64_t i = 0; i < out_length; ++i) out[i] = in[i];
        return;
      }
      thread_local std::vector<float> in_buffer, out_buffer;
      const float *values = DenseRow(in, length, &in_buffer);
      float *results = RowResults(out, out_length, &out_buffer);
      for (int64_t i = 0; i < out_length; ++i) {
        const LinearSample &sample = samples[i];
        results[i] = sample.left_weight * values[sample.left] + sample.right_weight * values[sample.right];
      }
      StoreRow(results, out_length, out);
    });
  });
}

}  // namespace avo::upsample_linear1d
