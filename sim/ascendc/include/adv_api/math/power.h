// SPDX-License-Identifier: Apache-2.0
// Powers of half and float: exp(y ln |x|), negative where x is negative and y is odd, and NaN where x is
// negative and y is no integer. x^0 is 1. The error is at most 2^-22 (1 + |y ln x|), relative to the result,
// as the exponent of exp is rounded.
#pragma once

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
