// SPDX-License-Identifier: Apache-2.0
// Powers of half and float: exp(y ln |x|), negative where x is negative and y is odd, and NaN where x is
// negative and y is no integer. x^0 is 1. The error is at most 2^-22 (1 + |y ln x|), relative to the result,
// as the exponent of exp is rounded.
//
// Powers of int32_t are products of x^1, x^2, x^4, …, one for each bit of y. Those of negative y are 1 / x^-y
// without its fraction, and 0 where x is 0.
#pragma once

#include <cmath>

#include "../sim_stage.h"

namespace sim {

inline void PowerOf(const Stage &v, const Floats &y, const Parts &work, const Floats &base,
                    const Floats &exponent) {
  const Floats size = work[0], e = work[1], odd = work[2], whole = work[3];
  // Infinite factors would make NaN of 0 and infinity.
  v.Abs(size, base);
  v.Ln(size, size);
  v.Clamp(size, size, -1e38F, 1e38F);
  v.Clamp(e, exponent, -1e38F, 1e38F);
  v.Mul(size, size, e);
  v.Exp(size, size);
  // Beyond 2^24 every float is an even number.
  v.Clamp(e, exponent, -0x1p24F, 0x1p24F);
  const Floats negative = y;
  v.Sign(negative, base);
  v.Muls(negative, negative, -1);
  v.Maxs(negative, negative, 0);
  v.Muls(odd, e, 0.5F);
  v.Floor(odd, odd);
  v.Muls(odd, odd, -2);
  v.Add(odd, odd, e);
  // The root of -(e - floor(e)) is NaN where e is no integer, and 0 where it is one.
  v.Floor(whole, e);
  v.Sub(e, whole, e);
  v.Mul(e, e, negative);
  v.Sqrt(e, e);
  v.Add(size, size, e);
  v.Mul(odd, odd, negative);
  v.Muls(odd, odd, -2);
  v.Adds(odd, odd, 1);
  v.Mul(y, size, odd);
}

using Integers = AscendC::LocalTensor<int32_t>;

// A tensor from an element on, or a number for all elements.
inline void TakeIntegers(const Integers &to, const Integers &from, uint32_t done, int32_t count,
                         Where where) {
  AscendC::Muls(to, from[done], 1, count, where);
}
inline void TakeIntegers(const Integers &to, int32_t from, uint32_t, int32_t count, Where where) {
  AscendC::Duplicate(to, from, count, where);
}

// The bits of the largest of these numbers, which are not negative. Two tensors of work memory.
inline int BitsOfLargest(const Integers &numbers, const Floats &floats, const Floats &work, int32_t count,
                         Where where) {
  AscendC::Cast(floats, numbers, RoundMode::CAST_NONE, static_cast<uint32_t>(count), where);
  AscendC::PipeBarrier<PIPE_V>(where);
  AscendC::ReduceMax(floats, floats, work, count, false, where);
  Order(Pipe::V, Pipe::S, where);
  const float largest = floats.GetValue(0, where);
  Order(Pipe::S, Pipe::V, where);
  return largest < 1 ? 0 : std::min(31, std::ilogb(largest) + 1);
}

template <typename Base, typename Exponent>
void IntegerPower(const char *name, const Bytes *given, uint32_t count, Where where, const Integers &dst,
                  const Base &src0, const Exponent &src1) {
  constexpr uint32_t kParts = 5;
  constexpr int kSign = 31;
  const Bytes work = WorkOf(given, where);
  const uint32_t lanes = PieceLanes(name, work, kParts, where);
  for (uint32_t done = 0; done < count; done += lanes) {
    const auto n = static_cast<int32_t>(std::min(lanes, count - done));
    const Parts parts(work, uint64_t{lanes} * sizeof(int32_t));
    const auto integers = [&](size_t i) { return As<int32_t>(parts[i]); };
    const Integers base = integers(0), size = integers(1), bit = integers(2), factor = integers(3);
    const Integers product = integers(4);
    const auto then = [&] { AscendC::PipeBarrier<PIPE_V>(where); };
    TakeIntegers(base, src0, done, n, where);
    TakeIntegers(size, src1, done, n, where);
    AscendC::Duplicate(product, 1, n, where);
    then();
    AscendC::Muls(bit, size, -1, n, where);
    then();
    AscendC::Max(size, size, bit, n, where);
    then();
    const int bits = BitsOfLargest(size, parts[2], parts[3], n, where);
    for (int i = 0; i < bits; ++i) {
      // -1 where the bit is set, else 0: product *= 1 - bit * (base - 1).
      AscendC::ShiftLeft(bit, size, kSign - i, n, where);
      AscendC::Adds(factor, base, -1, n, where);
      then();
      AscendC::ShiftRight(bit, bit, kSign, n, where);
      then();
      AscendC::Mul(factor, factor, bit, n, where);
      AscendC::Mul(base, base, base, n, where);
      then();
      AscendC::Muls(factor, factor, -1, n, where);
      then();
      AscendC::Adds(factor, factor, 1, n, where);
      then();
      AscendC::Mul(product, product, factor, n, where);
      then();
    }
    // c (4 - c^2) / 3 is 1 / c without its fraction, where c is the product between -2 and 2.
    const Stage stage(static_cast<uint32_t>(n), where);
    const Floats c = parts[0], square = parts[1];
    stage.Convert(c, product, RoundMode::CAST_NONE);
    stage.Clamp(c, c, -2, 2);
    stage.Mul(square, c, c);
    stage.Muls(square, square, -1);
    stage.Adds(square, square, 4);
    stage.Mul(c, c, square);
    stage.Muls(c, c, 1.0F / 3);
    stage.Convert(factor, c, RoundMode::CAST_RINT);
    // product + (product - factor) * (-1 where the exponent is negative, else 0)
    TakeIntegers(bit, src1, done, n, where);
    AscendC::Sub(factor, product, factor, n, where);
    then();
    AscendC::ShiftRight(bit, bit, kSign, n, where);
    then();
    AscendC::Mul(factor, factor, bit, n, where);
    then();
    AscendC::Add(dst[done], product, factor, n, where);
    then();
  }
}

inline void Power(const char *name, const Bytes *work, uint32_t count, Where where, const Integers &dst,
                  const Integers &src0, const Integers &src1) {
  IntegerPower(name, work, count, where, dst, src0, src1);
}
inline void Power(const char *name, const Bytes *work, uint32_t count, Where where, const Integers &dst,
                  const Integers &src0, int32_t src1) {
  IntegerPower(name, work, count, where, dst, src0, src1);
}
inline void Power(const char *name, const Bytes *work, uint32_t count, Where where, const Integers &dst,
                  int32_t src0, const Integers &src1) {
  IntegerPower(name, work, count, where, dst, src0, src1);
}

template <typename T>
void Power(const char *name, const Bytes *work, uint32_t count, Where where,
           const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0,
           const AscendC::LocalTensor<T> &src1) {
  InPieces<4>(name, work, count, where, PowerOf, dst, src0, src1);
}
template <typename T>
void Power(const char *name, const Bytes *work, uint32_t count, Where where,
           const AscendC::LocalTensor<T> &dst, const AscendC::LocalTensor<T> &src0, T src1) {
  InPieces<5>(
      name, work, count, where,
      [src1](const Stage &v, const Floats &y, const Parts &parts, const Floats &x) {
        v.Fill(parts[4], static_cast<float>(src1));
        PowerOf(v, y, parts, x, parts[4]);
      },
      dst, src0);
}
template <typename T>
void Power(const char *name, const Bytes *work, uint32_t count, Where where,
           const AscendC::LocalTensor<T> &dst, T src0, const AscendC::LocalTensor<T> &src1) {
  InPieces<5>(
      name, work, count, where,
      [src0](const Stage &v, const Floats &y, const Parts &parts, const Floats &x) {
        v.Fill(parts[4], static_cast<float>(src0));
        PowerOf(v, y, parts, parts[4], x);
      },
      dst, src1);
}

}  // namespace sim

SIM_BINARY_FUNCTION(Power, sim::Power, LocalTensor<T>, LocalTensor<T>, src0)
SIM_BINARY_FUNCTION(Power, sim::Power, LocalTensor<T>, T, src0)
SIM_BINARY_FUNCTION(Power, sim::Power, T, LocalTensor<T>, src1)
