// SPDX-License-Identifier: Apache-2.0
// A deformable convolution of channels apart (groups = channels): channels are lanes, samples are multiplied
// where they are computed.
#if defined(AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#undef AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#else
#define AVO_OP_CPU_COMMON_DEFORM_DEPTHWISE_INL_H_
#endif

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/deform-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Values of a tile are (position, deform group, filter of a channel, channel).
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
        padded_(AlignUp(sizes.PartChannels(), kLanes)),
        width_(sizes.parts * filters_ * padded_),
        bias_(width_),
        weights_(sizes.Taps() * width_) {
    for (int64_t o = 0; o < sizes.filters; ++o) {
      const int64_t c = o / filters_, part = c / sizes.PartChannels();
      const int64_t to = (part * filters_ + o % filters_) * padded_ + c % sizes.PartChannels();
      if (args.bias) bias_[to] = Widen(static_cast<const T *>(args.bias->data)[o * args.bias->strides[0]]);
      for (int64_t tap = 0; tap < sizes.Taps(); ++tap) {
        const DeformBlock block{c, part, c, 1, tap, 1, tap};
        weights_[tap * width_ + to] =
            Widen(*sizes.template Weights<const T>(args.weight, block, o % filters_, tap));
      }
    }
  }

  int64_t Positions() const { return MostPositions(sizes_, kSums / width_, kPositions, 1); }
  int64_t Together() const { return sizes_.PartChannels(); }

  // What a thread works in.
  class Worker {
   public:
    Worker(const DepthwiseConvolution &call, int64_t positions)
        : call_(call), sampler_(call.sizes_, call.args_, positions), sums_(positions * call.width_) {}

    void Convolve(const Tile &tile, const ChannelImage<const T> &image) {
      const DeformSizes &sizes = call_.sizes_;
      const int64_t part_width = call_.filters_ * call_.padded_;
      sampler_.Move(tile, image);
      for (int64_t part = 0; part < sizes.parts; ++part) {
        sampler_.Locate(part);
        for (int64_t p = 0; p < tile.positions(); ++p) {
          Value *sums = &sums_[p * call_.width_ + part * part_width];
          std::copy_n(&call_.bias_[part * part_width], part_width, sums);
          for (int64_t tap = 0; tap < sizes.Taps(); ++tap) {
            Accumulate(sampler_.At(tap, p, part * sizes.PartChannels()),
                       &call_.weights_[tap * call_.width_ + part * part_width], sums);
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
          hn::Store(hn::MulAdd(sample, hn::Load(d, weights + i), hn::Load(d, sums + i)), d, sums + i);
        }
      }
    }

    void Store(const Tile &tile) const {
      const Shape &s = call_.args_.out.strides;
      T *to =
          static_cast<T *>(call_.args_.out.data) + tile.image * s[0] + tile.row * s[2] + tile.column * s[3];
      const PixelStrides strides{call_.filters_ * s[1], s[2], s[3]};
      for (int64_t i = 0; i < call_.sizes_.parts * call_.filters_; ++i) {
        const int64_t part = i / call_.filters_, first = part * call_.sizes_.PartChannels() * call_.filters_;
        FromChannelsLast<T>(&sums_[i * call_.padded_], call_.width_, call_.sizes_.PartChannels(), tile.rows,
                            tile.columns, to + (first + i % call_.filters_) * s[1], strides);
      }
    }

    const DepthwiseConvolution &call_;
    DeformSampler<T> sampler_;
    hwy::AlignedVector<Value> sums_;
  };

 private:
  static constexpr int64_t kSums = 1 << 16, kPositions = 240;  // of a tile, at most

  const Args &args_;
  const DeformSizes &sizes_;
  const int64_t filters_, padded_;            // filters of a channel; channels of a deform group, filled up
  const int64_t width_;                       // from position to position
  hwy::AlignedVector<Value> bias_, weights_;  // weights of a tap after those of another
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
