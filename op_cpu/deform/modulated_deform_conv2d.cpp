// SPDX-License-Identifier: Apache-2.0
#include "op_host/modulated_deform_conv2d_args.h"

#include <algorithm>

#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/deform/deform_tiles.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/deform/modulated_deform_conv2d.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/deform-inl.h"
#include "op_cpu/deform/deform_depthwise-inl.h"
#include "op_cpu/deform/deform_filters-inl.h"
#include "op_cpu/deform/deform_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::modulated_deform_conv2d::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kColumns =
    32;  // most columns of a tile; tiles are compact so that samples share pixels in L2
constexpr int64_t kImages = 1 << 20;  // bytes of images that are copied to channels-last memory at a time

// A convolution tile by tile of the result. The samples of one block (DeformBlock; channels are lanes) are
// written to memory that stays in L2. Then they are multiplied with packed filters (filters are lanes), and
// the product is added to the sums (position, filter) of the tile. So there is no matrix of all samples. This
// is 1.6 x as fast as OpenVINO for 256 channels of 100 x 152 and for 64 of 50 x 76.
template <typename T, class Product>
class Convolution {
  using Value = Compute<T>;
  using Sample = typename Product::Sample;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());
  static constexpr int64_t kSums = 1 << 18;  // most sums of a tile

 public:
  Convolution(const Args &args, const DeformSizes &sizes, const ParallelFor &parallel_for)
      : args_(args),
        sizes_(sizes),
        blocks_(sizes.Blocks(Product::kDepth, Product::kDepth, kLongLanes<Value>)),
        filters_(sizes, blocks_, args.weight, parallel_for),
        width_(filters_.vectors * kLanes),
        bias_(sizes.groups * width_) {
    if (args.bias) LoadBias(*args.bias);
  }

  // Most positions of a tile.
  int64_t Positions() const {
    return MostPositions(sizes_, kSums / width_, Product::kPositions, Product::kRows);
  }

  // Blocks start at multiples of this number of channels.
  int64_t ChannelAlignment() const { return sizes_.ChannelAlignment(); }

  // The memory of one thread.
  class Worker {
   public:
    Worker(const Convolution &call, int64_t positions)
        : call_(call),
          sampler_(call.sizes_, call.args_, positions),
          stride_(SampleStride(call)),
          term_pitch_(positions * stride_),
          samples_(Product::kTerms * term_pitch_),
          sums_(positions * call.width_) {}

    void Convolve(const Tile &tile, const ChannelImage<const T> &image) {
      sampler_.SetTile(tile, image);
      int64_t deform_group = -1;
      for (size_t i = 0; i < call_.blocks_.size(); ++i) {
        const DeformBlock &block = call_.blocks_[i];
        if (block.deform_group != deform_group) sampler_.Locate(deform_group = block.deform_group);
        if (block.before == 0) Begin(block.group, tile.positions());
        for (int64_t tap = 0; tap < block.taps; ++tap) {
          sampler_.template Sample<Product>(block.tap + tap, block.channel, block.channels,
                                            &samples_[tap * block.channels], stride_, term_pitch_);
        }
        FillDepth(block.depth(), tile.positions());
        Product::MultiplyAdd(samples_.data(), stride_, term_pitch_, tile.positions(), call_.filters_.Block(i),
                             call_.filters_.term_pitch(), block.depth(), call_.filters_.vectors, sums_.data(),
                             call_.width_);
        if (block.before + block.depth() == call_.sizes_.Depth()) Store(block.group, tile);
      }
    }

   private:
    static int64_t SampleStride(const Convolution &call) {
      int64_t deepest = 0;
      for (const DeformBlock &block : call.blocks_) deepest = std::max(deepest, block.depth());
      return Product::Stride(deepest);
    }

    // Writes zeros where the product reads after the samples. There may be samples of another block.
    void FillDepth(int64_t depth, int64_t positions) {
      const int64_t beyond = Product::Filled(depth) - depth;
      for (int64_t i = 0; beyond > 0 && i < Product::kTerms; ++i) {
        for (int64_t p = 0; p < positions; ++p) {
          std::fill_n(&samples_[i * term_pitch_ + p * stride_ + depth], beyond, Sample{});
        }
      }
    }

    void Begin(int64_t group, int64_t positions) {
      const int64_t width = call_.width_;
      for (int64_t p = 0; p < positions; ++p) {
        std::copy_n(&call_.bias_[group * width], width, &sums_[p * width]);
      }
    }

    void Store(int64_t group, const Tile &tile) const {
      const Tensor &out = call_.args_.out;
      const Shape &s = out.strides;
      const int64_t filters = call_.sizes_.GroupFilters(), width = call_.width_;
      T *to = static_cast<T *>(out.data) + tile.image * s[0] + group * filters * s[1] + tile.row * s[2] +
              tile.column * s[3];
      FromChannelsLast<T>(sums_.data(), width, filters, tile.rows, tile.columns, to, {s[1], s[2], s[3]});
    }

    const Convolution &call_;
    DeformSampler<T> sampler_;
    const int64_t stride_,
        term_pitch_;  // elements from position to position and from term to term of samples
    AlignedVector<Sample> samples_;
    AlignedVector<Value> sums_;
    typename Product::Registers registers_;
  };

 private:
  void LoadBias(const Tensor &bias) {
    const int64_t filters = sizes_.GroupFilters();
    for (int64_t o = 0; o < sizes_.filters; ++o) {
      bias_[o / filters * width_ + o % filters] =
          Widen(static_cast<const T *>(bias.data)[o * bias.strides[0]]);
    }
  }

  const Args &args_;
  const DeformSizes &sizes_;
  const std::vector<DeformBlock> blocks_;
  const DeformFilters<T, Product> filters_;
  const int64_t width_;  // filters of a group, rounded up to vectors
  std::vector<Value> bias_;
};

