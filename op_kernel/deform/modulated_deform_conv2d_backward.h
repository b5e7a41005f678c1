// SPDX-License-Identifier: Apache-2.0
// Gradients of modulated deformable convolution. Every sum runs in one order, so results are deterministic.
// The images of a call are handled in steps. All cores meet after 1, after 2 and after 4.
//   1. Vector cores copy images and grad_output of the step channels-last into the workspace.
//   2. Cube cores multiply grad_output with the filters. That gives the gradients of the samples. In the
//      meantime vector cores list the pixels that each sample was read from, and the weights of these pixels.
//   3. Vector cores sample the images again, band by band. With the gradients of the samples they compute the
//      gradients of offset and mask. Cube cores multiply the samples with grad_output and add the product to
//      the gradient of weights and bias of their block.
//   4. Each vector core owns bands of pixels of the gradient of the input. It searches the lists for them,
//      and adds the gradients of these samples (pixel_bands.h).
// At the end, vector cores add up the gradients of weights and bias that the blocks found, block by block.
#pragma once

#include "../common/sampling/pixel_bands.h"
#include "deform_gradients.h"
#include "deform_terms.h"
#include "modulated_deform_conv2d_backward_tiling.h"
#include "row_product.h"

template <typename T, uint32_t KEY>
class ModulatedDeformConv2dBackward {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR offset, GM_ADDR mask, GM_ADDR weight,
                              GM_ADDR grad_output, GM_ADDR grad_input, GM_ADDR grad_offset, GM_ADDR grad_mask,
                              GM_ADDR grad_weight, GM_ADDR grad_bias, GM_ADDR workspace,
                              const ModulatedDeformConv2dBackwardTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    pipe_ = pipe;
    workspace_ = workspace;
    grad_output_ = grad_output, input_ = input, offset_ = offset, mask_ = mask, weight_ = weight;
    grad_input_ = grad_input, grad_offset_ = grad_offset, grad_mask_ = grad_mask;
    taps_ = t_.kernel[0] * t_.kernel[1];
    positions_ = t_.outSize[0] * t_.outSize[1];
    channels_ = t_.images.channels * t_.deformGroups;
    depth_ = channels_ / t_.groups * taps_;
    bands_ = (positions_ + t_.band - 1) / t_.band;
    block_ = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();
    const int64_t weights = t_.filters * depth_;
    bias_sums_ = RoundUp8(weights);
    block_sums_ = bias_sums_ + RoundUp8(t_.filters);

