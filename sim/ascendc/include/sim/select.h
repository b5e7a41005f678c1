// SPDX-License-Identifier: Apache-2.0
// Selections by packed bits. The instruction takes what it needs beside its tensors from the register
// CMPMASK:
//
//   mode                       CMPMASK holds               the bits that select
//   VSEL_CMPMASK_SPR           the bits of one repeat      CMPMASK, the same ones for all repeats
//   VSEL_TENSOR_SCALAR_MODE    the scalar                  selMask in UB, a bit for each lane of all repeats
//   VSEL_TENSOR_TENSOR_MODE    the address of selMask      selMask in UB, a bit for each lane of all repeats
//
// The register is loaded from UB alone. So in the last two modes CANN's Select first writes the scalar or the
// address to a place in UB of its own, the scratch:
//
//   Duplicate to the scratch → PipeBarrier<PIPE_V> → SetCmpMask from it → PipeBarrier<PIPE_V> → Select
#pragma once

#include "../../engine/queues.h"
#include "../kernel_operator_vec_duplicate_intf.h"
#include "compare.h"

namespace sim {

using AscendC::SELMODE;

// The place that CANN takes for the scratch on Atlas A2, and its elements.
constexpr uint32_t kSelectScratch = 184 * 1024, kSelectScratchElements = 32;

// Loads the register CMPMASK.
inline void SetCompareMask(const Operand &operand, const LocalTensorBase &src, Where where) {
  VectorOp op("SetCmpMask", 4, where);
  op.Add(operand, src);
  op.IssueWith([&](Flows &flows) {
    flows.Define({kRegisterFile, kCompareMaskAt, 16});
    flows.Move({kRegisterFile, kCompareMaskAt, operand.row_bytes}, BitsOf(src, 0, operand.row_bytes));
  });
  op.core().registers.compare_mask = {};
  std::memcpy(op.core().registers.compare_mask.data(), Pointer<uint8_t>(op.core(), src), operand.row_bytes);
}
// Takes as many of the 16 bytes as the tensor has: the address of a selMask has 8.
inline void SetCompareMask(const LocalTensorBase &src, Where where) {
  Operand operand = Run("src", src, false, std::min<uint64_t>(16, src.bytes));
  operand.alignment = 16;
  SetCompareMask(operand, src, where);
}

// Loads the register CMPMASK with copies of `value`, through the scratch. A device that tests have given a
// smaller Unified Buffer has no such place.
template <typename T>
void FillCompareMask(T value, Where where) {
  Core &core = Core::Current();
  constexpr uint64_t kEnd = kSelectScratch + kSelectScratchElements * sizeof(T);
  if (core.BytesOf(Space::UB) < kEnd) {
    std::array<T, 16 / sizeof(T)> copies;
    copies.fill(value);
    std::memcpy(core.registers.compare_mask.data(), copies.data(), 16);
    return;
  }
  if (const uint64_t taken = core.queues().Allocated(Space::UB); taken > kSelectScratch) {
    core.Fail(FaultKind::kUbCapacity, "Select", where,
              "with this selMode it writes UB bytes [" + std::to_string(kSelectScratch) + ", " +
                  std::to_string(kEnd) + "), but the kernel's buffers take " + std::to_string(taken) +
                  " bytes; leave 8 KiB at the end of the Unified Buffer to it");
  }
  const LocalTensor<T> scratch(AscendC::TPosition::VECCALC, kSelectScratch, kSelectScratchElements);
  Duplicate(scratch, value, Level0<uint64_t>{true, kSelectScratchElements, 1, {Strides()}}, where);
  core.Barrier(Pipe::V, where);
  SetCompareMask(scratch, where);
  core.Barrier(Pipe::V, where);
}

// The bits that select: those of one repeat for all repeats, or a bit for each lane of all.
struct Selector {
  const uint8_t *bits;
  bool per_repeat;
  LocalTensorBase tensor;  // per_repeat: selMask; otherwise the bits are those of CMPMASK
  uint32_t Bit(uint32_t r, uint32_t lane, uint32_t lanes) const {
    return (per_repeat ? r * lanes : 0) + lane;
  }
  bool Chosen(uint32_t r, uint32_t lane, uint32_t lanes) const {
    const uint32_t bit = Bit(r, lane, lanes);
    return ((bits[bit / 8] >> (bit % 8)) & 1U) != 0;
  }
  BitRange BitsOf(uint32_t bit) const {
    const auto of_byte = static_cast<uint8_t>(1U << bit % 8);
    if (!per_repeat) return {kRegisterFile, kCompareMaskAt + bit / 8, 1, of_byte};
    return sim::BitsOf(tensor, bit / 8, 1, of_byte);
  }
};

inline Selector ByTensor(Core &core, const LocalTensorBase &mask) {
  return {Pointer<uint8_t>(core, mask), true, mask};
}
inline Selector ByRegister(const Core &core) {
  return {reinterpret_cast<const uint8_t *>(core.registers.compare_mask.data()), false, {}};
}

// A result depends on the bit that selects, and on the source that it selects. right(r, lane) is the part of
// src1.
template <typename T, typename Right>
void FlowSelected(const VectorOp &op, Flows &flows, const Lanes<T> &to, const Lanes<T> &left,
                  const Selector &selector, Right right) {
  ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
    const BitRange result = VectorOp::BitsOf(to, r, lane);
    flows.Depend(result, selector.BitsOf(selector.Bit(r, lane, op.lanes())));
    flows.Depend(result,
                 selector.Chosen(r, lane, op.lanes()) ? VectorOp::BitsOf(left, r, lane) : right(r, lane));
  });
}

