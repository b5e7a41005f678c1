// SPDX-License-Identifier: Apache-2.0
#include "op_host/corner_pool_args.h"

#include "common/scan.h"

namespace avo::corner_pool {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t axis = args.mode < 2 ? 2 : 3;
  const bool reverse = args.mode % 2 == 0;
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    ScanBest<T, int64_t>(args.input, args.out, nullptr, axis, reverse, parallel_for,
                         [](auto a, auto b) { return a >= b; });
  });
}

}  // namespace avo::corner_pool
