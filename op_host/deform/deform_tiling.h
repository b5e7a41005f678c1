// SPDX-License-Identifier: Apache-2.0
// What the tilings of deformable convolution and its gradient share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "op_host/common/tiling/channels_last.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"

namespace avo {

// Sizes of a call, and the fields that say them.
struct DeformProblem {
  template <typename Args>
  explicit DeformProblem(const Args &args)
      : input(args.input.shape),
        weight(args.weight.shape),
        out{args.offset.shape[2], args.offset.shape[3]},
        groups(args.groups),
        deform_groups(args.deform_groups),
        item(DTypeSize(args.input.dtype)),
        mask(args.mask.has_value()) {}

  const Shape input, weight, out;
  const int64_t groups, deform_groups, item;
  const bool mask;

  int64_t Taps() const { return weight[2] * weight[3]; }
  int64_t Positions() const { return out[0] * out[1]; }
  int64_t Channels() const { return input[1] / deform_groups; }

  // Unified Buffer of DeformTaps.
  int64_t TapBytes(int64_t band, int64_t located) const {
    return 3 * located * item + 3 * band / 2 * 4 + 6 * located * 4 + 2 * AlignUp<int64_t>(located / 8, 32);
  }
  // A block is a cube core and two vector cores.
  static int64_t Blocks(const Platform &platform) {
    return std::max<int64_t>(1, std::min(platform.cube_cores, platform.vector_cores / 2));
  }

  // Positions of a band: those that leave the least work on the busiest block, and large ones where alike.
  int64_t Band(int64_t images, int64_t blocks) const {
    constexpr int64_t kMost = 128, kStep = 32, kOverhead = 8;
    int64_t best = kStep, best_cost = INT64_MAX;
    for (int64_t band = kStep; band <= kMost; band += kStep) {
      const int64_t rounds = CeilDiv(images * CeilDiv(Positions(), band), blocks);
      const int64_t cost = rounds * (std::min(band, Positions()) + kOverhead);
      if (cost <= best_cost) best = band, best_cost = cost;
    }
    return best;
  }

  // Fills the fields that say the problem, and those of the sampling: as many samples at once, in steps of
  // `step`, as fit the Unified Buffer with few taps located, then as many taps. bytes(located, sampled,
  // chunk).
  template <typename Args, typename Tiling, typename Bytes>
  void PlanSampling(const Args &args, const Platform &platform, int64_t step, const Bytes &bytes,
                    Tiling *t) const {
    constexpr int64_t kMostChannels = 512, kMostSampled = 32, kMostLocated = 1024, kFewLocated = 256,
                      kRepeat = 64;
    t->batch = input[0];
    t->filters = weight[0];
    for (int i = 0; i < 2; ++i) {
      t->outSize[i] = out[i], t->kernel[i] = weight[2 + i];
      t->stride[i] = args.stride[i], t->padding[i] = args.padding[i], t->dilation[i] = args.dilation[i];
    }
    t->groups = static_cast<uint32_t>(groups);
    t->deformGroups = static_cast<uint32_t>(deform_groups);
    t->hasMask = mask ? 1 : 0;

    const int64_t half = t->band / 2, all = AlignUp(Taps() * deform_groups * half, kRepeat);
    int64_t chunk = std::min(AlignUp<int64_t>(Channels(), 16), kMostChannels), sampled = 0;
    for (; chunk >= 16; chunk = chunk / 2 / 16 * 16) {
      sampled =
          step * LargestFit(std::min(kMostSampled, AlignUp(half, step)) / step, platform.ub_bytes,
                            [&](int64_t n) { return bytes(std::min(all, kFewLocated), step * n, chunk); });
      if (sampled >= std::min<int64_t>(16, half)) break;
    }
    if (sampled == 0) throw std::invalid_argument("the Unified Buffer does not hold the samples of one tile");
    const int64_t located =
        kRepeat * LargestFit(std::min(all, kMostLocated) / kRepeat, platform.ub_bytes,
                             [&](int64_t n) { return bytes(kRepeat * n, sampled, chunk); });
    t->located = static_cast<uint32_t>(located);
    t->sampled = static_cast<uint32_t>(sampled);
    t->chunk = static_cast<uint32_t>(chunk);
  }
};

}  // namespace avo
