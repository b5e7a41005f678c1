// SPDX-License-Identifier: Apache-2.0
#include "op_host/modulated_deform_conv2d_backward_args.h"

#include <algorithm>
#include <numeric>

#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/tensors/element.h"
#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/deform/deform_tiles.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/deform/modulated_deform_conv2d_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/vectors/fold_lanes-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/deform/deform_gradients-inl.h"
#include "op_cpu/deform/product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::modulated_deform_conv2d_backward::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace avo::HWY_NAMESPACE;

constexpr int64_t kChannels = 64;    // of a task
constexpr int64_t kPositions = 120;  // most positions of a tile, so that what is computed of it stays in L2
constexpr int64_t kColumns = 32;     // most columns of a tile
constexpr int64_t kGrads = 1 << 18;  // most elements of grad_output of a tile
constexpr int64_t kTasks = 16;       // about the tasks of a step

// The gradients of one call. A step is some images; a task is some channels of one of them.
//   - No two tasks add to the same pixel of the gradient of the input.
//   - Gradients of weights are summed for each image of a step, and those of offset and mask for each task.
//   At the end
//     these sums are added up in one order.
// There are two products: grad_output x filters gives the gradients of samples, and grad_output x samples
// gives the gradients of filters.
template <typename T>
class Gradients {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  Gradients(const Args &args, const ParallelFor &parallel_for)
      : args_(args),
        parallel_for_(parallel_for),
        sizes_(args),
        blocks_(sizes_.Blocks(kProductDepth, kChannels, kLongLanes<Value>)),
        filters_(sizes_.GroupFilters()),
        most_(MostPositions(sizes_, kGrads / filters_, kPositions, kProductRows)),
        positions_(sizes_.out[0] * sizes_.out[1]),
        tiles_(sizes_.out[0], sizes_.out[1], most_, kColumns) {
    for (size_t i = 0; i < blocks_.size(); ++i) {
      const DeformBlock &block = blocks_[i];
      if (block.tap == 0) tasks_.push_back(i);
      places_.push_back(matrix_);
      matrix_ += AlignUp(filters_, kProductRows) * Width(block);
    }
    tasks_.push_back(blocks_.size());
    step_ = std::clamp<int64_t>(kTasks / Tasks(), 1, std::max<int64_t>(sizes_.batch, 1));
    packed_.resize(matrix_);
    grad_weights_.resize(step_ * matrix_);
    offset_grads_.resize(step_ * Tasks() * OffsetGradsSize());
  }

  void Run() {
    const int64_t blocks = blocks_.size(), planes = sizes_.deform_groups * sizes_.Taps();
    ForEach(blocks, filters_ * kProductDepth, [&](int64_t i) { PackFilters(i); });
    ChannelImages<T> images(args_.input, step_, sizes_.ChannelAlignment());
    for (int64_t first = 0; first < sizes_.batch; first += step_) {
      const int64_t count = std::min(step_, sizes_.batch - first);
      images.Load(first, count, parallel_for_);
      std::fill(offset_grads_.begin(), offset_grads_.end(), Value{0});
      const int64_t work = positions_ * filters_ * kChannels;
      parallel_for_(count * Tasks(), GrainOf(work), [&](int64_t begin, int64_t end) {
        Worker worker(*this);
        for (int64_t item = begin; item < end; ++item) {
          const int64_t n = first + item / Tasks();
          worker.Run(item % Tasks(), n, images.At(n), &grad_weights_[item / Tasks() * matrix_],
                     &offset_grads_[item * OffsetGradsSize()]);
        }
      });
      ForEach(count * planes, 3 * positions_, [&](int64_t item) {
        StoreOffsetGrads(first + item / planes, item % planes,
                         &offset_grads_[item / planes * Tasks() * OffsetGradsSize()]);
      });
    }
    ForEach(blocks, filters_ * kProductDepth, [&](int64_t i) { StoreWeights(i); });
    ForEach(sizes_.filters, sizes_.batch * positions_, [&](int64_t o) { StoreBias(o); });
  }