template <typename T, typename Right>
void SelectLanes(const VectorOp &op, Lanes<T> to, Lanes<T> left, const Selector &selector, Right right) {
  for (uint32_t r = 0; r < op.repeats(); ++r) {
    for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
      if (op.counted() || op.Active(lane)) {
        *to.At(r, lane) = selector.Chosen(r, lane, op.lanes()) ? *left.At(r, lane) : right(r, lane);
      }
    }
  }
}

// selMask with a bit for each lane of all repeats.
inline Operand SelectMask(const VectorOp &op, const LocalTensorBase &mask) {
  const uint64_t lanes = op.counted() ? op.active() : op.lanes() * op.repeats();
  return Run("selMask", mask, false, CeilDivide(std::max<uint64_t>(lanes, 8), 8));
}

// The instruction between two tensors by a selMask in UB.
template <typename T, typename Level>
void SelectByMask(const LocalTensor<T> &dst, const LocalTensorBase &mask, const LocalTensor<T> &src0,
                  const LocalTensor<T> &src1, const Level &level, Where where) {
  static_assert(kOneOf<T, half, float>, "Select: element type not available on Atlas A2");
  VectorOp op("Select", sizeof(T), where);
  if (!level.Apply(op)) return;
  Core &core = op.core();
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Share(Sharing::kNone);
  op.Add(SelectMask(op, mask), mask);
  op.Share(Sharing::kInPlace);
  auto left = op.Read<T>("src0", src0, level.template Of<T>(op, 1));
  auto right = op.Read<T>("src1", src1, level.template Of<T>(op, 2));
  op.IssueWith([&](Flows &flows) {
    FlowSelected(op, flows, to, left, ByTensor(core, mask),
                 [&](uint32_t r, uint32_t lane) { return op.BitsOf(right, r, lane); });
  });
  right.Resolve(core);
  SelectLanes(op, to.Resolve(core), left.Resolve(core), ByTensor(core, mask),
              [&](uint32_t r, uint32_t lane) { return *right.At(r, lane); });
}

// The instruction where CMPMASK holds the bits.
template <typename T, typename Level>
void SelectByBits(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                  const Level &level, Where where) {
  static_assert(kOneOf<T, half, float>, "Select: element type not available on Atlas A2");
  VectorOp op("Select", sizeof(T), where);
  if (!level.Apply(op)) return;
  Core &core = op.core();
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  auto left = op.Read<T>("src0", src0, level.template Of<T>(op, 1));
  auto right = op.Read<T>("src1", src1, level.template Of<T>(op, 2));
  op.IssueWith([&](Flows &flows) {
    FlowSelected(op, flows, to, left, ByRegister(core),
                 [&](uint32_t r, uint32_t lane) { return op.BitsOf(right, r, lane); });
  });
  right.Resolve(core);
  SelectLanes(op, to.Resolve(core), left.Resolve(core), ByRegister(core),
              [&](uint32_t r, uint32_t lane) { return *right.At(r, lane); });
}

