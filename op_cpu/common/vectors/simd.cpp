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

// Whether loads one by one take less time than a gather.
bool GathersAreSlow() {
#ifdef __x86_64__
  return __builtin_cpu_is("amd") != 0;
#else
  return false;
#endif
}

struct Known {
  std::string name;
  int64_t target;
  bool tiles, loads;
};

std::vector<Known> Supported() {
  const int64_t targets = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<Known> known;
  if ((targets & HWY_AVX3) != 0 && HasTileProduct()) {
    known.push_back({"AMX", HWY_AVX3, true, GathersAreSlow()});
  }
  // A better target has a lower bit.
  for (int64_t left = targets; left != 0; left &= left - 1) {
    const int64_t target = left & -left;
    const std::string name = hwy::TargetName(target);
    const bool both = left == targets && target <= HWY_AVX2;
    if (both && GathersAreSlow()) known.push_back({name + "_LOADS", target, false, true});
    known.push_back({name, target, false, false});
    if (both && !GathersAreSlow()) known.push_back({name + "_LOADS", target, false, true});
  }
  return known;
}

bool UseEnvironment() {
  const char *wanted = std::getenv("AVO_CPU_TARGET");
  if (wanted != nullptr && *wanted != '\0') UseCpuTarget(wanted);
  return true;
}

}  // namespace

namespace internal {
std::atomic<bool> loads_elements{GathersAreSlow()};
}

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
      internal::loads_elements = known.loads;
      return;
    }
    names += (names.empty() ? "" : ", ") + known.name;
  }
  throw std::invalid_argument("AVO_CPU_TARGET: expected one of " + names + ", got " + name);
}

void UseCpuTargetOfEnvironment() { [[maybe_unused]] static const bool used = UseEnvironment(); }

bool UseTiles() { return tiles_wanted && HasTileProduct(); }

}  // namespace avo
