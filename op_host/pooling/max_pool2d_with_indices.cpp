// SPDX-License-Identifier: Apache-2.0
// Tiling of MaxPool2dWithIndices: tiles of neighbouring elements, which the vector cores take in turn.
#include "op_host/max_pool2d_with_indices_args.h"

#include <algorithm>

#include "op_host/common/tiling/math.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo::max_pool2d_with_indices {

Plan<MaxPool2dWithIndicesTiling> ComputeTiling(const Args &args, const Platform &platform) {
  constexpr int64_t kUnit = 32;        // elements; whole data blocks of every dtype
  constexpr int64_t kMostTile = 8192;  // elements of a tile
  Plan<MaxPool2dWithIndicesTiling> plan;
  MaxPool2dWithIndicesTiling &t = plan.tiling;
  t.inputElements = args.input.numel();
  t.outElements = args.out.numel();
  t.indicesElements = args.indices.numel();
  std::copy(args.kernel_size.begin(), args.kernel_size.end(), t.kernelSize);
  std::copy(args.stride.begin(), args.stride.end(), t.stride);
  std::copy(args.padding.begin(), args.padding.end(), t.padding);
  std::copy(args.dilation.begin(), args.dilation.end(), t.dilation);
  t.ceilMode = args.ceil_mode ? 1 : 0;
  t.elements = std::max({t.outElements, t.indicesElements});
  if (t.elements == 0) return plan;

  // As few elements a tile as give every core one; fewer where the Unified Buffer does not hold so many.
  const auto bytes = [&](int64_t units) {
    return BytesOf(MaxPool2dWithIndicesBuffers(units * kUnit, DTypeSize(args.input.dtype),
                                               DTypeSize(args.indices.dtype)));
  };
  const int64_t even = CeilDiv(CeilDiv<int64_t>(t.elements, platform.vector_cores), kUnit);
  const int64_t units = LargestFit(std::min(even, kMostTile / kUnit), platform.ub_bytes, bytes);
  if (units == 0) ThrowUbTooSmall(platform, bytes(1));
  t.tileLength = static_cast<uint32_t>(units * kUnit);

  const int64_t tiles = CeilDiv<int64_t>(t.elements, t.tileLength);
  plan.block_dim = static_cast<uint32_t>(std::min<int64_t>(platform.vector_cores, tiles));
  plan.tiling_key = kWindows;
  plan.ub_bytes = bytes(units);
  return plan;
}

}  // namespace avo::max_pool2d_with_indices