 private:
  // The memory of one thread.
  class Worker {
   public:
    explicit Worker(const Gradients &call)
        : call_(call),
          sampler_(call.sizes_, call.args_, call.most_),
          gradients_(sampler_, kChannels),
          width_(AlignUp(call.filters_, kLanes)),
          stride_(kProductDepth + kLanes),
          grads_(AlignUp(call.filters_, kProductRows) * sampler_.most),
          grads_by_position_(sampler_.most * width_),
          sample_grads_(sampler_.most * stride_),
          columns_(sampler_.most * stride_),
          pixels_(call.sizes_.size[0] * call.sizes_.size[1] * AlignUp(kChannels, kLanes)) {}

    // Computes task `task` of image n.
    void Run(int64_t task, int64_t n, const ChannelImage<const T> &image, Value *grad_weights,
             Value *offset_grads) {
      const D d;
      const DeformSizes &sizes = call_.sizes_;
      const DeformBlock &all = call_.blocks_[call_.tasks_[task]];
      const int64_t pixel = AlignUp(all.channels, kLanes), plane = call_.positions_;
      std::fill_n(pixels_.data(), sizes.size[0] * sizes.size[1] * pixel, Value{0});
      const ChannelImage<Value> pixels{pixels_.data(), sizes.size[1] * pixel, pixel};
      for (int64_t i = 0; i < call_.tiles_.count(); ++i) {
        const Tile tile = call_.tiles_(n, i);
        LoadGrads(tile, all.group);
        sampler_.SetTile(tile, image);
        sampler_.Locate(all.deform_group);
        for (size_t b = call_.tasks_[task]; b < call_.tasks_[task + 1]; ++b) {
          const DeformBlock &block = call_.blocks_[b];
          const int64_t vectors = Width(block) / kLanes;
          std::fill_n(sample_grads_.data(), tile.positions() * stride_, Value{0});
          MultiplyAdd(d, grads_by_position_.data(), width_, tile.positions(),
                      &call_.packed_[call_.places_[b]], 0, call_.filters_, vectors, sample_grads_.data(),
                      stride_);
          for (int64_t t = 0; t < block.taps; ++t) {
            gradients_.Scatter(block.tap + t, block.channel, block.channels,
                               &sample_grads_[t * block.channels], stride_, pixels,
                               &columns_[t * block.channels],
                               offset_grads + (block.tap + t) * 3 * plane + call_.Place(tile), plane);
          }
          MultiplyAdd(d, grads_.data(), sampler_.most, call_.filters_, columns_.data(), stride_,
                      tile.positions(), vectors, grad_weights + call_.places_[b], Width(block));
        }
      }
      const Tensor &out = call_.args_.grad_input;
      const Shape &s = out.strides;
      FromChannelsLast<T>(pixels_.data(), pixel, all.channels, sizes.size[0], sizes.size[1],
                          static_cast<T *>(out.data) + n * s[0] + all.channel * s[1], {s[1], s[2], s[3]});
    }

   private:
    // Loads grad_output of a group, as (filter, position) and as (position, filter).
    void LoadGrads(const Tile &tile, int64_t group) {
      for (int64_t o = 0; o < call_.filters_; ++o) {
        ReadTile<T>(call_.args_.grad_output, tile, group * call_.filters_ + o, &grads_[o * sampler_.most]);
      }
      ToChannelsLast<Value>(grads_.data(), sampler_.most, call_.filters_, tile.positions(),
                            grads_by_position_.data(), width_);
    }

    const Gradients &call_;
    DeformSampler<T> sampler_;
    DeformGradients<T> gradients_;
    const int64_t width_;   // elements from position to position of grads_by_position_
    const int64_t stride_;  // elements from position to position of sample_grads_ and columns_
    AlignedVector<Value> grads_, grads_by_position_, sample_grads_, columns_, pixels_;
  };

