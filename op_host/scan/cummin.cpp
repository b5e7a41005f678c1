// SPDX-License-Identifier: Apache-2.0
// Tiling of Cummin.
#include "op_host/cummin_args.h"

#include "op_host/scan/scan_tiling.h"

namespace avo::cummin {

Plan<CumminTiling> ComputeTiling(const Args &args, const Platform &device) {
  const Platform platform = Below(kTakenBySelect, device);
  constexpr ScanKeys kKeys{cummin::kColumns, cummin::kRows};
  return PlanScanWithIndices(args.input, args.indices, args.dim, kKeys, platform);
}

}  // namespace avo::cummin
