// SPDX-License-Identifier: Apache-2.0
#include "op_host/avg_pool2d_backward_args.h"

#include "common/window_gradients.h"

namespace avo::avg_pool2d_backward {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int64_t i) {
    return WindowAxis{args.input.shape[2 + i], args.kernel_size[i], args.stride[i], args.padding[i], 1};
  };
  const WindowAxis rows = axis(0), columns = axis(1);
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const auto add = [&](const Plane<const T> &, int64_t row, int64_t column, double grad, double *sums) {
      const int64_t divisor =
          args.divisor_override != 0
              ? args.divisor_override
              : rows.Counted(row, args.count_include_pad) * columns.Counted(column, args.count_include_pad);
      const double share = grad / static_cast<double>(divisor);
      for (int64_t y = rows.Start(row) + rows.First(row); y < rows.Start(row) + rows.Last(row); ++y) {
        double *line = sums + y * columns.size + columns.Start(column);
        for (int64_t j = columns.First(column); j < columns.Last(column); ++j) line[j] += share;
      }
    };
    ForWindowGradients<T>(args.grad_output, args.input, args.out, parallel_for, add);
  });
}

}  // namespace avo::avg_pool2d_backward
