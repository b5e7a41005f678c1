// SPDX-License-Identifier: Apache-2.0
// This file is compiled as a stranger may do it, without line tables and frame pointers: the report names the
// line of the API call alone.
#include "harness.h"
#include "row_adder.h"

namespace {

void Plain(const Arguments &arguments) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, kTile * sizeof(float));
  AscendC::GlobalTensor<float> self;
  self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(arguments.self), kTile);
  AscendC::DataCopy(buffer.Get<float>(), self, kTile);
  FAULT_HERE;
  AscendC::Adds(buffer.Get<float>(), buffer.Get<float>(), 1.0f, kTile);
}

}  // namespace

const std::vector<FaultCase> &PlainCases() {
  static const std::vector<FaultCase> cases = {
      {"plain",
       sim::FaultKind::kMissingSync,
       Plain,
       {"Adds (plain_cases.cpp:", ") on V writes dst, UB bytes [0, 4096) of buffer"}},
  };
  return cases;
}
