// SPDX-License-Identifier: Apache-2.0
// What the tilings of deformable convolution and of its gradient share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "op_host/common/tiling/channels_last.h"
#include "op_host/common/tiling/plan.h"
#include "op_host/common/tiling/tile_search.h"
#include "op_kernel/deform/row_product_buffers.h"

namespace avo {

constexpr int64_t kFractalSide = 16;  // rows of a fractal
constexpr int64_t kStepBands = 4;     // bands that a block handles in a step, about

// The sizes of a call, and the choices that follow from them alone.
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

  const Shape input;            // (batch, channels, rows, columns)
  const Shape weight;           // (filters, channels of a group, rows of taps, columns of taps)
  const Shape out;              // rows and columns of the result
  const int64_t groups;         // of the convolution
  const int64_t deform_groups;  // blocks of channels that share offsets
  const int64_t item;           // bytes of an element
  const bool mask;

  int64_t Taps() const { return weight[2] * weight[3]; }
  int64_t Positions() const { return out[0] * out[1]; }
  // Channels of a deform group.
  int64_t Channels() const { return input[1] / deform_groups; }

  // Throws std::invalid_argument where the device would not compute places exactly: it counts rows and
  // columns in float32, and the distance between rows of a product in 32 bits.
  template <typename Args>
  void CheckPlaces(const Args &args) const {
    constexpr int64_t kMostPlaces = int64_t{1} << 24, kMostPositions = int64_t{1} << 31;
    const auto check = [](const char *name, int64_t value, int64_t most, const char *unit) {
      if (value <= most) return;
      throw std::invalid_argument(std::string(name) + ": expected at most " + std::to_string(most) + unit +
                                  " on the device, got " + std::to_string(value));
    };
    for (int i = 0; i < 2; ++i) {
      check("input", input[2 + i], kMostPlaces, i == 0 ? " rows" : " columns");
      check("padding", args.padding[i], kMostPlaces, "");
      check("dilation", (weight[2 + i] - 1) * args.dilation[i], kMostPlaces,
            " from the first tap to the last");
      check("stride", out[i] > 1 ? (out[i] - 1) * args.stride[i] : 0, kMostPlaces,
            " from the first window to the last");
    }
    check("offset", Positions(), kMostPositions, " positions");
  }

  // Most blocks of a launch; a block is a cube core and two vector cores.
  static int64_t Blocks(const Platform &platform) {
    return std::max<int64_t>(1, std::min(platform.cube_cores, platform.vector_cores / 2));
  }

  // Positions of a band: the number that leaves the least work on the busiest block, and the largest of
  // those.
  int64_t Band(int64_t images, int64_t blocks) const {
    constexpr int64_t kMost = 128, kStep = 32;
    constexpr int64_t kOverhead = 8;  // a band takes as long as so many more positions
    int64_t best = kStep, best_cost = INT64_MAX;
    for (int64_t band = kStep; band <= kMost; band += kStep) {
      const int64_t rounds = CeilDiv(images * CeilDiv(Positions(), band), blocks);
      const int64_t cost = rounds * (std::min(band, Positions()) + kOverhead);
      if (cost <= best_cost) best = band, best_cost = cost;
    }
    return best;
  }

  // The images of a step as the kernel copies them: the channels of each deform group are an image of their
  // own.
  Shape StepImages(int64_t images) const { return {images * deform_groups, Channels(), input[2], input[3]}; }

  // Fills the fields that repeat the call.
  template <typename Args, typename Tiling>
  void FillSizes(const Args &args, Tiling *t) const {
    t->batch = input[0];
    t->filters = weight[0];
    for (int i = 0; i < 2; ++i) {
      t->outSize[i] = out[i], t->kernel[i] = weight[2 + i];
      t->stride[i] = args.stride[i], t->padding[i] = args.padding[i], t->dilation[i] = args.dilation[i];
    }
    t->groups = static_cast<uint32_t>(groups);
    t->deformGroups = static_cast<uint32_t>(deform_groups);
    t->hasMask = mask ? 1 : 0;
  }

  // Fills located, sampled and chunk: as many samples at once, in multiples of `step`, as fit the Unified
  // Buffer while few windows are located, and then as many windows. bytes(located, sampled, chunk): what the
  // kernel's buffers take.
  template <typename Tiling, typename Bytes>
  void PlanSampling(const Platform &platform, int64_t step, const Bytes &bytes, Tiling *t) const {
    constexpr int64_t kMostChannels = 512, kLeastChannels = 16;
    constexpr int64_t kMostSampled = 32, kEnoughSampled = 16;
    constexpr int64_t kMostLocated = 1024, kFewLocated = 256, kRepeat = 64;
    const int64_t half = t->band / 2, all = AlignUp(Taps() * deform_groups * half, kRepeat);
    const int64_t few = std::min(all, kFewLocated),
                  most_sampled = std::min(kMostSampled, AlignUp(half, step));
    int64_t chunk = std::min(AlignUp(Channels(), kLeastChannels), kMostChannels), sampled = 0;
    for (;;) {
      sampled = step * LargestFit(most_sampled / step, platform.ub_bytes,
                                  [&](int64_t n) { return bytes(few, step * n, chunk); });
      if (sampled >= std::min(kEnoughSampled, half) || chunk == kLeastChannels) break;
      chunk = AlignDown(chunk / 2, kLeastChannels);
    }
    if (sampled == 0) ThrowUbTooSmall(platform, bytes(few, step, chunk));
    const int64_t located =
        kRepeat * LargestFit(std::min(all, kMostLocated) / kRepeat, platform.ub_bytes,
                             [&](int64_t n) { return bytes(kRepeat * n, sampled, chunk); });
    t->located = static_cast<uint32_t>(located);
    t->sampled = static_cast<uint32_t>(sampled);
    t->chunk = static_cast<uint32_t>(chunk);
  }

  // Depth of a product's factors that L1 holds at once, in whole slices, but no more than `depth` takes.
  int64_t ProductDepth(int64_t rows, int64_t columns, int64_t depth, const Platform &platform) const {
    const int64_t slice = static_cast<int64_t>(RowProductBuffers::kSliceBytes) / item;
    return slice * LargestFit(CeilDiv(depth, slice), platform.l1_bytes, [&](int64_t slices) {
             return BytesOf(RowProductBuffers(rows, columns, slice * slices, item).l1);
           });
  }
};

}  // namespace avo
