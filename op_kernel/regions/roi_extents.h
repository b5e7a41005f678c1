// SPDX-License-Identifier: Apache-2.0
// Where regions lie, for the gradient: a core that owns a band of a feature map asks which regions touch it.
//
// Each core writes the extents of its share of the regions to the workspace (WriteExtents). After all cores
// have met, vector instructions compare the extents of 512 regions at once (FindTouching). Extents lie there
// as arrays of float32, one element for each region, padded to a multiple of 64:
//
//   image            i0 i1 i2 …     -1 where a region has no samples
//   first y, end y   …
//   first x, end x   …
//   bin y, bin x     …              sizes of a bin
#pragma once

#include "../common/sampling/bilinear_rows.h"
#include "roi_regions.h"

namespace avo {

template <typename T>
class RoiExtents : public RoiRegions<T> {
 public:
  static constexpr uint32_t kExtents = RoiTouchingBuffers::kExtents;

  // Prepares for WriteExtents.
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR rois, GM_ADDR workspace, const Tiling &tiling, AscendC::TPipe *pipe) {
    RoiRegions<T>::Init(rois, nullptr, tiling, pipe);
    padded_ = (rois_ + kRepeat - 1) / kRepeat * kRepeat;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(workspace + tiling.costs), kFields * padded_);
    const RoiExtentsBuffers buffers;
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
  }

  // Prepares for FindTouching, after all cores have met.
  __aicore__ inline void InitTouching(AscendC::TPipe *pipe) {
    const RoiTouchingBuffers buffers;
    pipe->InitBuffer(in_queue_, buffers.extents.count, buffers.extents.bytes);
    pipe->InitBuffer(numbers_, buffers.numbers.bytes);
    pipe->InitBuffer(touching_, buffers.touching.bytes);
    pipe->InitBuffer(masks_, buffers.masks.bytes);
    AscendC::CreateVecIndex(numbers_.template Get<float>(), 0.0f, kExtents);
    loaded_ = -1;
  }

  // Writes the extents of this core's share of the regions to the workspace.
  __aicore__ inline void WriteExtents() {
    const Share share = CoreShare(padded_ / kRepeat);
    for (int64_t first = share.begin * kRepeat; first < share.end * kRepeat; first += kRepeat) {
      auto extents = out_queue_.template AllocTensor<float>();
      for (uint32_t i = 0; i < kRepeat; ++i) {
        Region region{false, -1, {0.0f, 0.0f}, {0.0f, 0.0f}, {0, 0}};
        if (first + i < rois_) region = this->At(first + i);
        extents.SetValue(i, region.has_samples ? ToFloat(region.image) : -1.0f);
        for (uint32_t axis = 0; axis < 2; ++axis) {
          const float size = region.bin[axis] * ToFloat(bins_[axis]);
          extents.SetValue((1 + 2 * axis) * kRepeat + i, region.start[axis]);
          extents.SetValue((2 + 2 * axis) * kRepeat + i, region.start[axis] + size);
          extents.SetValue((5 + axis) * kRepeat + i, region.bin[axis]);
        }
      }
      out_queue_.EnQue(extents);
      extents = out_queue_.template DeQue<float>();
      CopyRowsOut(gm_, first, padded_, extents, kRepeat, kFields, kRepeat);
      out_queue_.FreeTensor(extents);
    }
  }

  // Finds those of the regions [first, first + kExtents) that lie in an image and may read elements [low,
  // high) of it along both axes. Returns how many there are.
  __aicore__ inline uint32_t FindTouching(int64_t first, int64_t image, const float (&low)[2],
                                          const float (&high)[2]) {
    const uint32_t count = MinRemaining(padded_ - first, kExtents);
    if (loaded_ != first) {
      Release();
      loaded_ = first;
      extents_ = in_queue_.template AllocTensor<float>();
      CopyRowsIn(extents_, kExtents, gm_, first, padded_, kFields, count);
      in_queue_.EnQue(extents_);
      extents_ = in_queue_.template DeQue<float>();
    }
    auto bits = masks_.template Get<uint8_t>();
    const auto other = bits[kExtents / 8];
    AscendC::CompareScalar(bits, extents_, ToFloat(image), AscendC::CMPMODE::EQ, count);
    for (uint32_t axis = 0; axis < 2; ++axis) {
      KeepBits(bits, other, extents_[(1 + 2 * axis) * kExtents], high[axis] + kMargin, AscendC::CMPMODE::LT,
               count);
      KeepBits(bits, other, extents_[(2 + 2 * axis) * kExtents], low[axis] - kMargin, AscendC::CMPMODE::GE,
               count);
    }
    uint64_t touching = 0;
    AscendC::GatherMask(touching_.template Get<float>(), numbers_.template Get<float>(),
                        bits.template ReinterpretCast<uint32_t>(), true, count, {1, 1, 8, 0}, touching);
    return static_cast<uint32_t>(touching);
  }

  // The number of the i-th region that FindTouching found, counted from its `first`.
  __aicore__ inline uint32_t TouchingRegion(uint32_t i) {
    return static_cast<uint32_t>(static_cast<int32_t>(touching_.template Get<float>().GetValue(i)));
  }

  // The region of this number, as At gives it.
  __aicore__ inline Region Touching(uint32_t number) {
    Region region;
    region.has_samples = true;
    region.image = static_cast<int32_t>(extents_.GetValue(number));
    for (uint32_t axis = 0; axis < 2; ++axis) {
      region.start[axis] = extents_.GetValue((1 + 2 * axis) * kExtents + number);
      region.bin[axis] = extents_.GetValue((5 + axis) * kExtents + number);
      region.grid[axis] = this->GridOf(region.bin[axis]);
    }
    return region;
  }

  // Gives back what FindTouching has loaded.
  __aicore__ inline void Release() {
    if (loaded_ >= 0) in_queue_.FreeTensor(extents_);
    loaded_ = -1;
  }

  // The rows of bins (axis 0), or their columns (axis 1), whose samples may read elements [low, high).
  __aicore__ inline Range BinsBetween(const Region &region, uint32_t axis, float low, float high) const {
    const uint32_t bins = bins_[axis];
    const float begin = (low - kMargin - region.start[axis]) / region.bin[axis] - 1.0f;
    const float end = (high + kMargin - region.start[axis]) / region.bin[axis] + 1.0f;
    // All samples of bins without a size lie at one place.
    if (!(region.bin[axis] > 0.0f)) return {0, bins};
    return {Clamped(begin, bins), Clamped(end, bins)};
  }

 private:
  using RoiRegions<T>::rois_;
  using RoiRegions<T>::bins_;
  static constexpr uint32_t kFields = RoiExtentsBuffers::kFields;
  static constexpr int64_t kRepeat = RoiRegionsBuffers::kTile;
  // Elements that a sample may read beyond its position: one outside the image, a neighbour, and less than
  // that for rounding.
  static constexpr float kMargin = 2.0f;

  // A number of bins in [0, bins].
  static __aicore__ inline int64_t Clamped(float value, uint32_t bins) {
    if (!(value > 0.0f)) return 0;
    return value < ToFloat(bins) ? static_cast<int32_t>(value) : bins;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_queue_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> numbers_, touching_, masks_;
  AscendC::GlobalTensor<float> gm_;
  AscendC::LocalTensor<float> extents_;
  int64_t padded_;  // regions, rounded up to 64
  int64_t loaded_;  // first region of the extents in UB, -1 for none
};

}  // namespace avo
