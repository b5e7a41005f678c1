// SPDX-License-Identifier: Apache-2.0
// Comparisons, which give packed bits.
#pragma once

#include "../kernel_struct_binary.h"
#include "../kernel_struct_unary.h"
#include "vector_op.h"

namespace sim {

using AscendC::CMPMODE;
using AscendC::LocalTensor;

// Every comparison with a NaN is false, NE too. The documentation says so, and that IEEE 754 differs.
template <CMPMODE mode, typename T>
bool Holds(T a, T b) {
  switch (mode) {
    case CMPMODE::LT:
      return a < b;
    case CMPMODE::GT:
      return a > b;
    case CMPMODE::EQ:
      return a == b;
    case CMPMODE::LE:
      return a <= b;
    case CMPMODE::GE:
      return a >= b;
    case CMPMODE::NE:
      return (a < b) | (a > b);
  }
  return false;
}

template <typename F>
void WithMode(CMPMODE mode, F function) {
  switch (mode) {
    case CMPMODE::LT:
      return function(std::integral_constant<CMPMODE, CMPMODE::LT>());
    case CMPMODE::GT:
      return function(std::integral_constant<CMPMODE, CMPMODE::GT>());
    case CMPMODE::EQ:
      return function(std::integral_constant<CMPMODE, CMPMODE::EQ>());
    case CMPMODE::LE:
      return function(std::integral_constant<CMPMODE, CMPMODE::LE>());
    case CMPMODE::GE:
      return function(std::integral_constant<CMPMODE, CMPMODE::GE>());
    case CMPMODE::NE:
      return function(std::integral_constant<CMPMODE, CMPMODE::NE>());
  }
}

template <typename T>
void CheckCompare(const char *name, CMPMODE mode, Where where) {
  static_assert(kOneOf<T, half, float, int32_t>, "Compare: element type not available on Atlas A2");
  if (std::is_same_v<T, int32_t> && mode != CMPMODE::EQ) {
    Core::Current().Fail(FaultKind::kType, name, where, "cmpMode must be EQ for int32_t on Atlas A2");
  }
}

template <typename T>
int64_t CheckCompareCount(const char *name, uint32_t count, Where where) {
  if (static_cast<uint64_t>(count) * sizeof(T) % kRepeatBytes != 0) {
    FailRange(Core::Current(), FaultKind::kCount_, name, where, "count * sizeof(T)",
              "a multiple of 256 bytes, the rest is not computed", static_cast<int64_t>(count * sizeof(T)));
  }
  return count;
}

// The packed results of a whole instruction: a bit for each lane, repeat after repeat. Bits of the last byte
// behind the last lane become 0.
template <typename T, typename Right>
void CompareBits(VectorOp &op, uint8_t *bits, Lanes<T> left, CMPMODE mode, Right right) {
  WithMode(mode, [&](auto constant) {
    for (uint32_t r = 0; r < op.repeats(); ++r) {
      const uint32_t lanes = op.LanesOf(r);
      for (uint32_t lane = 0; lane < lanes; lane += 8) {
        uint32_t packed = 0;
        for (uint32_t i = 0; i < std::min(8U, lanes - lane); ++i) {
          packed |= static_cast<uint32_t>(
                        Holds<decltype(constant)::value>(Widen(*left.At(r, lane + i)), right(r, lane + i)))
                    << i;
        }
        bits[(r * op.lanes() + lane) / 8] = static_cast<uint8_t>(packed);
      }
    }
  });
}

// The bit of a lane depends on the lane of each source.
template <typename... Sources>
void FlowToBits(const VectorOp &op, Flows &flows, const LocalTensorBase &dst, const Sources &...sources) {
  ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
    const uint32_t bit = r * op.lanes() + lane;
    const BitRange result = BitsOf(dst, bit / 8, 1, static_cast<uint8_t>(1U << bit % 8));
    (flows.Depend(result, VectorOp::BitsOf(sources, r, lane)), ...);
  });
}

// The bytes that hold the packed results.
inline uint64_t BytesOfBits(const VectorOp &op) {
  return CeilDivide(op.counted() ? op.active() : op.repeats() * op.lanes(), 8);
}

