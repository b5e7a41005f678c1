// SPDX-License-Identifier: Apache-2.0
// All boxes in UB in the order of the input, from which any are fetched as planes by their indices. The
// vector unit gathers five elements in a cycle; a copy from GM for each box would take 20 cycles.
#pragma once

#include "iou.h"
#include "strip_buffers.h"

namespace avo {

template <typename T, bool CLASSES>
class LoadedBoxes {
 public:
  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR boxes, GM_ADDR classes, const StripSizes &sizes, const Tiling &tiling,
                              AscendC::TPipe *pipe) {
    offset_ = tiling.offset;
    absolute_ = tiling.ratio != 0.0f;
    count_ = static_cast<uint32_t>(sizes.boxes);
    const LoadedBoxesBuffers buffers(sizes);
    pipe->InitBuffer(boxes_, buffers.boxes.bytes);
    boxes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(boxes), count_ * kCorners);
    if constexpr (CLASSES) {
      pipe->InitBuffer(classes_, buffers.classes.bytes);
      classes_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(classes), count_ * kHalves);
    }
  }

  // Begins to load all boxes. Returns the index of one that is NaN: it neither suppresses nor is suppressed.
  __aicore__ inline uint32_t Load() {
    const auto nan = static_cast<uint32_t>(LoadedBoxesBuffers::NanBox(count_));
    constexpr auto kBoxes = static_cast<uint32_t>(LoadedBoxesBuffers::kNanBoxes);
    FillNan(boxes_.template Get<T>()[nan * kCorners], kBoxes * kCorners);
    LoadAll(boxes_.template Get<T>(), boxes_gm_, count_ * kCorners);
    if constexpr (CLASSES) {
      FillNan(classes_.template Get<float>()[nan * kHalves], kBoxes * kHalves);
      LoadAll(classes_.template Get<float>(), classes_gm_, count_ * kHalves);
    }
    return nan;
  }

  // Fills planes with the `count` boxes of these indices. All boxes are loaded. scratch: two rows of
  // elements.
  __aicore__ inline void Fetch(const BoxPlanes &to, const AscendC::LocalTensor<uint32_t> &indices,
                               uint32_t count, const AscendC::LocalTensor<uint32_t> &scratch) {
    constexpr uint32_t kShift = sizeof(T) == sizeof(float) ? 4 : 3;  // a box has 16 bytes or 8
    const auto &offsets = scratch;
    const auto corners = scratch[RoundUp(count, kRowGroup)];
    AscendC::ShiftLeft(offsets, indices, kShift, static_cast<int32_t>(count));
    for (uint32_t c = 0; c < kCorners; ++c) {
      if constexpr (std::is_same_v<T, float>) {
        AscendC::Gather(to[c], boxes_.template Get<T>(), offsets, c * sizeof(T), count);
      } else {
        AscendC::Gather(corners.template ReinterpretCast<T>(), boxes_.template Get<T>(), offsets,
                        c * sizeof(T), count);
        AscendC::Cast(to[c], corners.template ReinterpretCast<T>(), AscendC::RoundMode::CAST_NONE, count);
      }
    }
    BoxAreas(to, corners.template ReinterpretCast<float>(), offset_, count, absolute_);
    if constexpr (CLASSES) {
      AscendC::ShiftLeft(offsets, indices, 3U, static_cast<int32_t>(count));
      for (uint32_t half = 0; half < kHalves; ++half) {
        AscendC::Gather(to[kClassLow + half], classes_.template Get<float>(), offsets, half * sizeof(float),
                        count);
      }
    }
  }

 private:
  static constexpr uint32_t kCorners = 4, kHalves = 2;
  static constexpr uint32_t kRowGroup = 8;  // elements of a data block

  template <typename E>
  __aicore__ inline void LoadAll(const AscendC::LocalTensor<E> &to, const AscendC::GlobalTensor<E> &gm,
                                 uint32_t count) {
    CopyRowsIn(to, RoundUp(count, kBlockBytes / sizeof(E)), gm, 0, 0, 1, count);
  }

  // All bits set are NaN in each type.
  template <typename E>
  __aicore__ inline void FillNan(const AscendC::LocalTensor<E> &to, uint32_t count) {
    AscendC::Duplicate(to.template ReinterpretCast<uint16_t>(), static_cast<uint16_t>(0xffff),
                       static_cast<int32_t>(count * (sizeof(E) / sizeof(uint16_t))));
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> boxes_, classes_;
  AscendC::GlobalTensor<T> boxes_gm_;
  AscendC::GlobalTensor<float> classes_gm_;
  uint32_t count_;
  float offset_;
  bool absolute_;  // of areas
};

}  // namespace avo