    const avo::ChannelsLast grads = avo::LayoutOf(t_.grads), filters = avo::LayoutOf(t_.weights);
    Place(grad_output_gm_, grad_output, t_.batch * t_.filters * positions_);
    Place(grads_gm_, Region(kGrads), grads.images * grads.ImagePixels() * grads.pixel);
    Place(filter_gm_, Region(kWeights), filters.ImagePixels() * filters.pixel);
    Place(ones_gm_, Region(kOnes), t_.band);
    Place(sample_grads_gm_, Region(kSampleGrads), t_.stepImages * taps_ * positions_ * channels_);
    Place(columns_gm_, Region(kColumns), AscendC::GetBlockNum() * 2 * channels_ * taps_ * t_.band);
    Place(sums_gm_, Region(kSums), AscendC::GetBlockNum() * block_sums_);
    Place(grad_weight_gm_, grad_weight, weights);
    Place(grad_bias_gm_, grad_bias, t_.filters);
  }

  __aicore__ inline void Process() {
    if ASCEND_IS_AIV {
      if (t_.batch > 0) {
        Copy(weight_, Region(kWeights), t_.weights, 1);
        avo::WriteOnes(ones_gm_, t_.band, pipe_);
      }
    } else {
      product_.Init(t_.productRows, t_.productWidth, t_.productDepth, pipe_);
    }
    for (int64_t first = 0; first < t_.batch; first += t_.stepImages) {
      const int64_t images = t_.batch - first < t_.stepImages ? t_.batch - first : t_.stepImages;
      const avo::Share share = avo::ShareOf(images * bands_, AscendC::GetBlockNum(), block_);
      if ASCEND_IS_AIV {
        const int64_t plane = t_.images.height * t_.images.width;
        Copy(input_ + first * channels_ * plane * sizeof(T), Region(kImages), t_.images,
             images * t_.deformGroups);
        Copy(grad_output_ + first * t_.filters * positions_ * sizeof(T), Region(kGrads), t_.grads, images);
        AscendC::SyncAll<false>();
        ListTerms(first, images);
        AscendC::SyncAll<false>();
        ComputeBands(first, share);
        AddSamples(first, images);
      } else {
        AscendC::SyncAll<false>();
        for (int64_t item = share.begin; item < share.end; ++item) MultiplyFilters(item);
        AscendC::SyncAll<false>();
        MultiplyBands(first, share);
      }
      AscendC::SyncAll<false>();
    }
    if ASCEND_IS_AIV {
      Sum(grad_weight_gm_, 0, t_.filters * depth_);
      Sum(grad_bias_gm_, bias_sums_, t_.filters);
    }
  }

 private:
  // Regions of the workspace; t_.regions says where they start.
  enum {
    kImages,       // channels-last, of a step
    kGrads,        // grad_output channels-last, of a step
    kWeights,      // channels-last
    kOnes,         // a band of ones
    kSampleGrads,  // (image, tap, position, channel) of a step, float32
    kColumns,      // samples of two bands for each block
    kSums,         // gradients of weights and bias for each block, float32
    kTerms         // pixels and weights of all samples of a step (pixel_terms.h)
  };
  // Flags between the cores of a block.
  static constexpr uint16_t kSampled = 0;  // a band has been sampled
  static constexpr uint16_t kFree = 1;     // the columns of a band may be overwritten

  static __aicore__ inline int64_t RoundUp8(int64_t value) { return (value + 7) / 8 * 8; }
  __aicore__ inline GM_ADDR Region(uint32_t i) { return workspace_ + t_.regions[i]; }
  template <typename U>
  __aicore__ inline void Place(AscendC::GlobalTensor<U> &tensor, GM_ADDR at, int64_t elements) {
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ U *>(at), elements);
  }

  __aicore__ inline void Copy(GM_ADDR from, GM_ADDR to, avo::ImageCopy layout, int64_t images) {
    layout.images = images;
    avo::ToChannelsLast<T> copy;
    copy.Init(from, to, layout, pipe_);
    copy.Process(pipe_);
  }

  // Positions of the band that starts at `position`.
  __aicore__ inline uint32_t Count(int64_t position) {
    return avo::MinRemaining(positions_ - position, t_.band);
  }
  // Where band `band` of this block puts its samples: bands take turns with two buffers.
  __aicore__ inline AscendC::GlobalTensor<T> Columns(int64_t band) {
    return columns_gm_[(block_ * 2 + band % 2) * channels_ * taps_ * t_.band];
  }

  // Computes the gradients of the samples of a band. Rows of the product are positions, its columns are
  // channels.
  __aicore__ inline void MultiplyFilters(int64_t item) {
    const avo::ChannelsLast grads = avo::LayoutOf(t_.grads), filters = avo::LayoutOf(t_.weights);
    const int64_t local = item / bands_, position = item % bands_ * t_.band;
    const int64_t channels = channels_ / t_.groups, rows = t_.filters / t_.groups, pixel = filters.pixel;
    for (int64_t group = 0; group < t_.groups; ++group) {
      const int64_t from = (grads.Pixel(local, 0, 0) + position) * grads.pixel + group * rows;
      for (int64_t tap = 0; tap < taps_; ++tap) {
        for (int64_t c = 0; c < channels; c += t_.productWidth) {
          product_.Begin(Count(position), avo::MinRemaining(channels - c, t_.productWidth));
          const int64_t filter = (filters.Pixel(0, 0, 0) + c * taps_ + tap) * pixel + group * rows;
          product_.Accumulate({grads_gm_, from, grads.pixel, 0}, {filter_gm_, filter, taps_ * pixel, 0}, 1,
                              rows);
          const int64_t row = (local * taps_ + tap) * positions_ + position;
          product_.Store(sample_grads_gm_, row * channels_ + group * channels + c, channels_);
        }
      }
    }
  }

  // Vector cores: computes the gradients of offset and mask of this block's bands, and samples the bands for
  // the cube core.
  __aicore__ inline void ComputeBands(int64_t first, const avo::Share &share) {
    avo::DeformGradients<T> gradients;
    gradients.Init(Region(kImages), offset_, mask_, Region(kSampleGrads), grad_offset_, grad_mask_, t_.images,
                   t_, pipe_);
    const uint32_t half_band = t_.band / 2, begin = AscendC::GetSubBlockIdx() * half_band;
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t band = item - share.begin, position = item % bands_ * t_.band;
      if (band >= 2) AscendC::CrossCoreWaitFlag(kFree);
      if (begin < Count(position)) {
        const uint32_t own = avo::MinRemaining(Count(position) - begin, half_band);
        gradients.Compute(first + item / bands_, item / bands_, position + begin, own, Columns(band), begin);
      }
      AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kSampled);
    }
    for (int64_t band = share.begin; band < share.end && band < share.begin + 2; ++band) {
      AscendC::CrossCoreWaitFlag(kFree);
    }
    avo::ReleaseBuffers(pipe_);
  }

  // Cube core: adds the gradients of weights and bias of this block's bands to those of the block.
  __aicore__ inline void MultiplyBands(int64_t first, const avo::Share &share) {
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t band = item - share.begin, position = item % bands_ * t_.band;
      AscendC::CrossCoreWaitFlag(kSampled);
      // The first band of the block sets the sums, and the others add to them.
      if (first + band > 0) AscendC::SetAtomicAdd<float>();
      MultiplySamples(first + item / bands_, position, Columns(band));
      AscendC::SetAtomicNone();
      AscendC::PipeBarrier<PIPE_FIX>();
      AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFree);
    }
  }

  // Computes the gradients of weights and bias of a band. Rows of the product are filters, its columns are
  // (channel, tap).
  __aicore__ inline void MultiplySamples(int64_t n, int64_t position,
                                         const AscendC::GlobalTensor<T> &columns) {
    const int64_t filters = t_.filters / t_.groups, sums = block_ * block_sums_;
    for (int64_t group = 0; group < t_.groups; ++group) {
      for (int64_t row = 0; row < filters; row += t_.productRows) {
        const int64_t filter = group * filters + row;
        const uint32_t rows = avo::MinRemaining(filters - row, t_.productRows);
        const avo::ProductRows<T> grads{grad_output_gm_, (n * t_.filters + filter) * positions_ + position,
                                        positions_, 0};
        for (int64_t d = 0; d < depth_; d += t_.productWidth) {
          product_.Begin(rows, avo::MinRemaining(depth_ - d, t_.productWidth));
          const avo::ProductRows<T> samples{columns, (group * depth_ + d) * t_.band, t_.band, 0};
          product_.Accumulate(grads, samples, 1, Count(position));
          product_.Store(sums_gm_, sums + filter * depth_ + d, depth_);
        }
        product_.Begin(rows, 1);
        product_.Accumulate(grads, {ones_gm_, 0, t_.band, 0}, 1, Count(position));
        product_.Store(sums_gm_, sums + bias_sums_ + filter, 1);
      }
    }
  }

  // Lists this core's share of what the samples of a step are added to.
  __aicore__ inline void ListTerms(int64_t first, int64_t images) {
    avo::DeformTerms<T> terms;
    terms.Init(offset_, mask_, Region(kTerms), t_, pipe_);
    terms.Process(first, images);
    avo::ReleaseBuffers(pipe_);
  }

  // Computes this core's bands of the gradient of the input of a step.
  __aicore__ inline void AddSamples(int64_t first, int64_t images) {
    avo::PixelBands<float, T> bands;
    const avo::RowPlaces places{0, t_.deformGroups, taps_ * positions_ * channels_, t_.images.channels,
                                channels_};
    bands.Init(Region(kTerms), Region(kSampleGrads), places, grad_input_, t_.batch * t_.deformGroups,
               t_.bands, pipe_);
    bands.Process(first * t_.deformGroups, images * t_.deformGroups);
    avo::ReleaseBuffers(pipe_);
  }

  // Adds up elements [from, from + count) of what the blocks found, and stores the sums in `out`. Takes
  // DeformSumBuffers of the Unified Buffer.
  __aicore__ inline void Sum(const AscendC::GlobalTensor<T> &out, int64_t from, int64_t count) {
    constexpr uint32_t kPiece = DeformSumBuffers::kPiece;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    const DeformSumBuffers buffers(sizeof(T));
    pipe_->InitBuffer(in_queue, buffers.terms.count, buffers.terms.bytes);
    pipe_->InitBuffer(out_queue, buffers.result.count, buffers.result.bytes);
    pipe_->InitBuffer(buffer, buffers.sum.bytes);
    auto sum = buffer.template Get<float>();
    const avo::Share share = avo::CoreShare((count + kPiece - 1) / kPiece);
    for (int64_t piece = share.begin; piece < share.end; ++piece) {
      const uint32_t elements = avo::MinRemaining(count - piece * kPiece, kPiece);
      AscendC::Duplicate(sum, 0.0f, kPiece);
      for (int64_t block = 0; block < AscendC::GetBlockNum() && t_.batch > 0; ++block) {
        auto terms = in_queue.template AllocTensor<float>();
        avo::CopyRowsIn(terms, kPiece, sums_gm_, block * block_sums_ + from + piece * kPiece, elements, 1,
                        elements);
        in_queue.EnQue(terms);
        terms = in_queue.template DeQue<float>();
        AscendC::Add(sum, sum, terms, elements);
        in_queue.FreeTensor(terms);
      }
      auto result = out_queue.template AllocTensor<T>();
      if constexpr (sizeof(T) == sizeof(float)) {
        AscendC::Adds(result, sum, 0.0f, elements);
      } else {
        AscendC::Cast(result, sum, AscendC::RoundMode::CAST_RINT, elements);
      }
      out_queue.EnQue(result);
      result = out_queue.template DeQue<T>();
      avo::CopyRowsOut(out, piece * kPiece, elements, result, kPiece, 1, elements);
      out_queue.FreeTensor(result);
    }
    avo::ReleaseBuffers(pipe_);
  }

  ModulatedDeformConv2dBackwardTiling t_;
  AscendC::TPipe *pipe_;
  GM_ADDR workspace_;
  GM_ADDR grad_output_;
  GM_ADDR input_;
  GM_ADDR offset_;
  GM_ADDR mask_;
  GM_ADDR weight_;
  GM_ADDR grad_input_;
  GM_ADDR grad_offset_;
  GM_ADDR grad_mask_;
  AscendC::GlobalTensor<T> grad_output_gm_, grads_gm_, filter_gm_, ones_gm_, columns_gm_, grad_weight_gm_,
      grad_bias_gm_;
  AscendC::GlobalTensor<float> sample_grads_gm_, sums_gm_;
  avo::RowProduct<T> product_;
  int64_t taps_, positions_, channels_;
  int64_t depth_;                   // elements of a filter: channels of a group times taps
  int64_t bands_;                   // of an image
  int64_t block_;                   // this core's block
  int64_t bias_sums_, block_sums_;  // elements of a block's sums before those of the bias, and of all
};
