// SPDX-License-Identifier: Apache-2.0
// How samples of a grid are found: modes of interpolation and padding.
#pragma once

#include <cstdint>

namespace avo {

// Values are those of torch's arguments.
enum class Interpolation : int64_t { kBilinear, kNearest, kBicubic };
enum class Padding : int64_t { kZeros, kBorder, kReflection };

struct GridRules {
  Interpolation interpolation;
  Padding padding;
  bool align_corners;
};

template <class Args>
GridRules RulesOf(const Args &args) {
  return {static_cast<Interpolation>(args.interpolation_mode), static_cast<Padding>(args.padding_mode),
          args.align_corners};
}

}  // namespace avo