template <typename T, class Call>
void Convolve(const Args &args, const DeformSizes &sizes, const ParallelFor &parallel_for) {
  const Call call(args, sizes, parallel_for);
  const int64_t positions = call.Positions();
  const Tiles tiles(sizes.out[0], sizes.out[1], positions, kColumns);
  const int64_t image_bytes = sizes.channels * sizes.size[0] * sizes.size[1] * sizeof(T);
  const int64_t step = std::clamp<int64_t>(kImages / image_bytes, 1, std::max<int64_t>(sizes.batch, 1));
  ChannelImages<T> images(args.input, step, call.ChannelAlignment());
  for (int64_t first = 0; first < sizes.batch; first += step) {
    const int64_t count = std::min(step, sizes.batch - first);
    images.Load(first, count, parallel_for);
    const int64_t work = positions * sizes.filters * sizes.Depth();
    parallel_for(count * tiles.count(), GrainOf(work / 16), [&](int64_t begin, int64_t end) {
      typename Call::Worker worker(call, positions);
      for (int64_t item = begin; item < end; ++item) {
        const int64_t n = first + item / tiles.count();
        worker.Convolve(tiles(n, item % tiles.count()), images.At(n));
      }
    });
  }
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const DeformSizes sizes(args);
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    // Depthwise, and with no more filters for a channel than a deform group has channels: 12 x for 256
    // channels of 100 x 152.
    if (sizes.groups == sizes.channels && sizes.DeformGroupChannels() >= sizes.GroupFilters())
      return Convolve<T, DepthwiseConvolution<T, Args>>(args, sizes, parallel_for);
#if HWY_TARGET == HWY_AVX3
    if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
      // Against vectors, for 256 channels of 100 x 152 and for 64 of 50 x 76: bfloat16 4 x and 2 x,
      // float16 1.9 x and 1.2 x.
      if (UseTiles()) return Convolve<T, Convolution<T, TileProduct<T>>>(args, sizes, parallel_for);
    }
#endif
    Convolve<T, Convolution<T, VectorProduct<T>>>(args, sizes, parallel_for);
  });
}

}  // namespace avo::modulated_deform_conv2d::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::modulated_deform_conv2d {
AVO_RUN_CPU(Run)
}  // namespace avo::modulated_deform_conv2d
#endif
