// SPDX-License-Identifier: Apache-2.0
#include "op_host/count_outside_args.h"

#include <atomic>

#include "op_cpu/common/tensors/element.h"

namespace avo::count_outside {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  constexpr int64_t kGrain =
      1 << 15;  // indices of a thread; with fewer, a thread costs more time than it saves
  const double size = static_cast<double>(args.size);
  std::atomic<int64_t> outside{0};
  const auto count = [&](auto element) {
    using T = decltype(element);
    const T *indices = static_cast<const T *>(args.indices.data);
    const int64_t stride = args.indices.strides[0];
    parallel_for(args.indices.shape[0], kGrain, [&](int64_t begin, int64_t end) {
      int64_t own = 0;
      for (int64_t i = begin; i < end; ++i) {
        const double index = Widen(indices[i * stride]);
        own += !(index >= 0 && index < size);
      }
      outside += own;
    });
  };
  if (!DispatchFloat(args.indices.dtype, count)) count(int32_t{});
  *static_cast<int32_t *>(args.out.data) = static_cast<int32_t>(outside);
}

}  // namespace avo::count_outside
