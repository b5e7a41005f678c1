// SPDX-License-Identifier: Apache-2.0
// Kernels that are bound by vector instructions or by the scalar unit.
#include "device.h"
#include "kernels/acos_gradient.h"
#include "kernels/add_banks.h"
#include "kernels/gelu_tiles.h"
#include "kernels/nearest_codes.h"
#include "kernels/pack_pairs.h"
#include "kernels/polar_tiles.h"
#include "kernels/top_values.h"

namespace calibration {
namespace {

// The ratio of a published Add to the one without conflicts.
Case Banks(AddBanksTiling tiling) {
  return [tiling](Device &device) {
    const auto cycles = [&device](const AddBanksTiling &banks) {
      return device.Run(Call<add_banks, 1>, 1, {}, banks).pipes[static_cast<int>(sim::Pipe::V)];
    };
    Times times;
    times.task = cycles(tiling) / cycles({0, 65792, 131072});
    return times;
  };
}

Case NearestCodes(uint32_t rows, uint32_t most_rows) {
  return [=](Device &device) {
    constexpr uint32_t cores = 40;
    const uint32_t share = (rows + cores - 1) / cores;
    device.hazards = true;
    return device.Run(Call<nearest_codes, 3>, (rows + share - 1) / share,
                      {uint64_t{rows} * 2048, uint64_t{rows} * 320},
                      NearestCodesTiling{rows, share, std::min(share, most_rows)});
  };
}

Case Polar(uint32_t count, uint32_t period) {
  return [=](Device &device) {
    return device.Run(Call<polar_tiles, 3>, 40, {uint64_t{count} * 4, uint64_t{count} * 8},
                      PolarTilesTiling{count, period});
  };
}

template <auto kKernel>
Case AcosGradient(uint32_t element_bytes, uint32_t tile) {
  return [=](Device &device) {
    constexpr uint32_t count = 1 << 20, share = 22016;
    const uint64_t bytes = uint64_t{count} * element_bytes;
    return device.Run(Call<kKernel, 4>, (count + share - 1) / share, {bytes, bytes, bytes},
                      AcosGradientTiling{count, share, tile});
  };
}

}  // namespace

void AddVectorCases(Cases *cases) {
  Cases &to = *cases;
  to["banks/reads-in-one-bank"] = Banks({0, 16384, 65536});
  to["banks/reads-in-one-group"] = Banks({0, 65536, 82176});
  to["banks/write-one-repeat-late"] = Banks({0, 65792, 16384});
  to["banks/read-and-write"] = Banks({0, 65792, 16416});
  to["banks/result-on-source"] = Banks({0, 65792, 65792});
  to["banks/one-block-a-repeat"] = Banks({0, 65792, 65792, 0, 1});
  to["banks/one-block-of-a-repeat"] = Banks({0, 65792, 65792, 0, 8});
  to["gelu"] = [](Device &device) {
    const auto run = [&device](uint32_t rows) {
      return device.Run(Call<gelu_tiles, 2>, 48, {uint64_t{rows} * 8192 * sizeof(float)},
                        GeluTilesTiling{rows, 8192, 64, 256});
    };
    return Extended(run, 768, 8192);
  };
  for (const uint32_t rows : {1, 32, 128, 512, 1024, 4096, 16384}) {
    to["codes/" + std::to_string(rows)] = NearestCodes(rows, 12);
  }
  to["codes/1024/one-row"] = NearestCodes(1024, 1);
  to["codes/4096/one-row"] = NearestCodes(4096, 1);
  to["polar/256K"] = Polar(1 << 18, 64);
  to["polar/4M"] = Polar(1 << 22, 64);
  to["polar/8M"] = Polar(1 << 23, 512);
  to["polar/33M"] = Polar(1 << 25, 32);
  to["acos/float"] = AcosGradient<acos_gradient_float>(sizeof(float), 6144);
  to["acos/bfloat16"] = AcosGradient<acos_gradient_bfloat16>(sizeof(bfloat16_t), 6912);
  to["pairs"] = [](Device &device) {
    device.hazards = true;
    const auto run = [&device](uint32_t tiles) {
      constexpr uint32_t tile = 6144;
      const uint64_t bytes = uint64_t{tile} * tiles * 40 * sizeof(float);
      return device.Run(Call<pack_pairs, 4>, 40, {bytes, bytes, 2 * bytes},
                        PackPairsTiling{tile * tiles, tile});
    };
    return Extended(run, 1, 68);  // 16M pairs are 68 tiles of each core
  };
  to["top"] = [](Device &device) {
    const auto run = [&device](uint32_t rows) {
      const uint64_t bytes = uint64_t{48} * rows * 1280 * sizeof(float);
      return device.Run(Call<top_values, 4>, 48, {bytes, bytes, bytes}, TopValuesTiling{rows, 1280});
    };
    return Extended(run, 4, 100);
  };
}

}  // namespace calibration