// All lanes of `repeat` repeats. The mask argument of Compare and CompareScalar is reserved on Atlas A2; the
// mask registers stay as they are.
struct AllLanes {
  int64_t repeat;
  bool Apply(VectorOp &op) const {
    Registers &registers = op.core().registers;
    const auto counts = registers.mask_counts;
    const auto mask = registers.mask;
    registers.mask_counts = false;
    const bool any = op.Mask(true, op.lanes(), repeat);
    registers.mask_counts = counts;
    registers.mask = mask;
    return any;
  }
};

template <typename U, typename T, typename Level>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
             const Level &level, Strides stride0, Strides stride1, Where where) {
  static_assert(kOneOf<U, int8_t, uint8_t>, "Compare: dst must be int8_t or uint8_t");
  CheckCompare<T>("Compare", mode, where);
  VectorOp op("Compare", sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  op.Add(Run("dst", dst, true, BytesOfBits(op)), dst);
  op.Share(Sharing::kNone);
  auto left = op.Read<T>("src0", src0, stride0);
  auto right = op.Read<T>("src1", src1, stride1);
  op.IssueWith([&](Flows &flows) { FlowToBits(op, flows, dst, left, right); });
  left.Resolve(op.core());
  right.Resolve(op.core());
  CompareBits(op, Pointer<uint8_t>(op.core(), dst), left, mode,
              [&](uint32_t r, uint32_t lane) { return Widen(*right.At(r, lane)); });
}

template <typename U, typename T, typename Level>
void CompareScalar(const char *name, const LocalTensor<U> &dst, const LocalTensor<T> &src0, T scalar,
                   CMPMODE mode, const Level &level, Strides stride0, Where where) {
  static_assert(kOneOf<U, int8_t, uint8_t>, "CompareScalar: dst must be int8_t or uint8_t");
  CheckCompare<T>(name, mode, where);
  VectorOp op(name, sizeof(T), where);
  if (!level.Apply(op)) {
    return;
  }
  op.Add(Run("dst", dst, true, BytesOfBits(op)), dst);
  op.Share(Sharing::kPack);  // CANN's SelectWithBytesMask puts the bits where the source begins
  auto left = op.Read<T>("src0", src0, stride0);
  op.IssueWith([&](Flows &flows) { FlowToBits(op, flows, dst, left); });
  left.Resolve(op.core());
  const auto value = Widen(scalar);
  CompareBits(op, Pointer<uint8_t>(op.core(), dst), left, mode, [=](uint32_t, uint32_t) { return value; });
}

// A count may need more repeats than an instruction takes; CANN then issues several of 252 repeats.
template <typename F>
void InChunks(int64_t repeats, F function) {
  constexpr int64_t kMost = 252;
  for (int64_t first = 0; first < repeats; first += kMost) {
    function(first, std::min<int64_t>(kMost, repeats - first));
  }
}

// Compares one repeat into the register CMPMASK.
template <typename T, typename M>
void CompareToRegister(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, bool set, M mask,
                       Strides stride0, Strides stride1, Where where) {
  static_assert(kOneOf<T, half, float>, "Compare: element type not available on Atlas A2");
  VectorOp op("Compare", sizeof(T), where);
  if (!op.Mask(set, mask, 1)) {
    return;
  }
  auto left = op.Read<T>("src0", src0, stride0);
  auto right = op.Read<T>("src1", src1, stride1);
  op.IssueWith([&](Flows &flows) {
    ForActiveLanes(op, [&](uint32_t r, uint32_t lane) {
      const BitRange bit{kRegisterFile, kCompareMaskAt + lane / 8, 1, static_cast<uint8_t>(1U << lane % 8)};
      if (r == 0) flows.Define(bit);
      flows.Depend(bit, op.BitsOf(left, r, lane));
      flows.Depend(bit, op.BitsOf(right, r, lane));
    });
  });
  left.Resolve(op.core());
  right.Resolve(op.core());
  std::array<uint64_t, 2> &bits = op.core().registers.compare_mask;
  WithMode(mode, [&](auto constant) {
    for (uint32_t r = 0; r < op.repeats(); ++r) {
      for (uint32_t lane = 0; lane < op.LanesOf(r); ++lane) {
        if (op.counted() || op.Active(lane)) {
          const bool holds =
              Holds<decltype(constant)::value>(Widen(*left.At(r, lane)), Widen(*right.At(r, lane)));
          const uint64_t bit = uint64_t{1} << (lane % 64);
          bits[lane / 64] = holds ? bits[lane / 64] | bit : bits[lane / 64] & ~bit;
        }
      }
    }
  });
}

}  // namespace sim
