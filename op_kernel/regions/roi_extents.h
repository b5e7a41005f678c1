// SPDX-License-Identifier: Apache-2.0
// Where regions lie, for gradients: a core that owns a part of a feature map asks which regions touch it.
// Each core states the extents of its share of the regions in the workspace, as five arrays: image, and
// lowest and highest row and column. After the cores have met, vector instructions compare many regions at
// once.
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "roi_regions.h"

namespace avo {

template <typename T>
class RoiExtents : public RoiRegions<T> {
 public:
  static constexpr uint32_t kExtents = 512;  // regions that are compared at once

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR rois, GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    RoiRegions<T>::Init(rois, nullptr, workspace, tiling, pipe);
    count_ = tiling.rois;
    padded_ = (count_ + kRepeat - 1) / kRepeat * kRepeat;
    columns_ = tiling.outWidth;
    rows_ = tiling.outHeight;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs), kArrays * padded_);
    pipe->InitBuffer(in_queue_, 1, kArrays * kExtents * sizeof(float));
    pipe->InitBuffer(out_queue_, 1, kArrays * kRepeat * sizeof(float));
    pipe->InitBuffer(extents_, kArrays * kExtents * sizeof(float));
    pipe->InitBuffer(numbers_, kExtents * sizeof(float));
    pipe->InitBuffer(touching_, kExtents * sizeof(float));
    pipe->InitBuffer(masks_, 2 * kExtents / 8);
    AscendC::CreateVecIndex(numbers_.template Get<float>(), 0.0f, kExtents);
    loaded_ = -1;
  }

  __aicore__ inline void State() {
    const Share share = CoreShare(padded_ / kRepeat);
    for (int64_t first = share.begin * kRepeat; first < share.end * kRepeat; first += kRepeat) {
      auto extents = out_queue_.template AllocTensor<float>();
      for (uint32_t i = 0; i < kRepeat; ++i) {
        Region region{false, -1, {0.0f, 0.0f}, {0.0f, 0.0f}, {0, 0}};
        if (first + i < count_) region = this->At(first + i);
        extents.SetValue(i, region.counts ? ToFloat(region.image) : -1.0f);
        for (uint32_t axis = 0; axis < 2; ++axis) {
          const float size = region.bin[axis] * ToFloat(axis == 0 ? rows_ : columns_);
          extents.SetValue((1 + 2 * axis) * kRepeat + i, region.start[axis] - kMargin);
          extents.SetValue((2 + 2 * axis) * kRepeat + i, region.start[axis] + size + kMargin);
        }
      }
      out_queue_.EnQue(extents);
      extents = out_queue_.template DeQue<float>();
      CopyRowsOut(gm_, first, padded_, extents, kRepeat, kArrays, kRepeat);
      out_queue_.FreeTensor(extents);
    }
  }

  // How many of regions [first, first + kExtents) of an image may read elements [low, high) along both axes.
  __aicore__ inline uint32_t Touching(int64_t first, int64_t image, const float (&low)[2],
                                      const float (&high)[2]) {
    const uint32_t count = MinRemaining(padded_ - first, kExtents);
    const auto extents = extents_.template Get<float>();
    if (loaded_ != first) {
      loaded_ = first;
      auto copied = in_queue_.template AllocTensor<float>();
      CopyRowsIn(copied, kExtents, gm_, first, padded_, kArrays, count);
      in_queue_.EnQue(copied);
      copied = in_queue_.template DeQue<float>();
      for (uint32_t i = 0; i < kArrays; ++i) {
        AscendC::Muls(extents[i * kExtents], copied[i * kExtents], 1.0f, count);
      }
      in_queue_.FreeTensor(copied);
    }
    auto bits = masks_.template Get<uint8_t>();
    const auto other = bits[kExtents / 8];
    AscendC::CompareScalar(bits, extents, ToFloat(image), AscendC::CMPMODE::EQ, count);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      KeepBits(bits, other, extents[(1 + 2 * axis) * kExtents], high[axis], AscendC::CMPMODE::LT, count);
      KeepBits(bits, other, extents[(2 + 2 * axis) * kExtents], low[axis], AscendC::CMPMODE::GE, count);
    }
    uint64_t touching = 0;
    AscendC::GatherMask(touching_.template Get<float>(), numbers_.template Get<float>(),
                        bits.template ReinterpretCast<uint32_t>(), true, count, {1, 1, 8, 0}, touching);
    return static_cast<uint32_t>(touching);
  }

  // The i-th of them, counted from `first`.
  __aicore__ inline int64_t Touched(uint32_t i) {
    return static_cast<int32_t>(touching_.template Get<float>().GetValue(i));
  }

  // The rows, or columns, of bins whose samples may read elements [low, high).
  __aicore__ inline Share BinsBetween(const Region &region, uint32_t axis, float low, float high) const {
    const uint32_t bins = axis == 0 ? rows_ : columns_;
    const float begin = (low - kMargin - region.start[axis]) / region.bin[axis] - 1.0f;
    const float end = (high + kMargin - region.start[axis]) / region.bin[axis] + 1.0f;
    // Bins of no size have all of their samples at one place.
    if (!(region.bin[axis] > 0.0f)) return {0, bins};
    return {Bounded(begin, bins), Bounded(end, bins)};
  }

 private:
  static constexpr uint32_t kArrays = 5;
  static constexpr int64_t kRepeat = 64;
  static constexpr float kMargin = 2.0f;  // the border's one element, a neighbour, and what rounding moves

  static __aicore__ inline int64_t Bounded(float value, uint32_t bins) {
    if (!(value > 0.0f)) return 0;
    return value < ToFloat(bins) ? static_cast<int32_t>(value) : bins;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> extents_, numbers_, touching_, masks_;
  AscendC::GlobalTensor<float> gm_;
  int64_t count_, padded_, loaded_;
  uint32_t rows_, columns_;
};

}  // namespace avo
