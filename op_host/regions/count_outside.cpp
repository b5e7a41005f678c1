// SPDX-License-Identifier: Apache-2.0
// Tiling of CountOutside: one core, for a launch costs more than to count what operators are given.
#include "op_host/count_outside_args.h"

#include <algorithm>

#include "op_host/common/tiling/math.h"

namespace avo::count_outside {

Plan<CountOutsideTiling> ComputeTiling(const Args &args, const Platform &platform) {
  constexpr int64_t kRepeat = 64, kMostTile = 8192;
  Plan<CountOutsideTiling> plan;
  const int64_t item = DTypeSize(args.indices.dtype);
  // Two buffers of indices; as float32, flags, zeros and the sum's; two bits.
  const int64_t bytes = 2 * item + 4 * 4 + 1, spare = 2 * kRepeat;
  const int64_t fits = AlignDown((static_cast<int64_t>(platform.ub_bytes) - spare) / bytes, kRepeat);
  plan.tiling.indices = args.indices.numel();
  plan.tiling.tileLength = static_cast<uint32_t>(
      std::min({fits, kMostTile, AlignUp(std::max<int64_t>(plan.tiling.indices, 1), kRepeat)}));
  plan.tiling.size = static_cast<float>(args.size);
  plan.block_dim = 1;
  plan.tiling_key = kOneCore;
  return plan;
}

}  // namespace avo::count_outside
