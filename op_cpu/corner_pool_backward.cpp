// SPDX-License-Identifier: Apache-2.0
#include "op_host/corner_pool_backward_args.h"

#include "common/leader_gradients.h"

namespace avo::corner_pool_backward {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t axis = args.mode < 2 ? 2 : 3;
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    SumOfLeaders<T, T, 3>({&args.grad_output, &args.input, &args.output}, args.out, axis, args.mode % 2 != 0,
                          parallel_for, [](const auto &elements, int64_t) {
                            const auto input = Widen(elements[0]);
                            return input == Widen(elements[1]) || input != input;
                          });
  });
}

}  // namespace avo::corner_pool_backward
