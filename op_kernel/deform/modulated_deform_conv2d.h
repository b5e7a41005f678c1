// SPDX-License-Identifier: Apache-2.0
// Modulated deformable convolution. The images of a call are handled in steps; all vector cores meet once in
// each step.
//   1. Vector cores copy the images of the step channels-last into the workspace. Before the first step, they
//      copy the filters, too.
//   2. The two vector cores of a block sample a band of positions, half of it each. The samples are the
//      columns (tap, position, channel) of a matrix.
//   3. The cube core of the block multiplies the filters with the columns, and stores the result. Meanwhile
//      the vector cores sample the next band into the other of two buffers:
//
//        vector cores   sample band 0 | sample band 1   | sample band 2   | …
//        cube core                    | multiply band 0 | multiply band 1 | …
//
// Rows of the product are filters, which is the layout of the result. The workspace holds the images of two
// steps, as a core may begin a step while another still samples the step before. Its size does not depend on
// the batch.
#pragma once

#include "deform_columns.h"
#include "modulated_deform_conv2d_tiling.h"
#include "row_product.h"

template <typename T, uint32_t KEY>
class ModulatedDeformConv2d {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR offset, GM_ADDR mask, GM_ADDR weight, GM_ADDR bias,
                              GM_ADDR out, GM_ADDR workspace, const ModulatedDeformConv2dTiling &tiling,
                              AscendC::TPipe *pipe) {
    t_ = tiling;
    pipe_ = pipe;
    input_ = input, offset_ = offset, mask_ = mask, weight_ = weight;
    taps_ = t_.kernel[0] * t_.kernel[1];
    positions_ = t_.outSize[0] * t_.outSize[1];
    channels_ = t_.images.channels * t_.deformGroups;
    bands_ = (positions_ + t_.band - 1) / t_.band;
    block_ = AscendC::GetBlockIdx() / AscendC::GetSubBlockNum();

    // The workspace holds: images of two steps; filters, as one image with a border; ones; columns.
    const avo::ChannelsLast images = avo::LayoutOf(t_.images), weights = avo::LayoutOf(t_.weights);
    images_ = workspace;
    step_bytes_ = images.images * images.ImagePixels() * images.pixel * sizeof(T);
    filters_ = images_ + 2 * step_bytes_;
    filter_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(filters_), weights.ImagePixels() * weights.pixel);
    filter_gm_ = filter_gm_[weights.Pixel(0, 0, 0) * weights.pixel];
    GM_ADDR ones = filters_ + weights.ImagePixels() * weights.pixel * sizeof(T);
    ones_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(ones), t_.band);
    const int64_t band_elements = taps_ * t_.band * channels_;
    columns_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(ones + t_.band * sizeof(T)),
                                AscendC::GetBlockNum() * 2 * band_elements);
    columns_gm_ = columns_gm_[block_ * 2 * band_elements];
    bias_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(bias), t_.filters);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.batch * t_.filters * positions_);
  }

  __aicore__ inline void Process() {
    if ASCEND_IS_AIV {
      CopyFilters();
      // One more product adds the bias: its column times a row of ones.
      if (t_.hasBias != 0) avo::WriteOnes(ones_gm_, t_.band, pipe_);
    } else {
      product_.Init(t_.productRows, t_.band, t_.productDepth, pipe_);
    }
    for (int64_t first = 0, step = 0; first < t_.batch; first += t_.stepImages, ++step) {
      const int64_t images = t_.batch - first < t_.stepImages ? t_.batch - first : t_.stepImages;
      if ASCEND_IS_AIV
        CopyImages(first, images, images_ + step % 2 * step_bytes_);
      const avo::Share share = avo::ShareOf(images * bands_, AscendC::GetBlockNum(), block_);
      for (int64_t item = share.begin; item < share.end; ++item, ++done_) {
        const int64_t local = item / bands_, position = item % bands_ * t_.band;
        const uint32_t count = avo::MinRemaining(positions_ - position, t_.band);
        const auto columns = columns_gm_[done_ % 2 * taps_ * t_.band * channels_];
        if ASCEND_IS_AIV {
          SampleHalf(first + local, local, position, count, columns);
        } else {
          Multiply(first + local, position, count, columns);
        }
      }
      if ASCEND_IS_AIV
        avo::ReleaseBuffers(pipe_);
    }
    if ASCEND_IS_AIV {
      for (int64_t i = 0; i < done_ && i < 2; ++i) AscendC::CrossCoreWaitFlag(kFree);
    }
  }

 private:
  // Flags between the cores of a block.
  static constexpr uint16_t kSampled = 0;  // some taps of a band have been sampled
  static constexpr uint16_t kFree = 1;     // the columns of a band may be overwritten

  // Copies the filters (O, C / groups, taps) as (taps, O, C / groups).
  __aicore__ inline void CopyFilters() {
    avo::ToChannelsLast<T> copy;
    copy.Init(weight_, filters_, t_.weights, pipe_);
    copy.Process(pipe_);
  }

  __aicore__ inline void CopyImages(int64_t first, int64_t images, GM_ADDR to) {
    avo::ImageCopy step = t_.images;
    step.images = images * t_.deformGroups;
    avo::ToChannelsLast<T> copy;
    copy.Init(input_ + first * channels_ * step.height * step.width * sizeof(T), to, step, pipe_);
    copy.Process(pipe_);
    sampler_.Init(to, offset_, mask_, step, t_, pipe_);
  }

  // Samples this vector core's half of a band into `columns`, after the cube core is done with the band
  // before in these columns.
  __aicore__ inline void SampleHalf(int64_t n, int64_t local, int64_t position, uint32_t count,
                                    const AscendC::GlobalTensor<T> &columns) {
    const uint32_t half_band = t_.band / 2, begin = AscendC::GetSubBlockIdx() * half_band;
    if (done_ >= 2) AscendC::CrossCoreWaitFlag(kFree);
    if (begin < count)
      sampler_.Begin(n, local, position + begin, avo::MinRemaining(count - begin, half_band), begin);
    for (int64_t tap = 0; tap < taps_; tap += t_.tapsPerFlag) {
      if (begin < count) sampler_.Sample(tap, EndOfTaps(tap), columns);
      AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(kSampled);
    }
  }

  // End of the taps that are sampled from `tap` on before the next flag.
  __aicore__ inline int64_t EndOfTaps(int64_t tap) {
    return tap + t_.tapsPerFlag < taps_ ? tap + t_.tapsPerFlag : taps_;
  }

  // Multiplies all filters with the columns of a band, and stores the result.
  __aicore__ inline void Multiply(int64_t n, int64_t position, uint32_t count,
                                  const AscendC::GlobalTensor<T> &columns) {
    const int64_t filters = t_.filters / t_.groups, channels = channels_ / t_.groups;
    const int64_t plane = t_.band * channels_;
    bool sampled = false;
    for (int64_t group = 0; group < t_.groups; ++group) {
      for (int64_t row = 0; row < filters; row += t_.productRows) {
        const int64_t filter = group * filters + row;
        const uint32_t rows = avo::MinRemaining(filters - row, t_.productRows);
        product_.Begin(rows, count);
        for (int64_t tap = 0; tap < taps_; tap += t_.tapsPerFlag) {
          // The first product takes taps as soon as they have been sampled.
          if (!sampled) AscendC::CrossCoreWaitFlag(kSampled);
          product_.Accumulate(
              {filter_gm_, tap * t_.weights.pixel + filter * channels, channels, t_.weights.pixel},
              {columns, tap * plane + group * channels, channels_, plane}, EndOfTaps(tap) - tap, channels);
        }
        sampled = true;
        // The ones were written before the first flag.
        if (t_.hasBias != 0) product_.Accumulate({bias_gm_, filter, 1, 0}, {ones_gm_, 0, 1, 0}, 1, 1);
        product_.Store(out_gm_, (n * t_.filters + filter) * positions_ + position, positions_);
      }
    }
    AscendC::CrossCoreSetFlag<2, PIPE_MTE2>(kFree);
  }

  ModulatedDeformConv2dTiling t_;
  AscendC::TPipe *pipe_;
  GM_ADDR input_;
  GM_ADDR offset_;
  GM_ADDR mask_;
  GM_ADDR weight_;
  GM_ADDR images_;
  GM_ADDR filters_;
  AscendC::GlobalTensor<T> filter_gm_, ones_gm_, bias_gm_, columns_gm_, out_gm_;
  avo::DeformColumns<T> sampler_;
  avo::RowProduct<T> product_;
  int64_t taps_, positions_, channels_, bands_, block_, step_bytes_;
  int64_t done_ = 0;  // bands that this block has handled
};
