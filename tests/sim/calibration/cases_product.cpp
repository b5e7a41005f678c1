// SPDX-License-Identifier: Apache-2.0
// Matrix products. Large ones are run with two small k: behind the first operands the time is linear in k.
#include <algorithm>
#include <memory>

#include "device.h"
#include "kernels/product_tiles.h"

namespace calibration {
namespace {

Times RunAt(Device &device, ProductTilesTiling tiling, uint32_t cores, uint32_t k) {
  tiling.k = k;
  const uint64_t a = uint64_t{tiling.m} * k * sizeof(half), b = uint64_t{tiling.n} * k * sizeof(half);
  return device.Run(Call<product_tiles, 4>, cores, {a, b, uint64_t{tiling.m} * tiling.n * sizeof(float)},
                    tiling, sim::KernelType::kCube);
}

Times RunProduct(Device &device, const ProductTilesTiling &tiling, uint32_t cores, uint32_t part_k) {
  if (tiling.k <= part_k) return RunAt(device, tiling, cores, tiling.k);
  return Extended([&](uint32_t k) { return RunAt(device, tiling, cores, k); }, part_k, tiling.k);
}

Case Product(ProductTilesTiling tiling, uint32_t part_k = 4096) {
  const auto known = std::make_shared<Times>();
  return [=](Device &device) {
    if (known->task != 0) return *known;  // one kernel may be published several times
    const uint32_t cores = ((tiling.m + tiling.share_m - 1) / tiling.share_m) *
                           ((tiling.n + tiling.share_n - 1) / tiling.share_n);
    return *known = RunProduct(device, tiling, cores, part_k);
  };
}

// 8192 x 8192 x 8192 on one core: a part of the tiles stands for all.
Case OneCore(uint32_t base_m, uint32_t base_n) {
  return [=](Device &device) {
    constexpr uint32_t side = 1024, part = 8192 / side;
    return RunProduct(device, {side, side, 8192, side, side, base_m, base_n, 64, 1, 1, 1}, 1, 512) *
           (part * part);
  };
}

// The same on 24 cores, in tiles of 128 x 256.
Case Cube8192(uint32_t share_m, uint32_t share_n, uint32_t step_a, uint32_t step_b, uint32_t buffers) {
  return Product({8192, 8192, 8192, share_m, share_n, 128, 256, 64, step_a, step_b, buffers},
                 2 * 64 * step_a);
}

}  // namespace

void AddProductCases(Cases *cases) {
  Cases &to = *cases;
  to["product/small"] = OneCore(64, 64);
  to["product/large"] = OneCore(128, 256);
  to["product/2x12"] = Cube8192(4096, 683, 1, 1, 1);
  to["product/4x6"] = Cube8192(2048, 1536, 1, 1, 1);
  to["product/step-2"] = Cube8192(2048, 1536, 2, 2, 2);
  to["product/step-8-4"] = Cube8192(2048, 1536, 8, 4, 2);
  to["product/cores"] = to["product/basic"] = to["product/step-8-4"];
  to["product/wide"] = Product({128, 30720, 1024, 128, 1280, 128, 256, 64, 1, 1, 2, 1});
  to["product/wide-step-4"] = Product({128, 30720, 1024, 128, 1280, 128, 256, 64, 4, 4, 2, 1});
  to["product/unaligned"] = Product({1024, 4095, 1024, 128, 1408, 128, 256, 64, 4, 4, 2, 1});
  to["product/base-64"] = Product({4096, 5120, 4096, 1024, 1024, 64, 64, 256, 1, 1, 2, 0, 1}, 512);
  to["product/base-128"] = Product({4096, 5120, 4096, 1024, 1024, 128, 256, 64, 1, 1, 2, 0, 1}, 512);
  to["product/step-4"] = Product({4096, 5120, 4096, 1024, 1024, 128, 256, 64, 4, 4, 2, 0, 1}, 512);
  to["product/thin"] = Product({16, 16, 1024, 16, 16, 16, 16, 1024, 1, 1, 2, 1});
  to["product/thin-halves"] = Product({16, 16, 512, 16, 16, 16, 16, 512, 1, 1, 2, 1});
  to["product/in-step"] = Product({768, 2048, 6144, 128, 512, 128, 256, 64, 4, 4, 2, 1}, 6144);
  to["product/staggered"] = Product({768, 2048, 6144, 128, 512, 128, 256, 64, 4, 4, 2, 1, 0, 1}, 6144);
  to["product/1536"] = Product({1536, 1536, 1536, 384, 256, 128, 256, 64, 4, 4, 2, 0, 1});
  to["product/6144"] = Product({6144, 6144, 6144, 1536, 1024, 128, 256, 64, 4, 4, 2, 0, 1}, 256);
  to["product/one-block"] = Product({1024, 576, 6144, 256, 128, 256, 128, 64, 4, 4, 2}, 6144);
}

}  // namespace calibration
