// SPDX-License-Identifier: Apache-2.0
// Positions i * step + offset along an axis. The scalar unit computes the position of one index exactly; the
// vector unit computes the positions of a run of indices in float32, split into whole part and fraction, so
// that the fraction keeps its bits.
#pragma once

#include "kernel_operator.h"

namespace avo {

// The step and the offset, as op_host/resample/linear_scale.h splits them.
struct LinearMap {
  int64_t whole;  // step = whole + high / 2^32 + low / 2^64
  int64_t high;
  int64_t low;
  int64_t offset;  // in units of 2^-32
  float
      part0;  // step = part0 + part1 + part2. Products of part0 and part1 with indices below 2^13 are exact.
  float part1;
  float part2;
};

struct Position {
  int64_t whole;   // floor
  float fraction;  // [0, 1)
};

// Returns the position of one index.
__aicore__ inline Position PositionAt(const LinearMap &map, int64_t index) {
  constexpr int64_t kFractionMask = 0xffffffff;
  const int64_t high = index * map.high;
  const int64_t low = (index * map.low) >> 32;
  const int64_t sum = (high & kFractionMask) + low + (map.offset & kFractionMask);
  Position position;
  position.whole = index * map.whole + (high >> 32) + (map.offset >> 32) + (sum >> 32);
  // A float holds 24 bits of the fraction.
  position.fraction =
      static_cast<float>(static_cast<int32_t>((sum & kFractionMask) >> 8)) * (1.0f / 16777216.0f);
  return position;
}

__aicore__ inline void Floor(const AscendC::LocalTensor<float> &dst, const AscendC::LocalTensor<float> &src,
                             uint32_t count) {
  AscendC::Cast(dst, src, AscendC::RoundMode::CAST_FLOOR, count);
}

__aicore__ inline void Clamp(const AscendC::LocalTensor<float> &tensor, float low, float high,
                             uint32_t count) {
  AscendC::Maxs(tensor, tensor, low, count);
  AscendC::Mins(tensor, tensor, high, count);
}

// Converts indices of elements of T to offsets in bytes. Overwrites the indices.
template <typename T>
__aicore__ inline void ByteOffsets(const AscendC::LocalTensor<int32_t> &offsets,
                                   const AscendC::LocalTensor<float> &indices, uint32_t count) {
  AscendC::Muls(indices, indices, static_cast<float>(sizeof(T)), count);
  AscendC::Cast(offsets, indices, AscendC::RoundMode::CAST_RINT, count);
}

// Computes whole[t] + fraction[t] = index[t] * step + fraction0, where index[t] are whole numbers below 2^13.
// A position that is less than 2^-22 below a whole number becomes that number: rounding has moved it there.
// `temp` and `spare` are scratch.
__aicore__ inline void PositionRun(const AscendC::LocalTensor<float> &whole,
                                   const AscendC::LocalTensor<float> &fraction,
                                   const AscendC::LocalTensor<float> &index,
                                   const AscendC::LocalTensor<float> &temp,
                                   const AscendC::LocalTensor<float> &spare, const LinearMap &map,
                                   float fraction0, uint32_t count) {
  constexpr float kSnap = 1.0f / 4194304.0f;
  // Products with part0 and part1 are exact. Split each into whole and fraction before anything is rounded.
  AscendC::Muls(fraction, index, map.part0, count);
  Floor(whole, fraction, count);
  AscendC::Sub(fraction, fraction, whole, count);
  AscendC::Muls(spare, index, map.part1, count);
  Floor(temp, spare, count);
  AscendC::Sub(spare, spare, temp, count);
  AscendC::Add(whole, whole, temp, count);
  AscendC::Add(fraction, fraction, spare, count);
  // The product with part2 is small. Add it to the fraction, and carry from there into the whole part.
  AscendC::Muls(temp, index, map.part2, count);
  AscendC::Adds(temp, temp, fraction0, count);
  AscendC::Add(fraction, fraction, temp, count);
  AscendC::Adds(temp, fraction, kSnap, count);
  Floor(temp, temp, count);
  AscendC::Sub(fraction, fraction, temp, count);
  AscendC::Maxs(fraction, fraction, 0.0f, count);
  AscendC::Add(whole, whole, temp, count);
}

// Returns the position of output `phase` of a period of `out_step` outputs and `in_step` inputs. The whole
// part is -1 for outputs left of the first input.
__aicore__ inline Position PhasePosition(int64_t phase, int64_t in_step, int64_t out_step, bool half_pixel) {
  const int64_t denominator = half_pixel ? 2 * out_step : out_step;
  const int64_t numerator = half_pixel ? (2 * phase + 1) * in_step - out_step : phase * in_step;
  Position position;
  position.whole = numerator < 0 ? -1 : numerator / denominator;
  position.fraction = static_cast<float>(static_cast<int32_t>(numerator - position.whole * denominator)) /
                      static_cast<float>(static_cast<int32_t>(denominator));
  return position;
}

}  // namespace avo
