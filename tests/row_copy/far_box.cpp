// SPDX-License-Identifier: Apache-2.0
// far_box WIDTH: grid_sampler on an image of two rows of WIDTH floats. The sample lies half-way between the
// first pixels of both rows, so its box has two rows that start WIDTH elements apart in global memory. Prints
// the report of the run, or on stderr the wrong result or which fault there is; then the exit code is 1.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/launch.h"
#include "grid/grid_sampler.h"
#include "op_host/grid_sampler_args.h"

namespace {

constexpr float kAbove = 3, kBelow = 5;
constexpr uint32_t kWritten = 64;  // elements of each row that the box may read

void SampleGrid(void *const *args) {
  const auto address = [args](uint32_t i) { return static_cast<GM_ADDR>(args[i]); };
  GM_ADDR tiling = address(3);
  GET_TILING_DATA_WITH_STRUCT(GridSamplerTiling, plan, tiling);
  AscendC::TPipe pipe;
  GridSampler<float, avo::grid_sampler::kBoxes> kernel;
  kernel.Init(address(0), address(1), address(2), nullptr, plan, &pipe);
  kernel.Process();
}

avo::Tensor TensorOf(const avo::Shape &shape) {
  return {avo::DType::kFloat32, shape, avo::ContiguousStrides(shape), nullptr};
}

int Run(int64_t width) {
  avo::grid_sampler::Args call;
  call.input = TensorOf({1, 1, 2, width});
  call.grid = TensorOf({1, 1, 1, 2});
  call.align_corners = true;
  call.out = TensorOf({1, 1, 1, 1});
  avo::Platform platform;
  platform.vector_cores = 1;
  platform.ub_bytes = 192 << 10;
  const auto plan = avo::grid_sampler::ComputeTiling(call, platform);

  const uint64_t bytes = 2 * static_cast<uint64_t>(width) * sizeof(float);
  sim::DeviceMemory memory(bytes + (1 << 20));
  std::vector<void *> args{memory.Allocate(bytes), memory.Allocate(64), memory.Allocate(64)};
  const auto write = [&](float *to, float value) {
    *reinterpret_cast<float *>(memory.Host(to)) = value;
    memory.MarkWritten(to, sizeof(float));
  };
  auto *image = static_cast<float *>(args[0]), *grid = static_cast<float *>(args[1]);
  for (uint32_t x = 0; x < kWritten; ++x) write(image + x, kAbove), write(image + width + x, kBelow);
  write(grid, -1), write(grid + 1, 0);
  const sim::Kernel kernel{"far_box", SampleGrid, sim::KernelType::kVector};
  const sim::Report report =
      sim::Launch(memory, sim::DeviceModel::Find("Ascend910B1"), kernel, plan.block_dim, plan.tiling_key,
                  args, &plan.tiling, sizeof(plan.tiling), sim::LaunchOptions::FromEnvironment());
  for (const sim::Fault &fault : report.faults) std::fprintf(stderr, "%s\n", fault.text.c_str());
  const float got = *reinterpret_cast<const float *>(memory.Host(args[2]));
  if (got != (kAbove + kBelow) / 2) std::fprintf(stderr, "expected %g, got %g\n", (kAbove + kBelow) / 2, got);
  std::printf("%s\n", report.Json().c_str());
  return report.ok() && got == (kAbove + kBelow) / 2 ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  return Run(std::strtoll(argv[1], nullptr, 10));
}
