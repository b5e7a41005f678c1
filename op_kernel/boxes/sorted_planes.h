// SPDX-License-Identifier: Apache-2.0
// Planes of all boxes by descending score in GM, where boxes are decided in two stages: cores fetch a share
// of the boxes each, and load what they need for the second stage.
#pragma once

#include "iou.h"

namespace avo {

template <bool CLASSES>
class SortedPlanes {
 public:
  // Planes are at the place that they have in GM, so with classes the plane of indices is not used.
  static constexpr uint32_t kPlanes = CLASSES ? uint32_t{kClassPlanes} : uint32_t{kBoxPlanes};
  static constexpr uint32_t kPairs = (kPlanes + 1) / 2;  // of planes that are loaded together

  // pitch: boxes from plane to plane.
  __aicore__ inline void Init(GM_ADDR planes, int64_t pitch) {
    pitch_ = pitch;
    planes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(planes), pitch * kPlanes);
  }

  // Stores `count` boxes from rank `first` on.
  __aicore__ inline void Store(const BoxPlanes &planes, int64_t first, uint32_t count) {
    CopyRowsOut(planes_gm_, first, pitch_, planes.planes, planes.pitch, kBoxPlanes, count);
    if constexpr (CLASSES) {
      CopyRowsOut(planes_gm_, kClassLow * pitch_ + first, pitch_, planes[kClassLow], planes.pitch,
                  kClassPlanes - kClassLow, count);
    }
  }

  // Begins to load two planes, 2 * pair and the next one, of `count` boxes from rank `first` on. The plane of
  // areas is loaded alone. The end of the last data block is NaN.
  __aicore__ inline void LoadPair(const BoxPlanes &planes, uint32_t pair, int64_t first, uint32_t count) {
    const uint32_t plane = 2 * pair;
    CopyRowsIn(planes[plane], planes.pitch, planes_gm_, plane * pitch_ + first, pitch_,
               plane == kArea ? 1 : 2, count, __builtin_nanf(""));
  }

 private:
  AscendC::GlobalTensor<float> planes_gm_;
  int64_t pitch_;
};

}  // namespace avo
