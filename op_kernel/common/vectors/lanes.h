// SPDX-License-Identifier: Apache-2.0
// Rows as vector lanes. Sixteen rows of a tile are transposed, so that each row becomes a lane, and position
// x of all rows becomes one slot: 16 elements of float32, 64 bytes.
//
//   rows    a0 a1 a2 a3 …        slots    a0 b0 c0 … | a1 b1 c1 … | a2 b2 c2 … | …
//           b0 b1 b2 b3 …                 slot 0       slot 1       slot 2
//           c0 c1 c2 c3 …
//
// A shift along a row is then another address. Where a kernel takes every second or every third position,
// slots are dealt out to planes (LanePlanes), so that a stride along a row is a run of slots:
//
//   2 planes    plane 0: x0 x2 x4 … | plane 1: x1 x3 x5 …
//
// So no element is ever gathered. TransDataTo5HD runs at full vector speed, 64 floats a cycle, while Gather
// takes 5 elements a cycle.
//
// TransDataTo5HD gets its operands as addresses. The compiler synchronises calls on tensors alone, so that it
// orders nothing before or after a transposition:
//
//   what wrote its sources or targets   | barrier |   transpositions   | barrier |   who uses its targets
//
// The functions below set both barriers, but for the two that transpose one group of 16 rows. Transpositions
// of one kind write different places, so that they need no barrier between them.
#pragma once

#include "../copies/row_copy.h"

namespace avo {

constexpr uint32_t kLanes = 16;         // rows that TransDataTo5HD transposes at once
constexpr uint32_t kSlotBlocks = 2;     // data blocks of a slot: 16 lanes of float32
constexpr uint32_t kRowPositions = 16;  // positions that a transposition back to rows writes at once

constexpr uint32_t kMaxPlanes = 31;

// Slots that are dealt out to planes. Position x is slot x / planes of plane x % planes.
struct LanePlanes {
  AscendC::LocalTensor<float> lanes;
  uint32_t planes;                // how many
  uint32_t pitch;                 // slots from plane to plane
  uint8_t skew[kMaxPlanes] = {};  // slots that are left free at the start of each plane (OppositeSkew)

