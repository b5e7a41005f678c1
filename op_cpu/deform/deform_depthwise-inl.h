// SPDX-License-Identifier: Apache-2.0
// Depthwise deformable convolution: each channel is a group of its own. Channels are lanes, and each sample
// is multiplied with its weights as soon as it is computed.
#if defined(AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#endif

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/deform-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums of a tile are (position, deform group, filter of a channel, channel).
template <typename T, class Args>
class DepthwiseConvolution {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  DepthwiseConvolution(const Args &args, const DeformSizes &sizes, const ParallelFor &)
      : args_(args),
        sizes_(sizes),
        filters_(sizes.GroupFilters()),
        padded_(AlignUp(sizes.DeformGroupChannels(), kLanes)),
        width_(sizes.deform_groups * filters_ * padded_),
        bias_(width_),
        weights_(sizes.Taps() * width_) {
    for (int64_t o = 0; o < sizes.filters; ++o) {
      const int64_t c = o / filters_, deform_group = c / sizes.DeformGroupChannels();
      const int64_t to = (deform_group * filters_ + o % filters_) * padded_ + c % sizes.DeformGroupChannels();
      if (args.bias) bias_[to] = Widen(static_cast<const T *>(args.bias->data)[o * args.bias->strides[0]]);
      for (int64_t tap = 0; tap < sizes.Taps(); ++tap) {
        const DeformBlock block{c, deform_group, c, 1, tap, 1, tap};
        weights_[tap * width_ + to] =
            Widen(*sizes.template Weights<const T>(args.weight, block, o % filters_, tap));
      }
    }
  }

  int64_t Positions() const { return MostPositions(sizes_, kSums / width_, kPositions, 1); }
  int64_t ChannelAlignment() const { return sizes_.DeformGroupChannels(); }

  // The memory of one thread.
  class Worker {
   public:
    Worker(const DepthwiseConvolution &call, int64_t positions)
        : call_(call), sampler_(call.sizes_, call.args_, positions), sums_(positions * call.width_) {}

    void Convolve(const Tile &tile, const ChannelImage<const T> &image) {
      const DeformSizes &sizes = call_.sizes_;
      const int64_t group_width = call_.filters_ * call_.padded_;
      sampler_.SetTile(tile, image);
      for (int64_t deform_group = 0; deform_group < sizes.deform_groups; ++deform_group) {
        sampler_.Locate(deform_group);
        for (int64_t p = 0; p < tile.positions(); ++p) {
          Value *sums = &sums_[p * call_.width_ + deform_group * group_width];
          std::copy_n(&call_.bias_[deform_group * group_width], group_width, sums);
          for (int64_t tap = 0; tap < sizes.Taps(); ++tap) {
            Accumulate(sampler_.At(tap, p, deform_group * sizes.DeformGroupChannels()),
                       &call_.weights_[tap * call_.width_ + deform_group * group_width], sums);
          }
        }
      }
      Store(tile);
    }

   private:
    void Accumulate(const typename DeformSampler<T>::Mixture &mixture, const Value *weights,
                    Value *sums) const {
      const D d;
      for (int64_t c = 0; c < call_.padded_; c += kLanes) {
        const auto sample = mixture.At(c);
        for (int64_t i = c; i < call_.filters_ * call_.padded_; i += call_.padded_) {
          hn::Store(FusedMulAdd(sample, hn::Load(d, weights + i), hn::Load(d, sums + i)), d, sums + i);
        }
      }
    }

    void Store(const Tile &tile) const {
      const Shape &s = call_.args_.out.strides;
      T *to =
          static_cast<T *>(call_.args_.out.data) + tile.image * s[0] + tile.row * s[2] + tile.column * s[3];
      const PixelStrides strides{call_.filters_ * s[1], s[2], s[3]};
      for (int64_t i = 0; i < call_.sizes_.deform_groups * call_.filters_; ++i) {
        const int64_t deform_group = i / call_.filters_,
                      first = deform_group * call_.sizes_.DeformGroupChannels() * call_.filters_;
        FromChannelsLast<T>(&sums_[i * call_.padded_], call_.width_, call_.sizes_.DeformGroupChannels(),
                            tile.rows, tile.columns, to + (first + i % call_.filters_) * s[1], strides);
      }
    }

    const DepthwiseConvolution &call_;
    DeformSampler<T> sampler_;
    AlignedVector<Value> sums_;
  };

 private:
  static constexpr int64_t kSums = 1 << 16, kPositions = 240;  // most sums and most positions of a tile

  const Args &args_;
  const DeformSizes &sizes_;
  const int64_t filters_;                // of a channel
  const int64_t padded_;                 // channels of a deform group, rounded up to vectors
  const int64_t width_;                  // elements from position to position of the sums
  AlignedVector<Value> bias_, weights_;  // as the sums of a position; weights_ has them for each tap
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
