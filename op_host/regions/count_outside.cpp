// SPDX-License-Identifier: Apache-2.0
// Tiling of CountOutside: one core, for a launch costs more than to count what operators are given.
#include "op_host/count_outside_args.h"

#include <algorithm>

#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo::count_outside {

Plan<CountOutsideTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  constexpr int64_t kRepeat = 64, kMostTile = 8192;
  Plan<CountOutsideTiling> plan;
  const int64_t item = DTypeSize(args.indices.dtype);
  const auto bytes = [&](int64_t repeats) { return BytesOf(CountOutsideBuffers(repeats * kRepeat, item)); };
  plan.tiling.indices = args.indices.numel();
  const int64_t wanted = std::min(kMostTile, AlignUp(std::max<int64_t>(plan.tiling.indices, 1), kRepeat));
  const int64_t repeats = LargestFit(wanted / kRepeat, platform.ub_bytes, bytes);
  if (repeats == 0) ThrowUbTooSmall(platform, bytes(1));
  plan.tiling.tileLength = static_cast<uint32_t>(repeats * kRepeat);
  plan.ub_bytes = bytes(repeats);
  plan.tiling.size = static_cast<float>(args.size);
  plan.block_dim = 1;
  plan.tiling_key = kOneCore;
  return plan;
}

}  // namespace avo::count_outside