  // Calls body(i) for all i below `count`; each computes `elements` elements.
  template <typename Body>
  void ForEach(int64_t count, int64_t elements, const Body &body) const {
    parallel_for_(count, GrainOf(elements), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i);
    });
  }

  static int64_t Width(const DeformBlock &block) { return AlignUp(block.depth(), kLanes); }
  int64_t Tasks() const { return static_cast<int64_t>(tasks_.size()) - 1; }
  int64_t OffsetGradsSize() const { return sizes_.Taps() * 3 * positions_; }
  // Where the positions of a tile start in a plane that holds them tile by tile.
  int64_t Place(const Tile &tile) const { return tile.row * sizes_.out[1] + tile.rows * tile.column; }

  // Packs the filters of block i as the second factor of the product with grad_output: (filter, element of a
  // block).
  void PackFilters(int64_t i) {
    const DeformBlock &block = blocks_[i];
    const int64_t panel = kProductVectors * kLanes;
    for (int64_t o = 0; o < filters_; ++o) {
      for (int64_t k = 0; k < block.depth(); ++k) {
        const T *from = sizes_.Weights<const T>(args_.weight, block, o, block.tap + k / block.channels);
        const int64_t before = k / panel * panel, columns = std::min(panel, Width(block) - before);
        packed_[places_[i] + before * filters_ + o * columns + k % panel] =
            Widen(from[k % block.channels * args_.weight.strides[1]]);
      }
    }
  }

  // Stores the gradients of the weights of block i, summed over the images of a step.
  void StoreWeights(int64_t i) const {
    const DeformBlock &block = blocks_[i];
    for (int64_t o = 0; o < filters_; ++o) {
      const Value *from = &grad_weights_[places_[i] + o * Width(block)];
      for (int64_t tap = block.tap; tap < block.tap + block.taps; ++tap) {
        T *to = sizes_.Weights<T>(args_.grad_weight, block, o, tap);
        for (int64_t c = 0; c < block.channels; ++c, ++from) {
          Value sum = 0;
          for (int64_t n = 0; n < step_; ++n) sum += from[n * matrix_];
          to[c * args_.grad_weight.strides[1]] = Narrow<T>(sum);
        }
      }
    }
  }

  // Stores the gradients of offset and mask of tap k of an image, summed over its tasks. Taps are counted
  // through all deform groups.
  void StoreOffsetGrads(int64_t image, int64_t k, const Value *offset_grads) const {
    std::vector<Value> sums(positions_);
    for (int64_t kind = 0; kind < 3; ++kind) {
      std::fill(sums.begin(), sums.end(), Value{0});
      for (int64_t task = 0; task < Tasks(); ++task) {
        if (blocks_[tasks_[task]].deform_group != k / sizes_.Taps()) continue;
        const Value *found =
            offset_grads + task * OffsetGradsSize() + (k % sizes_.Taps() * 3 + kind) * positions_;
        for (int64_t p = 0; p < positions_; ++p) sums[p] += found[p];
      }
      for (int64_t i = 0; i < tiles_.count(); ++i) {
        const Tile tile = tiles_(image, i);
        StoreTile<T>(&sums[Place(tile)], kind < 2 ? args_.grad_offset : args_.grad_mask, tile,
                     kind < 2 ? 2 * k + kind : k);
      }
    }
  }

  void StoreBias(int64_t o) const {
    std::vector<Value> plane(positions_);
    double sum = 0;
    for (int64_t n = 0; n < sizes_.batch; ++n) {
      ReadTile<T>(args_.grad_output, {n, 0, 0, sizes_.out[0], sizes_.out[1]}, o, plane.data());
      sum = std::accumulate(plane.begin(), plane.end(), sum);
    }
    T *to = static_cast<T *>(args_.grad_bias.data) + o * args_.grad_bias.strides[0];
    *to = Narrow<T>(static_cast<Value>(sum));
  }

  const Args &args_;
  const ParallelFor &parallel_for_;
  const DeformSizes sizes_;
  const std::vector<DeformBlock> blocks_;
  const int64_t filters_;    // of a group
  const int64_t most_;       // positions of a tile, at most
  const int64_t positions_;  // of an image
  const Tiles tiles_;
  std::vector<size_t> tasks_;    // the first block of each task, and the end of the last one
  std::vector<int64_t> places_;  // where each block starts in the packed filters and their gradients
  int64_t matrix_ = 0;           // elements of all blocks
  int64_t step_ = 0;             // images of a step
  AlignedVector<Value> packed_, grad_weights_;  // (block), (image of a step, block)
  std::vector<Value> offset_grads_;             // (image of a step, task, tap, kind, position)
};

void Run(const Args &args, const ParallelFor &parallel_for) {
  DispatchFloat(args.input.dtype,
                [&](auto element) { Gradients<decltype(element)>(args, parallel_for).Run(); });
}

}  // namespace avo::modulated_deform_conv2d_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::modulated_deform_conv2d_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::modulated_deform_conv2d_backward
#endif
