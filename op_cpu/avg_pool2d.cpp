// SPDX-License-Identifier: Apache-2.0
#include "op_host/avg_pool2d_args.h"

#include "common/element.h"
#include "common/windows.h"

namespace avo::avg_pool2d {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int64_t i) {
    return WindowAxis{args.input.shape[2 + i], args.kernel_size[i], args.stride[i], args.padding[i], 1};
  };
  const WindowAxis rows = axis(0), columns = axis(1);
  const auto mean = [&](auto sum, int64_t row, int64_t column) {
    const int64_t divisor = args.divisor_override != 0 ? args.divisor_override
                                                       : rows.Counted(row, args.count_include_pad) *
                                                             columns.Counted(column, args.count_include_pad);
    return sum / static_cast<decltype(sum)>(divisor);
  };
  const auto add = [](auto a, auto b) { return a + b; };
  DispatchFloat(args.input.dtype, [&](auto element) {
    ForWindows<decltype(element)>(args.input, args.out, rows, columns, parallel_for, 0, add, mean);
  });
}

}  // namespace avo::avg_pool2d
