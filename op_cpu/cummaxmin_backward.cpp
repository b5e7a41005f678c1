// SPDX-License-Identifier: Apache-2.0
#include "op_host/cummaxmin_backward_args.h"

#include "common/leader_gradients.h"

namespace avo::cummaxmin_backward {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &grad = args.grad_values;
  const int64_t axis = WrapDimension(args.dim, std::max<int64_t>(grad.rank(), 1));
  const auto sum = [&](auto element, auto index) {
    SumOfLeaders<decltype(element), decltype(index), 2>(
        {&grad, &args.indices}, args.out, axis, true, parallel_for,
        [](const auto &elements, int64_t place) { return elements[0] == place; });
  };
  const auto run = [&](auto element) {
    if (args.indices.dtype == DType::kInt32) {
      sum(element, int32_t{});
    } else {
      sum(element, int64_t{});
    }
  };
  DispatchFloat(grad.dtype, run);
}

}  // namespace avo::cummaxmin_backward
