// SPDX-License-Identifier: Apache-2.0
// far_rows GAP: copies three rows of 8 floats, which start 8 + GAP elements apart in global memory, into the
// Unified Buffer and back to other rows as far apart. Prints the report of the run, or on
// stderr which element is wrong or which fault there is; then the exit code is 1.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/copies/row_copy.h"
#include "engine/launch.h"

namespace {

constexpr uint32_t kRows = 3, kCount = 8;

struct FarTiling {
  int64_t row;  // elements from row to row in global memory
};

void CopyFarRows(void *const *args) {
  GM_ADDR tiling = static_cast<GM_ADDR>(args[2]);
  GET_TILING_DATA_WITH_STRUCT(FarTiling, plan, tiling);
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, kRows * kCount * sizeof(float));
  AscendC::GlobalTensor<float> in, out;
  in.SetGlobalBuffer(static_cast<float *>(args[0]), (kRows - 1) * plan.row + kCount);
  out.SetGlobalBuffer(static_cast<float *>(args[1]), (kRows - 1) * plan.row + kCount);
  auto rows = queue.AllocTensor<float>();
  avo::CopyRowsIn(rows, kCount, in, 0, plan.row, kRows, kCount);
  queue.EnQue(rows);
  rows = queue.DeQue<float>();
  avo::CopyRowsOut(out, 0, plan.row, rows, kCount, kRows, kCount);
  queue.FreeTensor(rows);
}

float Value(uint32_t row, uint32_t x) { return static_cast<float>(100 * (row + 1) + x); }

int Run(const FarTiling &plan) {
  const uint64_t bytes = ((kRows - 1) * plan.row + kCount) * sizeof(float);
  sim::DeviceMemory memory(2 * bytes + (1 << 20));
  std::vector<void *> args{memory.Allocate(bytes), memory.Allocate(bytes)};
  auto *in = static_cast<float *>(args[0]), *out = static_cast<float *>(args[1]);
  for (uint32_t row = 0; row < kRows; ++row) {
    auto *host = reinterpret_cast<float *>(memory.Host(in + row * plan.row));
    for (uint32_t x = 0; x < kCount; ++x) host[x] = Value(row, x);
    memory.MarkWritten(in + row * plan.row, kCount * sizeof(float));
  }
  const sim::Kernel kernel{"far_rows", CopyFarRows, sim::KernelType::kVector};
  const sim::Report report = sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), kernel, 1, 0, args,
                                         &plan, sizeof(plan), sim::LaunchOptions::FromEnvironment());
  for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
  int wrong = report.ok() ? 0 : 1;
  for (uint32_t row = 0; row < kRows; ++row) {
    const auto *host = reinterpret_cast<const float *>(memory.Host(out + row * plan.row));
    for (uint32_t x = 0; x < kCount; ++x) {
      if (host[x] == Value(row, x)) continue;
      std::fprintf(stderr, "row %u, element %u: expected %g, got %g\n", row, x, Value(row, x), host[x]);
      wrong = 1;
    }
  }
  std::printf("%s\n", report.Json().c_str());
  return wrong;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  return Run({std::strtoll(argv[1], nullptr, 10) + kCount});
}
