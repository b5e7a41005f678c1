// SPDX-License-Identifier: Apache-2.0
#include "op_cpu/common/vectors/simd.h"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include "hwy/highway.h"
#include "op_cpu/common/vectors/tile_product.h"

namespace avo {
namespace {

std::atomic<bool> tiles_wanted{true};

struct Known {
  std::string name;
  int64_t target;
  bool tiles;
};

std::vector<Known> Supported() {
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Known> known;
  if ((targets & HWY_AVX3) != 0 && HasTileProduct()) known.push_back({"AMX", HWY_AVX3, true});
  // A better target has a lower bit.
  for (int64_t left = targets; left != 0; left &= left - 1) {
    known.push_back({hwy::TargetName(left & -left), left & -left, false});
  }
  return known;
}

bool UseEnvironment() {
  const char *wanted = std::getenv("AVO_CPU_TARGET");
  if (wanted != nullptr && *wanted != '\0') UseCpuTarget(wanted);
  return true;
}

}  // namespace

std::vector<std::string> CpuTargets() {
  std::vector<std::string> names;
  for (const Known &known : Supported()) names.push_back(known.name);
  return names;
}

void UseCpuTarget(const std::string &name) {
  std::string names;
  for (const Known &known : Supported()) {
    if (known.name == name) {
      hwy::GetChosenTarget().Update(known.target);
      tiles_wanted = known.tiles;
      return;
    }
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw std::invalid_argument("AVO_CPU_TARGET: expected one of " + names + ", got " + name);
}

void UseCpuTargetOfEnvironment() { [[maybe_unused]] static const bool used = UseEnvironment(); }

bool UseTiles() { return tiles_wanted && HasTileProduct(); }

}  // namespace avo