  // Offset in elements of slot `slot` of plane `plane`.
  __aicore__ inline uint32_t SlotOffset(uint32_t plane, uint32_t slot) const {
    return (plane * pitch + skew[plane] + slot) * kLanes;
  }
  __aicore__ inline uint32_t Offset(uint32_t position) const {
    return SlotOffset(position % planes, position / planes);
  }
  __aicore__ inline AscendC::LocalTensor<float> At(uint32_t position) const {
    return lanes[Offset(position)];
  }
  // How many slots of a plane belong to positions before `position`.
  __aicore__ inline uint32_t SlotsBefore(uint32_t plane, uint32_t position) const {
    return (position + planes - 1 - plane) / planes;
  }
};

template <typename T>
__aicore__ inline uint64_t AddressOf(const AscendC::LocalTensor<T> &tensor, uint32_t offset) {
  return reinterpret_cast<uint64_t>(tensor[offset].GetPhyAddr());
}

// Returns by how many slots to move a run at address `own` so that one instruction reads it and a run at
// address `other` at the same time. A repeat reads eight of the 16 bank groups of UB. Two runs do not wait
// for each other where they use opposite halves of the groups, so they have to be four slots apart, modulo
// eight.
__aicore__ inline uint8_t OppositeSkew(uint64_t own, uint64_t other) {
  constexpr uint64_t kSlotBytes = kLanes * sizeof(float);
  constexpr uint64_t kGroupSlots = 8;  // slots after which bank groups repeat
  return static_cast<uint8_t>((other / kSlotBytes - own / kSlotBytes + kGroupSlots / 2) % kGroupSlots);
}

// A kernel transposes `step` positions at a time, a power of two. Returns after how many transpositions the
// first position is in the same plane again. The transpositions of one cycle differ; each of them repeats
// cycle by cycle.
__aicore__ inline uint32_t PlaneCycle(uint32_t planes, uint32_t step) {
  const uint32_t power = planes & (~planes + 1);
  return planes / (power < step ? power : step);
}

// Orders vector instructions before and after transpositions.
__aicore__ inline void TransposeBarrier() { AscendC::PipeBarrier<PIPE_V>(); }

// Issues one TransDataTo5HD. The strides, in data blocks from repeat to repeat, count where there are several
// repeats.
template <typename T>
__aicore__ inline void Transpose16(uint64_t (&targets)[kLanes], uint64_t (&sources)[kLanes], uint32_t repeats,
                                   uint32_t target_blocks, uint32_t source_blocks) {
  const AscendC::TransDataTo5HDParams params(false, false, static_cast<uint8_t>(repeats),
                                             static_cast<uint16_t>(repeats > 1 ? target_blocks : 0),
                                             static_cast<uint16_t>(repeats > 1 ? source_blocks : 0));
  // The 2-byte types are transposed as half, bit for bit: TransDataTo5HD knows no bfloat16_t.
  if constexpr (sizeof(T) == sizeof(float)) {
    AscendC::TransDataTo5HD<float>(targets, sources, params);
  } else {
    AscendC::TransDataTo5HD<half>(targets, sources, params);
  }
}

// Transposes rows into slots: position first + x of `to` gets element x of every row, for x < count rounded
// up to a data block of T. There are row_count <= 16 rows, `row_stride` elements apart; the lanes after them
// repeat the last row. `staging` holds elements of 2 bytes between the transposition and the conversion to
// float32.
template <typename T>
__aicore__ inline void RowsToLanes(const LanePlanes &to, uint32_t first, const AscendC::LocalTensor<T> &rows,
                                   uint32_t row_stride, uint32_t row_count, uint32_t count,
                                   const AscendC::LocalTensor<T> &staging) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(T);
  constexpr uint32_t kBlocks = kSlotBlocks * sizeof(T) / sizeof(float);
  const uint32_t steps = (count + kStep - 1) / kStep;
  const uint32_t cycle = PlaneCycle(to.planes, kStep);
  uint64_t sources[kLanes], targets[kLanes];
  TransposeBarrier();
  for (uint32_t c = 0; c < cycle && c < steps; ++c) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = AddressOf(rows, (m < row_count ? m : row_count - 1) * row_stride + c * kStep);
      // A position takes kBlocks consecutive targets.
      const uint32_t offset = to.Offset(first + c * kStep + m / kBlocks) + m % kBlocks * kStep;
      if constexpr (sizeof(T) == sizeof(float)) {
        targets[m] = AddressOf(to.lanes, offset);
      } else {
        targets[m] = AddressOf(staging, offset);
      }
    }
    Transpose16<T>(targets, sources, (steps - c + cycle - 1) / cycle, kStep * cycle / to.planes * kBlocks,
                   cycle);
  }
  TransposeBarrier();
  if constexpr (sizeof(T) != sizeof(float)) {
    for (uint32_t plane = 0; plane < to.planes; ++plane) {
      const uint32_t begin = to.SlotsBefore(plane, first);
      const uint32_t end = to.SlotsBefore(plane, first + steps * kStep);
      const uint32_t offset = to.SlotOffset(plane, begin);
      if (end > begin) {
        AscendC::Cast(to.lanes[offset], staging[offset], AscendC::RoundMode::CAST_NONE,
                      (end - begin) * kLanes);
      }
    }
  }
}

// Transposes slots back into rows: element x of every row gets position first + x of `from`, for x < count
// rounded up to kRowPositions. All of these positions must have been written.
template <typename T>
__aicore__ inline void LanesToRows(const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   const LanePlanes &from, uint32_t first, uint32_t count,
                                   const AscendC::LocalTensor<T> &staging) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(T);
  constexpr uint32_t kBlocks = kSlotBlocks * sizeof(T) / sizeof(float);
  const uint32_t steps = (count + kRowPositions - 1) / kRowPositions;
  const uint32_t cycle = PlaneCycle(from.planes, kRowPositions);
  if constexpr (sizeof(T) != sizeof(float)) {
    for (uint32_t plane = 0; plane < from.planes; ++plane) {
      const uint32_t begin = from.SlotsBefore(plane, first);
      const uint32_t end = from.SlotsBefore(plane, first + steps * kRowPositions);
      const uint32_t offset = from.SlotOffset(plane, begin);
      if (end > begin) {
        AscendC::Cast(staging[offset], from.lanes[offset], AscendC::RoundMode::CAST_RINT,
                      (end - begin) * kLanes);
      }
    }
  }
  uint64_t sources[kLanes], targets[kLanes];
  TransposeBarrier();
  for (uint32_t c = 0; c < cycle && c < steps; ++c) {
    // A data block holds 16 elements of 2 bytes, or 8 of 4 bytes. The latter take two transpositions of 8
    // lanes, and each row takes two blocks.
    for (uint32_t part = 0; part < kBlocks; ++part) {
      for (uint32_t m = 0; m < kRowPositions; ++m) {
        const uint32_t offset = from.Offset(first + c * kRowPositions + m) + part * kStep;
        if constexpr (sizeof(T) == sizeof(float)) {
          sources[m] = AddressOf(from.lanes, offset);
        } else {
          sources[m] = AddressOf(staging, offset);
        }
        targets[m] = AddressOf(
            rows, (part * kStep + m / kBlocks) * row_stride + c * kRowPositions + m % kBlocks * kStep);
      }
      Transpose16<T>(targets, sources, (steps - c + cycle - 1) / cycle, cycle * kBlocks,
                     kRowPositions * cycle / from.planes * kBlocks);
    }
  }
  TransposeBarrier();
}