// The instruction between two tensors, by the bits in CMPMASK or by a selMask of which CMPMASK holds the
// address. Nobody says how long that is.
template <typename T, typename Level>
void SelectByRegister(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                      SELMODE mode, const Level &level, Where where) {
  if (mode != SELMODE::VSEL_TENSOR_TENSOR_MODE) return SelectByBits(dst, src0, src1, level, where);
  Core &core = Core::Current();
  core.ReadRegisters("Select", where, kCompareMaskAt, sizeof(uint32_t));
  LocalTensorBase mask;
  mask.address = static_cast<uint32_t>(core.registers.compare_mask[0]);
  mask.bytes = core.BytesOf(Space::UB) - std::min(core.BytesOf(Space::UB), mask.address);
  SelectByMask(dst, mask, src0, src1, level, where);
}

// The instruction between a tensor and the scalar in CMPMASK.
template <typename T, typename Level>
void SelectRegisterScalar(const LocalTensor<T> &dst, const LocalTensorBase &mask, const LocalTensor<T> &src0,
                          const Level &level, Where where) {
  static_assert(kOneOf<T, half, float>, "Select: element type not available on Atlas A2");
  VectorOp op("Select", sizeof(T), where);
  if (!level.Apply(op)) return;
  Core &core = op.core();
  auto to = op.Write<T>("dst", dst, level.template Of<T>(op, 0));
  op.Share(Sharing::kNone);
  op.Add(SelectMask(op, mask), mask);
  op.Share(Sharing::kInPlace);
  auto left = op.Read<T>("src0", src0, level.template Of<T>(op, 1));
  op.IssueWith([&](Flows &flows) {
    FlowSelected(op, flows, to, left, ByTensor(core, mask),
                 [&](uint32_t, uint32_t) { return BitRange{kRegisterFile, kCompareMaskAt, sizeof(T)}; });
  });
  T scalar;
  std::memcpy(&scalar, core.registers.compare_mask.data(), sizeof(T));
  SelectLanes(op, to.Resolve(core), left.Resolve(core), ByTensor(core, mask),
              [=](uint32_t, uint32_t) { return scalar; });
}

// Select with a tensor src1: the instructions that CANN makes of it. With a count it ends with a barrier.
template <typename T, typename U, typename Level>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
            const LocalTensor<T> &src1, SELMODE mode, const Level &level, Where where) {
  static_assert(kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>, "Select: selMask must be unsigned");
  Core &core = Core::Current();
  if (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE) {
    core.Fail(FaultKind::kOther, "Select", where,
              "selMode must be VSEL_CMPMASK_SPR or VSEL_TENSOR_TENSOR_MODE with a tensor src1");
  }
  if (mode == SELMODE::VSEL_CMPMASK_SPR) {
    SetCompareMask(Run("selMask", mask, false, kRepeatBytes / sizeof(T) / 8), mask, where);
    core.Barrier(Pipe::V, where);
    SelectByBits(dst, src0, src1, level, where);
  } else {
    FillCompareMask(static_cast<uint32_t>(mask.address), where);
    SelectByMask(dst, mask, src0, src1, level, where);
  }
  if (std::is_same_v<Level, Level2>) core.Barrier(Pipe::V, where);
}

template <typename T, typename U, typename Level>
void SelectScalar(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0, T src1,
                  SELMODE mode, const Level &level, Where where) {
  static_assert(kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>, "Select: selMask must be unsigned");
  if (mode != SELMODE::VSEL_TENSOR_SCALAR_MODE) {
    Core::Current().Fail(FaultKind::kOther, "Select", where,
                         "selMode must be VSEL_TENSOR_SCALAR_MODE with a scalar src1");
  }
  FillCompareMask(src1, where);
  SelectRegisterScalar(dst, mask, src0, level, where);
}

}  // namespace sim
