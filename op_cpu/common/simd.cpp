// SPDX-License-Identifier: Apache-2.0
#include "op_cpu/common/simd.h"

#include <cstdlib>
#include <stdexcept>

#include "hwy/highway.h"

namespace avo {
namespace {

std::vector<int64_t> Supported() {
  std::vector<int64_t> targets;
  // A better target has a lower bit.
  for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1) {
    targets.push_back(left & -left);
  }
  return targets;
}

bool UseEnvironment() {
  const char *wanted = std::getenv("AVO_CPU_TARGET");
  if (wanted != nullptr && *wanted != '\0') UseCpuTarget(wanted);
  return true;
}

}  // namespace

std::vector<std::string> CpuTargets() {
  std::vector<std::string> names;
  for (const int64_t target : Supported()) names.push_back(hwy::TargetName(target));
  return names;
}

void UseCpuTarget(const std::string &name) {
  std::string names;
  for (const int64_t target : Supported()) {
    const std::string known = hwy::TargetName(target);
    if (known == name) {
      hwy::GetChosenTarget().Update(target);
      return;
    }
    names += (names.empty() ? "" : ", ") + known;
  }
  throw std::invalid_argument("AVO_CPU_TARGET: expected one of " + names + ", got " + name);
}

void UseCpuTargetOfEnvironment() { [[maybe_unused]] static const bool used = UseEnvironment(); }

}  // namespace avo
