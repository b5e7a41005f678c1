// SPDX-License-Identifier: Apache-2.0
// Regions of interest on the device: what a row of rois means.
//
//   region           bins, 2 x 2       samples of a bin, grid of 2 x 2
//   +-----------+    +-----+-----+     +-------+
//   |           |    |     |     |     | *   * |
//   |           |    +-----+-----+     |       |
//   |           |    |     |     |     | *   * |
//   +-----------+    +-----+-----+     +-------+
#pragma once

#include "../common/copies/row_copy.h"
#include "roi_buffers.h"

namespace avo {

// A region in elements of its feature map; [0] is along y, [1] along x.
struct Region {
  bool has_samples;
  int64_t image;    // -1 where there is no such image
  float start[2];   // where the first bin begins
  float bin[2];     // size of a bin
  int32_t grid[2];  // samples of a bin
};

// Items from `begin` on, before `end`.
struct Range {
  int64_t begin;
  int64_t end;
};

// The rows (axis 0) or columns (axis 1) of a bin's grid whose samples may read an image with `size` elements
// along the axis.
__aicore__ inline Range SamplesInside(const Region &region, uint32_t axis, uint32_t bin, int64_t size) {
  constexpr float kMargin = 2.0f;  // one element outside the image, and less than that for rounding
  const float grid = ToFloat(region.grid[axis]), step = region.bin[axis] / grid;
  const float start = region.start[axis] + ToFloat(bin) * region.bin[axis];
  const float low = (-kMargin - start) / step - kMargin;
  const float high = (ToFloat(size) + kMargin - start) / step + kMargin;
  const int64_t begin = low > 0.0f ? (low < grid ? static_cast<int32_t>(low) : region.grid[axis]) : 0;
  const int64_t end = high > 0.0f ? (high < grid ? static_cast<int32_t>(high) : region.grid[axis]) : 0;
  return {begin, end > begin ? end : begin};
}

template <typename T>
class RoiRegions {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR rois, GM_ADDR batch_indices, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    rois_ = tiling.rois;
    step_ = tiling.roiStep;
    images_ = tiling.images;
    size_[0] = tiling.height;
    size_[1] = tiling.width;
    bins_[0] = tiling.outHeight;
    bins_[1] = tiling.outWidth;
    ratio_ = tiling.samplingRatio;
    scale_ = tiling.scale;
    aligned_ = tiling.aligned != 0;
    roi_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(rois), rois_ * step_);
    index_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(batch_indices), rois_);
    const RoiRegionsBuffers buffers;
    pipe->InitBuffer(queue_, buffers.rois.count, buffers.rois.bytes);
    pipe->InitBuffer(values_, buffers.values.bytes);
    pipe->InitBuffer(index_queue_, buffers.indices.count, buffers.indices.bytes);
    pipe->InitBuffer(index_values_, buffers.index_values.bytes);
    loaded_ = -1;
  }

  __aicore__ inline uint32_t Bins() const { return bins_[0] * bins_[1]; }

  // Reads region `roi`.
  __aicore__ inline Region At(int64_t roi) {
    Load(roi / kTile);
    const uint32_t row = static_cast<uint32_t>(roi % kTile) * step_;
    const auto values = values_.template Get<float>();
    Region region;
    region.image = ImageOf(row, static_cast<uint32_t>(roi % kTile));
    region.has_samples = region.image >= 0;
    const float offset = aligned_ ? 0.5f : 0.0f;
    for (uint32_t axis = 0; axis < 2; ++axis) {
      const uint32_t x1 = row + step_ - 4 + 1 - axis;
      region.start[axis] = values.GetValue(x1) * scale_ - offset;
      const float end = values.GetValue(x1 + 2) * scale_ - offset;
      float size = end - region.start[axis];
      // This is false for NaN and for infinities.
      if (!(size >= -kMostFloat && size <= kMostFloat)) region.has_samples = false;
      if (!aligned_ && size < 1.0f) size = 1.0f;
      if (size < 0.0f) region.has_samples = false;
      region.bin[axis] = size / static_cast<float>(static_cast<int32_t>(bins_[axis]));
      region.grid[axis] = GridOf(region.bin[axis]);
      if (region.grid[axis] <= 0) region.has_samples = false;
    }
    return region;
  }

 protected:
  static constexpr uint32_t kTile = RoiRegionsBuffers::kTile;

  // Loads a tile of regions as float32, unless it is there.
  __aicore__ inline void Load(int64_t tile) {
    if (loaded_ == tile) return;
    loaded_ = tile;
    const int64_t first = tile * kTile, rest = rois_ - first;
    const uint32_t rows = static_cast<uint32_t>(rest < kTile ? rest : kTile), count = rows * step_;
    auto copied = queue_.template AllocTensor<T>();
    CopyRowsIn(copied, kTile * kMostStep, roi_gm_, first * step_, count, 1, count);
    queue_.EnQue(copied);
    copied = queue_.template DeQue<T>();
    if constexpr (sizeof(T) == sizeof(float)) {
      AscendC::Muls(values_.template Get<float>(), copied, 1.0f, count);
    } else {
      AscendC::Cast(values_.template Get<float>(), copied, AscendC::RoundMode::CAST_NONE, count);
    }
    queue_.FreeTensor(copied);
    if (step_ == kMostStep) return;
    auto indices = index_queue_.template AllocTensor<int32_t>();
    CopyRowsIn(indices, kTile, index_gm_, first, rows, 1, rows);
    index_queue_.EnQue(indices);
    indices = index_queue_.template DeQue<int32_t>();
    AscendC::Cast(index_values_.template Get<float>(), indices, AscendC::RoundMode::CAST_NONE, rows);
    index_queue_.FreeTensor(indices);
  }

  // The tile that Load has loaded, in float32: the rows of the regions, one behind the other.
  __aicore__ inline AscendC::LocalTensor<float> Rows() { return values_.template Get<float>(); }

  // The samples of a bin along an axis: samplingRatio, or else ceil(bin); at most 2^30.
  __aicore__ inline int32_t GridOf(float bin) const {
    constexpr float kMost = 1073741824.0f;
    if (ratio_ > 0) return ratio_ < kMost ? static_cast<int32_t>(ratio_) : static_cast<int32_t>(kMost);
    if (!(bin > 0.0f)) return 0;
    if (bin >= kMost) return static_cast<int32_t>(kMost);
    const int32_t whole = static_cast<int32_t>(bin);
    return static_cast<float>(whole) < bin ? whole + 1 : whole;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> queue_;
  int64_t rois_, ratio_, size_[2];
  uint32_t bins_[2], step_;
  float scale_;
  bool aligned_;

 private:
  static constexpr uint32_t kMostStep = RoiRegionsBuffers::kMostStep;
  static constexpr float kMostFloat = 3.4028234e38f;

  // The feature map of region `i` of the tile, whose values begin at `row`; -1 if there is no such map.
  __aicore__ inline int64_t ImageOf(uint32_t row, uint32_t i) {
    const float index = step_ == kMostStep ? values_.template Get<float>().GetValue(row)
                                           : index_values_.template Get<float>().GetValue(i);
    const bool inside = index >= 0.0f && index < static_cast<float>(static_cast<int32_t>(images_));
    return inside ? static_cast<int32_t>(index) : -1;
  }

  AscendC::TQue<AscendC::TPosition::VECIN, 1> index_queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> values_, index_values_;
  AscendC::GlobalTensor<T> roi_gm_;
  AscendC::GlobalTensor<int32_t> index_gm_;
  int64_t images_, loaded_;
};

}  // namespace avo
