// SPDX-License-Identifier: Apache-2.0
// Tiling of Cummax.
#include "op_host/cummax_args.h"

#include "op_host/scan/indexed_rows.h"

namespace avo::cummax {

Plan<CummaxTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  constexpr IndexedScanKeys kKeys{{cummax::kColumns, cummax::kRows}, cummax::kIndexedRows};
  return PlanScanWithIndices(args.input, args.indices, args.dim, kKeys, platform);
}

}  // namespace avo::cummax
