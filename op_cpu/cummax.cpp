// SPDX-License-Identifier: Apache-2.0
#include "op_host/cummax_args.h"

#include "common/scan.h"

namespace avo::cummax {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  ScanWithIndices(args.input, args.values, args.indices, args.dim, parallel_for,
                  [](auto a, auto b) { return a >= b; });
}

}  // namespace avo::cummax
