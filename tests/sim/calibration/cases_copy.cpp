// SPDX-License-Identifier: Apache-2.0
// Copies alone, and kernels that are bound by them.
#include "device.h"
#include "kernels/add_half.h"
#include "kernels/fractal_tiles.h"
#include "kernels/nd_to_nz.h"

namespace calibration {
namespace {

constexpr uint32_t kCores = 48;
constexpr uint32_t kCubeCores = 24;
constexpr uint32_t kLarge = 16384;   // a sixth of UB
constexpr uint32_t kSpread = 16256;  // 256 B less: x and y of a repeat lie in different bank groups

AddHalfTiling AddTiling(uint32_t length, uint32_t buffers) {
  constexpr uint32_t step = kLarge * sizeof(half);
  return {8192, 8192, length, 0, buffers, 0, {0, 3 * step}, {step, 4 * step}, {2 * step, 5 * step}};
}

Times RunAdd(Device &device, uint32_t blocks, const AddHalfTiling &tiling) {
  const uint64_t bytes = uint64_t{tiling.rows} * tiling.columns * sizeof(half);
  return device.Run(Call<add_half, 4>, blocks, {bytes, bytes, bytes}, tiling);
}

// The time is linear in the rows: a part of them on one core stands for all.
Times RunRows(Device &device, AddHalfTiling tiling, uint32_t part) {
  tiling.rows /= part;
  return RunAdd(device, 1, tiling) * part;
}

Case Copy(CopyTilesTiling tiling) {
  return [tiling](Device &device) {
    return device.Run(Call<copy_tiles, 2>, kCores, {uint64_t{tiling.rows} * tiling.columns * sizeof(half)},
                      tiling);
  };
}

Case Fractals(CopyTilesTiling tiling) {
  return [tiling](Device &device) {
    return device.Run(Call<fractal_tiles, 2>, kCubeCores,
                      {uint64_t{tiling.rows} * tiling.columns * sizeof(half)}, tiling,
                      sim::KernelType::kCube);
  };
}

Case Rearranged(uint32_t pitch) {
  return [pitch](Device &device) {
    constexpr uint32_t side = 8192;
    constexpr uint64_t bytes = uint64_t{side} * side * sizeof(half);
    return device.Run(Call<nd_to_nz, 3>, kCores, {bytes, bytes}, NdToNzTiling{side, side, 144, pitch});
  };
}

}  // namespace

void AddCopyCases(Cases *cases) {
  Cases &to = *cases;
  to["add/scalar"] = [](Device &device) {
    AddHalfTiling tiling = AddTiling(4096, 1);
    tiling.scalar = 1;
    device.hazards = true;
    return RunRows(device, tiling, 256);
  };
  to["add/vector"] = [](Device &device) { return RunRows(device, AddTiling(4096, 1), 16); };
  to["add/cores"] = [](Device &device) { return RunAdd(device, kCores, AddTiling(4096, 1)); };
  to["add/large"] = [](Device &device) { return RunAdd(device, kCores, AddTiling(kLarge, 1)); };
  to["add/double"] = [](Device &device) { return RunAdd(device, kCores, AddTiling(kLarge, 2)); };
  to["add/bypass"] = [](Device &device) {
    AddHalfTiling tiling = AddTiling(kLarge, 2);
    tiling.bypass = 1;
    return RunAdd(device, kCores, tiling);
  };
  to["add/banks"] = [](Device &device) {
    constexpr uint32_t bank = 65536, spread = kSpread * sizeof(half);
    const AddHalfTiling tiling{
        8192, 8192, kSpread, 0, 2, 1, {0, bank}, {spread, bank + spread}, {2 * bank, 2 * bank + spread}};
    return RunAdd(device, kCores, tiling);
  };
  to["copy/1x64"] = Copy({12288, 12288, 1, 64});
  to["copy/64x64"] = Copy({12288, 12288, 64, 64});
  to["copy/64x1024"] = Copy({12288, 12288, 64, 1024});
  to["copy/unaligned"] = Copy({12288, 12287, 64, 1024});
  to["copy/four-rounds"] = Copy({12288, 12288, 64, 1024, 1, 4});
  to["copy/quarters"] = Copy({12288, 12288, 64, 1024, 4, 4});
  to["copy/same-address"] = Copy({6144, 512, 128, 64, 1, 1, 1, 0, 1});
  to["copy/staggered"] = Copy({6144, 512, 128, 64, 1, 1, 1, 1, 1});
  to["fractals/64x64"] = Fractals({12288, 12288, 64, 64});
  to["fractals/64x256"] = Fractals({12288, 12288, 64, 256});
  to["fractals/unaligned"] = Fractals({12288, 12287, 64, 256});
  to["fractals/four-rounds"] = Fractals({12288, 12288, 64, 1024, 1, 4});
  to["fractals/quarters"] = Fractals({12288, 12288, 64, 1024, 4, 4});
  to["fractals/same-address"] = Fractals({6144, 512, 256, 64, 1, 1, 1, 0, 1});
  to["fractals/staggered"] = Fractals({6144, 512, 256, 64, 1, 1, 1, 1, 1});
  to["rearrange/144"] = Rearranged(144);
  to["rearrange/145"] = Rearranged(145);
}

}  // namespace calibration
