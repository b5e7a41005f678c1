// SPDX-License-Identifier: Apache-2.0
// What a bin takes from each row of an image, and from each column. The samples of a bin lie on a grid, and
// the weight of a corner is a product of one weight along y and one along x. So a bin's mean is a sum over
// rows of sums over columns. The taps of a bin along an axis are the elements that its samples touch, with
// the sum of their weights:
//
//   elements       0     1     2     3     4
//   samples          * *      *       *             a bin with four samples along an axis
//   taps           .1   .5   .2    .1    .1         each sample gives 1/4, split between its neighbours
//
// The scalar unit computes them one after the other, in the order of elements.
#pragma once

#include "roi_regions.h"

namespace avo {

// What a bin takes from a column: the column's place among those in UB, and its weight.
struct ColumnTap {
  uint32_t bin, slot;
  float weight;
};

class BinTaps {
 public:
  // The taps of bin `bin` along `axis`, in an image with `size` elements along it.
  __aicore__ inline BinTaps(const Region &region, uint32_t axis, uint32_t bin, int64_t size)
      : size_(static_cast<int32_t>(size)),
        grid_(ToFloat(region.grid[axis])),
        step_(region.bin[axis]),
        start_(ToFloat(bin) * region.bin[axis] + region.start[axis]),
        exact_((region.grid[axis] & (region.grid[axis] - 1)) == 0) {
    const Range inside = SamplesInside(region, axis, bin, size);
    sample_ = inside.begin;
    end_ = inside.end;
    located_ = Locate();
  }

  // Goes on to the next tap. Returns false behind the last one.
  __aicore__ inline bool Next() {
    while (located_ && (held_ == 0 || low_ <= at_)) {
      if (held_ == 0) at_ = low_;
      weights_[0] += 1.0f - high_;
      weights_[1] += high_;
      // The last element has no neighbour.
      held_ = at_ + 1 < size_ ? 2 : 1;
      on_element = on_element || (high_ == 0.0f && held_ == 2);
      ++sample_;
      located_ = Locate();
    }
    if (held_ == 0) return false;
    element = at_++;
    weight = weights_[0] / grid_;
    weights_[0] = weights_[1];
    weights_[1] = 0.0f;
    --held_;
    return true;
  }

  int32_t element;
  float weight;
  // Whether a sample so far lies on an element, so that it takes its neighbour with weight 0.
  bool on_element = false;

 private:
  // Finds the next sample that counts: its lower neighbour, and the weight of the upper one. The position is
  // computed as the definition says (op_host/regions/roi_align.yaml).
  __aicore__ inline bool Locate() {
    for (; sample_ < end_; ++sample_) {
      const float cell = ToFloat(sample_) + 0.5f;
      // A division by a power of two does not round, so it may come first.
      const float offset = exact_ ? cell * (step_ / grid_) : cell * step_ / grid_;
      float position = start_ + offset;
      if (!(position >= -1.0f && position <= ToFloat(size_))) continue;
      if (position < 0.0f) position = 0.0f;
      if (position > ToFloat(size_ - 1)) position = ToFloat(size_ - 1);
      low_ = static_cast<int32_t>(position);
      high_ = position - ToFloat(low_);
      return true;
    }
    return false;
  }

  int32_t size_;
  float grid_, step_, start_;
  bool exact_;  // whether the grid is a power of two
  int64_t sample_, end_;
  // The next sample.
  bool located_;
  int32_t low_ = 0;
  float high_ = 0.0f;
  // Elements that samples have touched and that Next has not given yet: `held_` of them from at_ on.
  int32_t at_ = 0;
  uint32_t held_ = 0;
  float weights_[2] = {0.0f, 0.0f};
};

}  // namespace avo
