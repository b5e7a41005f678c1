// SPDX-License-Identifier: Apache-2.0
// The sizes of a deformable convolution, and the blocks in which its product is computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "op_host/common/tensors/tensor.h"
#include "op_host/common/tiling/math.h"

namespace avo {

// A range of the depth of the product: some taps of some channels, all of one group and one deform group.
// They are sampled together. Element (t, c) of a block, tap `tap` + t and channel `channel` + c, is number t
// * channels + c:
//
//   tap 0: c0 c1 c2 … | tap 1: c0 c1 c2 … | …
struct DeformBlock {
  int64_t group, deform_group;
  int64_t channel, channels;  // the first channel, counted through all groups, and how many
  int64_t tap, taps;          // the first tap, and how many
  int64_t before;             // depth of the blocks of the same group before this one

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
        deform_groups(args.deform_groups) {}

  int64_t batch, channels, size[2], filters, kernel[2], out[2], stride[2], padding[2], dilation[2];
  int64_t groups, deform_groups;

  int64_t Taps() const { return kernel[0] * kernel[1]; }
  int64_t GroupChannels() const { return channels / groups; }
  int64_t GroupFilters() const { return filters / groups; }
  int64_t DeformGroupChannels() const { return channels / deform_groups; }
  int64_t Depth() const { return GroupChannels() * Taps(); }

  // Groups and deform groups start at multiples of this number of channels.
  int64_t ChannelAlignment() const { return std::gcd(GroupChannels(), DeformGroupChannels()); }

  // Returns the address of the weight of filter o of the block's group, for a tap and the first channel of
  // the block.
  template <typename T>
  T *Weights(const Tensor &weight, const DeformBlock &block, int64_t o, int64_t tap) const {
    const int64_t place[4] = {block.group * GroupFilters() + o, block.channel - block.group * GroupChannels(),
                              tap / kernel[1], tap % kernel[1]};
    return std::inner_product(place, place + 4, weight.strides.data(), static_cast<T *>(weight.data),
                              std::plus<>(), std::multiplies<>());
  }

  // Splits the depth of all groups into blocks. A block has about `depth` elements and at most `most`
  // channels. Where it does not have all channels, their number is a multiple of `lanes`, those of the
  // longest vectors, so that sums have the same order on all instruction sets. Blocks of the same channels
  // follow each other.
  std::vector<DeformBlock> Blocks(int64_t depth, int64_t most, int64_t lanes) const {
    std::vector<DeformBlock> blocks;
    for (int64_t first = 0, last; first < channels; first = last) {
      const int64_t group = first / GroupChannels(), deform_group = first / DeformGroupChannels();
      last = std::min((group + 1) * GroupChannels(), (deform_group + 1) * DeformGroupChannels());
      const int64_t pieces = CeilDiv(last - first, most),
                    step = AlignUp(CeilDiv(last - first, pieces), lanes);
      for (int64_t c = first; c < last; c += step) {
        const int64_t count = std::min(step, last - c), together = std::max<int64_t>(1, depth / count);
        for (int64_t tap = 0; tap < Taps(); tap += together) {
          const bool fresh = blocks.empty() || blocks.back().group != group;
          const int64_t before = fresh ? 0 : blocks.back().before + blocks.back().depth();
          blocks.push_back({group, deform_group, c, count, tap, std::min(together, Taps() - tap), before});
        }
      }
    }
    return blocks;
  }
};

}  // namespace avo