// Transposes 16 rows into slots of their own type: element x of the rows becomes slot x, for x < count
// rounded up to a data block of T. Slots start `width` elements apart. Lanes after row_count repeat the last
// row. The caller sets the barriers.
template <typename T>
__aicore__ inline void GroupToSlots(const AscendC::LocalTensor<T> &slots, uint32_t width,
                                    const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                    uint32_t row_count, uint32_t count) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(T);
  constexpr uint32_t kBlocks = kLanes / kStep;
  uint64_t sources[kLanes], targets[kLanes];
  for (uint32_t m = 0; m < kLanes; ++m) {
    sources[m] = AddressOf(rows, (m < row_count ? m : row_count - 1) * row_stride);
    targets[m] = AddressOf(slots, m / kBlocks * width + m % kBlocks * kStep);
  }
  Transpose16<T>(targets, sources, (count + kStep - 1) / kStep, width, 1);
}

// Transposes rows, group by group. A slot has a lane for each row, rounded up to 16.
template <typename T>
__aicore__ inline void RowsToSlots(const AscendC::LocalTensor<T> &slots, uint32_t width,
                                   const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   uint32_t row_count, uint32_t count) {
  TransposeBarrier();
  for (uint32_t lane = 0; lane < row_count; lane += kLanes) {
    GroupToSlots(slots[lane], width, rows[lane * row_stride], row_stride,
                 row_count - lane < kLanes ? row_count - lane : kLanes, count);
  }
  TransposeBarrier();
}

// Transposes 16 lanes of such slots back into rows, for x < count rounded up to kRowPositions. The caller sets
// the barriers.
template <typename T>
__aicore__ inline void GroupToRows(const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   const AscendC::LocalTensor<T> &slots, uint32_t width, uint32_t count) {
  constexpr uint32_t kStep = kBlockBytes / sizeof(T);
  constexpr uint32_t kBlocks = kLanes / kStep;
  uint64_t sources[kLanes], targets[kLanes];
  for (uint32_t part = 0; part < kBlocks; ++part) {
    for (uint32_t m = 0; m < kLanes; ++m) {
      sources[m] = AddressOf(slots, m * width + part * kStep);
      targets[m] = AddressOf(rows, (part * kStep + m / kBlocks) * row_stride + m % kBlocks * kStep);
    }
    Transpose16<T>(targets, sources, (count + kRowPositions - 1) / kRowPositions, kBlocks, kBlocks * width);
  }
}

// Transposes slots back into rows, group by group: row_count rows, rounded up to 16.
template <typename T>
__aicore__ inline void SlotsToRows(const AscendC::LocalTensor<T> &rows, uint32_t row_stride,
                                   const AscendC::LocalTensor<T> &slots, uint32_t width, uint32_t row_count,
                                   uint32_t count) {
  TransposeBarrier();
  for (uint32_t lane = 0; lane < row_count; lane += kLanes) {
    GroupToRows(rows[lane * row_stride], row_stride, slots[lane], width, count);
  }
  TransposeBarrier();
}

// Sets positions [begin, end) to `value`.
__aicore__ inline void FillLanes(const LanePlanes &of, uint32_t begin, uint32_t end, float value) {
  for (uint32_t plane = 0; plane < of.planes; ++plane) {
    const uint32_t slot = of.SlotsBefore(plane, begin), slots = of.SlotsBefore(plane, end) - slot;
    if (slots > 0) AscendC::Duplicate(of.lanes[of.SlotOffset(plane, slot)], value, slots * kLanes);
  }
}

__aicore__ inline void ZeroLanes(const LanePlanes &of, uint32_t begin, uint32_t end) {
  FillLanes(of, begin, end, 0.0f);
}

}  // namespace avo
