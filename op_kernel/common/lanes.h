// SPDX-License-Identifier: Apache-2.0
// Rows as vector lanes. Sixteen rows of a tile are transposed so that position x of all of them is one 64 B
// line of float32; shifts, strides and halos along the rows are then whole data blocks, and no element is
// ever gathered. TransDataTo5HD runs at full vector speed (64 floats a cycle), Gather at 5 elements a cycle.
#pragma once

#include "row_copy.h"

namespace avo {

constexpr uint32_t kLanes = 16;          // rows that TransDataTo5HD takes at once
constexpr uint32_t kPositionBlocks = 2;  // data blocks of a position: 16 lanes of float32
constexpr uint32_t kTransposeStep = 16;  // positions that a transposition back to rows writes at once
constexpr uint32_t kMaxLaneStep = 15;    // a repeat stride of 16 x step blocks is a uint8_t

// The 2-byte types are transposed as half, bit for bit: TransDataTo5HD knows no bfloat16_t.
template <typename T>
__aicore__ inline AscendC::LocalTensor<half> AsHalf(const AscendC::LocalTensor<T> &tensor) {
  return tensor.template ReinterpretCast<half>();
}

// lanes[x][r] = rows[r][x] for x < count, rounded up to a block of row elements. `staging` holds the
// transposed 2-byte elements before they are widened; float32 needs none. Lanes of absent rows repeat the
// last row.
template <typename T>
__aicore__ inline void RowsToLanes(const AscendC::LocalTensor<float> &lanes,
                                   const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   uint32_t row_count, uint32_t count,
                                   const AscendC::LocalTensor<T> &staging) {
  constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  const uint32_t repeats = (count + kLane - 1) / kLane;
  uint64_t sources[kLanes], targets[kLanes];
  for (uint32_t r = 0; r < kLanes; ++r) {
    sources[r] =
        reinterpret_cast<uint64_t>(rows[(r < row_count ? r : row_count - 1) * row_stride].GetPhyAddr());
  }
  // One repeat strides need a value only where there are several.
  const AscendC::TransDataTo5HDParams params(false, false, static_cast<uint8_t>(repeats),
                                             repeats > 1 ? static_cast<uint16_t>(kLanes) : 0,
                                             repeats > 1 ? 1 : 0);
  if constexpr (sizeof(T) == sizeof(float)) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      targets[m] = reinterpret_cast<uint64_t>(lanes[m * kLane].GetPhyAddr());
    }
    AscendC::TransDataTo5HD<float>(targets, sources, params);
  } else {
    for (uint32_t m = 0; m < kLanes; ++m) {
      targets[m] = reinterpret_cast<uint64_t>(staging[m * kLanes].GetPhyAddr());
    }
    AscendC::TransDataTo5HD<half>(targets, sources, params);
    AscendC::Cast(lanes, staging, AscendC::RoundMode::CAST_NONE, repeats * kLane * kLanes);
  }
}

// rows[r][x] = lanes[x][r] for x < count, rounded up to kTransposeStep positions, which `lanes` must hold.
template <typename T>
__aicore__ inline void LanesToRows(const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   const AscendC::LocalTensor<float> &lanes, uint32_t count,
                                   const AscendC::LocalTensor<T> &staging) {
  constexpr uint32_t kLane = kBlockBytes / sizeof(T);
  const uint32_t repeats = (count + kTransposeStep - 1) / kTransposeStep;
  uint64_t sources[kLanes], targets[kLanes];
  if constexpr (sizeof(T) == sizeof(float)) {
    // Eight lanes a time: a 4-byte transposition turns 16 positions x 8 lanes into 8 rows of two blocks.
    const AscendC::TransDataTo5HDParams params(
        false, false, static_cast<uint8_t>(repeats),
        repeats > 1 ? static_cast<uint16_t>(kTransposeStep / kLane) : 0,
        repeats > 1 ? static_cast<uint16_t>(kTransposeStep * kPositionBlocks) : 0);
    for (uint32_t half_of_lanes = 0; half_of_lanes < kPositionBlocks; ++half_of_lanes) {
      for (uint32_t m = 0; m < kTransposeStep; ++m) {
        sources[m] = reinterpret_cast<uint64_t>(lanes[m * kLanes + half_of_lanes * kLane].GetPhyAddr());
        targets[m] = reinterpret_cast<uint64_t>(
            rows[(half_of_lanes * kLane + m / 2) * row_stride + m % 2 * kLane].GetPhyAddr());
      }
      AscendC::TransDataTo5HD<float>(targets, sources, params);
    }
  } else {
    AscendC::Cast(staging, lanes, AscendC::RoundMode::CAST_RINT, repeats * kTransposeStep * kLanes);
    const AscendC::TransDataTo5HDParams params(false, false, static_cast<uint8_t>(repeats),
                                               repeats > 1 ? 1 : 0,
                                               repeats > 1 ? static_cast<uint16_t>(kTransposeStep) : 0);
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = reinterpret_cast<uint64_t>(staging[m * kLanes].GetPhyAddr());
      targets[m] = reinterpret_cast<uint64_t>(rows[m * row_stride].GetPhyAddr());
    }
    AscendC::TransDataTo5HD<half>(targets, sources, params);
  }
}

// A strided run of positions in a lanes tensor.
struct LaneRun {
  AscendC::LocalTensor<float> lanes;
  uint32_t first;  // position
  uint32_t step;   // positions, <= kMaxLaneStep
};

enum class LaneOp : uint8_t {
  kMuls,  // target = source * scalar
  kAxpy,  // target += source * scalar
};

// Applies OP to `count` positions of all lanes.
template <LaneOp OP>
__aicore__ inline void ApplyLanes(const LaneRun &target, const LaneRun &source, float scalar,
                                  uint32_t count) {
  constexpr uint32_t kLane = kBlockBytes / sizeof(float);
  constexpr uint32_t kRepeatPositions = 8;  // a repeat is eight blocks, here of eight positions
  constexpr uint32_t kMaxRepeats = 255;
  const AscendC::UnaryRepeatParams strides(
      static_cast<uint16_t>(target.step * kPositionBlocks),
      static_cast<uint16_t>(source.step * kPositionBlocks),
      static_cast<uint8_t>(target.step * kPositionBlocks * kRepeatPositions),
      static_cast<uint8_t>(source.step * kPositionBlocks * kRepeatPositions));
  uint32_t done = 0;
  while (done < count) {
    // Whole repeats first, then the rest under a mask.
    const uint32_t whole = (count - done) / kRepeatPositions;
    const uint32_t repeats = whole == 0 ? 1 : (whole < kMaxRepeats ? whole : kMaxRepeats);
    const uint32_t positions = whole == 0 ? count - done : repeats * kRepeatPositions;
    const uint64_t mask = (whole == 0 ? positions : kRepeatPositions) * kLane;
    for (uint32_t half_of_lanes = 0; half_of_lanes < kPositionBlocks; ++half_of_lanes) {
      const uint32_t lane = half_of_lanes * kLane;
      const auto to = target.lanes[(target.first + done * target.step) * kLanes + lane];
      const auto from = source.lanes[(source.first + done * source.step) * kLanes + lane];
      if constexpr (OP == LaneOp::kMuls) {
        AscendC::Muls(to, from, scalar, mask, static_cast<uint8_t>(repeats), strides);
      } else {
        AscendC::Axpy(to, from, scalar, mask, static_cast<uint8_t>(repeats), strides);
      }
    }
    done += positions;
  }
}

}  // namespace avo
