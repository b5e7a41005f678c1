// SPDX-License-Identifier: Apache-2.0
// Sizes of a deformable convolution and the pieces it is taken in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

namespace avo {

// Taps and channels that are sampled together, all of one group and one deform group: a piece of the depth of
// the product. Element (tap, channel) of it is at (tap - tap's first) * channels + channel.
struct DeformBlock {
  int64_t group, part;  // conv group, deform group
  int64_t channel, channels;
  int64_t tap, taps;
  int64_t before;  // depth of the blocks of the same group before it

  int64_t depth() const { return channels * taps; }
};

struct DeformSizes {
  template <typename Args>
  explicit DeformSizes(const Args &args)
      : batch(args.input.shape[0]),
        channels(args.input.shape[1]),
        size{args.input.shape[2], args.input.shape[3]},
        filters(args.weight.shape[0]),
        kernel{args.weight.shape[2], args.weight.shape[3]},
        out{args.offset.shape[2], args.offset.shape[3]},
        stride{args.stride[0], args.stride[1]},
        padding{args.padding[0], args.padding[1]},
        dilation{args.dilation[0], args.dilation[1]},
        groups(args.groups),
        parts(args.deform_groups) {}

  int64_t batch, channels, size[2], filters, kernel[2], out[2], stride[2], padding[2], dilation[2];
  int64_t groups, parts;

  int64_t Taps() const { return kernel[0] * kernel[1]; }
  int64_t GroupChannels() const { return channels / groups; }
  int64_t GroupFilters() const { return filters / groups; }
  int64_t PartChannels() const { return channels / parts; }
  int64_t Depth() const { return GroupChannels() * Taps(); }

  // Groups and deform groups begin at multiples of that many channels.
  int64_t Together() const { return std::gcd(GroupChannels(), PartChannels()); }

  // Where filter o of a group has what a tap of a block is multiplied by: that of the first channel.
  template <typename T>
  T *Weights(const Tensor &weight, const DeformBlock &block, int64_t o, int64_t tap) const {
    const int64_t place[4] = {block.group * GroupFilters() + o, block.channel - block.group * GroupChannels(),
                              tap / kernel[1], tap % kernel[1]};
    return std::inner_product(place, place + 4, weight.strides.data(), static_cast<T *>(weight.data),
                              std::plus<>(), std::multiplies<>());
  }

  // All of the depth, group by group, in blocks of about `depth` and at most `most` channels; these in
  // multiples of `lanes` where a block does not hold all of them. Blocks of the same channels follow each
  // other.
  std::vector<DeformBlock> Blocks(int64_t depth, int64_t most, int64_t lanes) const {
    std::vector<DeformBlock> blocks;
    for (int64_t first = 0, last; first < channels; first = last) {
      const int64_t group = first / GroupChannels(), part = first / PartChannels();
      last = std::min((group + 1) * GroupChannels(), (part + 1) * PartChannels());
      const int64_t pieces = CeilDiv(last - first, most),
                    step = AlignUp(CeilDiv(last - first, pieces), lanes);
      for (int64_t c = first; c < last; c += step) {
        const int64_t count = std::min(step, last - c), together = std::max<int64_t>(1, depth / count);
        for (int64_t tap = 0; tap < Taps(); tap += together) {
          const bool fresh = blocks.empty() || blocks.back().group != group;
          const int64_t before = fresh ? 0 : blocks.back().before + blocks.back().depth();
          blocks.push_back({group, part, c, count, tap, std::min(together, Taps() - tap), before});
        }
      }
    }
    return blocks;
  }
};

}  // namespace avo
