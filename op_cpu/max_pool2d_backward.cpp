// SPDX-License-Identifier: Apache-2.0
#include "op_host/max_pool2d_backward_args.h"

#include "common/window_gradients.h"

namespace avo::max_pool2d_backward {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int64_t i) {
    return WindowAxis{args.input.shape[2 + i], args.kernel_size[i], args.stride[i], args.padding[i],
                      args.dilation[i]};
  };
  const WindowAxis rows = axis(0), columns = axis(1);
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    // The first of the largest elements, or the last NaN.
    const auto add = [&](const Plane<const T> &image, int64_t row, int64_t column, double grad,
                         double *sums) {
      const int64_t top = rows.Start(row), left = columns.Start(column), last = columns.Last(column);
      Compute<T> best = 0;
      int64_t leader = -1;
      for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
        for (int64_t j = columns.First(column); j < last; ++j) {
          const int64_t y = top + i * rows.dilation, x = left + j * columns.dilation;
          const Compute<T> value = Widen(image.At(y, x));
          if (leader >= 0 && !(value > best) && value == value) continue;
          best = value;
          leader = y * columns.size + x;
        }
      }
      if (leader >= 0) sums[leader] += grad;
    };
    ForWindowGradients<T>(args.grad_output, args.input, args.out, parallel_for, add);
  });
}

}  // namespace avo::max_pool2d_backward
