// SPDX-License-Identifier: Apache-2.0
#include "op_host/max_pool2d_args.h"

#include <limits>

#include "common/element.h"
#include "common/windows.h"

namespace avo::max_pool2d {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const auto axis = [&](int64_t i) {
    return WindowAxis{args.input.shape[2 + i], args.kernel_size[i], args.stride[i], args.padding[i],
                      args.dilation[i]};
  };
  // A NaN stays, whichever side it is on.
  const auto maximum = [](auto a, auto b) { return b > a || b != b ? b : a; };
  const auto finish = [](auto value, int64_t, int64_t) { return value; };
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    ForWindows<T>(args.input, args.out, axis(0), axis(1), parallel_for,
                  -std::numeric_limits<Compute<T>>::infinity(), maximum, finish);
  });
}

}  // namespace avo::max_pool2d
